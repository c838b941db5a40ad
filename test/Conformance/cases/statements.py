"""Statements: every way out of loops, tasks and functions, keyword arguments, dictionaries, `if` on single elements."""
import numpy as np
from case import Out, arange, case, i32, random, refused

I = "i = tl.arange(0, 64)\nx = tl.load(X + i)\n"
X = random(64, seed=3, dtype=np.int32, low=-50, high=50)


def scalar(name, body, expected, **options):
    case(name, body, X=X, OUT=Out(i32(*expected)), **options)


# --- `if` on single elements: what combines two elements, and functions on each one.
PICK = "@triton.jit\ndef pick(a, b):\n    if a > b:\n        return a\n    return b\n\n\n"
LARGEST = ("@triton.jit\ndef largest(v, k, w, l):\n    if v > w or (v == w and k < l):\n        value = v\n        place = k\n"
           "    else:\n        value = w\n        place = l\n    return value, place\n\n\n")
case("reduce-if-return", I + "tl.store(OUT, tl.reduce(x, 0, pick))\n", X=X, OUT=Out(i32(X.max())), _helpers=PICK)
case("scan-if-return", I + "tl.store(OUT + i, tl.associative_scan(x, 0, pick))\n", X=X, OUT=Out(np.maximum.accumulate(X)), _helpers=PICK)
case("reduce-if-names", I + "value, place = tl.reduce((x, i), 0, largest)\ntl.store(OUT, value)\ntl.store(OUT + 1, place)\n", X=X,
     OUT=Out(i32(X.max(), X.argmax())), _helpers=LARGEST)
SIGN = ("@triton.jit\ndef sign(x, y):\n    if x == 0:\n        return 0\n    if x > 0:\n        if y > 0:\n            return 2\n        s = 1\n"
        "    else:\n        s = -1\n    return s * 10 + (5 if y > x else 6)\n\n\n")
Y = random(64, seed=4, dtype=np.int32, low=-50, high=50)
SIGNS = [0 if x == 0 else 2 if x > 0 and y > 0 else (1 if x > 0 else -1) * 10 + (5 if y > x else 6) for x, y in zip(X, Y)]
case("map-elementwise-if", I + "tl.store(OUT + i, tl.map_elementwise(sign, x, tl.load(Y + i)))\n", X=X, Y=Y, OUT=Out(i32(*SIGNS)), _helpers=SIGN)
# No side divides where it is not taken.
RATIO = "@triton.jit\ndef ratio(x, y):\n    if y == 0:\n        return -1\n    return x // y\n\n\n"
D = np.abs(random(64, seed=5, dtype=np.int32, low=0, high=3))
case("map-elementwise-division", I + "tl.store(OUT + i, tl.map_elementwise(ratio, tl.abs(x), tl.load(Y + i)))\n", X=X, Y=D,
     OUT=Out(i32(*[-1 if y == 0 else abs(x) // y for x, y in zip(X, D)])), _helpers=RATIO)

# --- keyword arguments and dictionaries.
OPTIONS = ("@triton.jit\ndef scaled(x, scale, *, offset=0):\n    return x * scale + offset\n\n\n"
           "@triton.jit\ndef forward(x, **options):\n    tl.static_assert('scale' in options and len(options) == 2)\n    return scaled(x, **options)\n\n\n"
           "@triton.jit\ndef looked_up(x, **options):\n    total = x\n    for name in options:\n        total += options[name]\n    return total\n\n\nFIXED = {'scale': 3, 'offset': 4}\n\n\n")
scalar("keywords-forwarded", "n = tl.load(X)\ntl.store(OUT, forward(n, scale=n, offset=2))\n", [int(X[0]) ** 2 + 2], _helpers=OPTIONS)
scalar("keywords-of-a-module", "n = tl.load(X)\ntl.store(OUT, scaled(n, **FIXED))\n", [3 * X[0] + 4], _helpers=OPTIONS)
scalar("keywords-merged", "n = tl.load(X)\ntl.store(OUT, scaled(n, **{**FIXED, 'offset': n}))\n", [4 * X[0]], _helpers=OPTIONS)
scalar("keywords-looked-up", "n = tl.load(X)\ntl.store(OUT, looked_up(n, a=1, b=n))\n", [2 * X[0] + 1], _helpers=OPTIONS)
scalar("dictionary-carried", "d = {'a': tl.load(X), 'b': 5}\nfor k in range(3):\n    d = {'a': d['a'] + d['b'], 'b': 5}\ntl.store(OUT, d['a'])\n", [X[0] + 15])
refused("refuse-missing-key", "d = {'a': 1}\nx = d['b']\n", "unknown-name", 2, X=X)
refused("refuse-spread-number", "x = tl.load(X, **3)\n", "unsupported-construct", 1, X=X)
refused("refuse-spread-twice", "x = scaled(1, scale=2, **FIXED)\n", "duplicate-argument", 1, X=X, _helpers=OPTIONS)
refused("refuse-spread-unknown", "x = scaled(1, **{'scal': 2})\n", "missing-argument", 1, X=X, _helpers=OPTIONS)

# --- early ends around and inside tasks.
TASKS = ("with tlx.async_tasks():\n    with tlx.async_task('default'):\n        n = tl.load(X + 1)\n        if n != 7:\n            tl.store(OUT, 1)\n            return\n"
         "        tl.store(OUT, 2)\n    with tlx.async_task(num_warps=4):\n        for k in range(8):\n            if k == 3:\n                return\n            tl.store(OUT + 1 + k, k)\n")
scalar("return-inside-tasks", TASKS, [1, 0, 1, 2, 77])
scalar("return-before-tasks", "if tl.program_id(0) > 0:\n    return\n" + TASKS, [1, 0, 1, 2, 77], _grid=(2, 1, 1))
scalar("return-before-tasks-value", "n = tl.load(X)\nif n == 1000:\n    return\nbar = tlx.alloc_barriers(1)\n"
       "with tlx.async_tasks():\n    with tlx.async_task('default'):\n        tlx.barrier_wait(bar[0], 0)\n        tl.store(OUT, n)\n"
       "    with tlx.async_task(num_warps=1):\n        tlx.barrier_arrive(bar[0])\n", [X[0]])
refused("refuse-return-then-more", TASKS + "tl.store(OUT, 3)\n", "unsupported-construct", 6, X=X, OUT=Out(i32(0)))
refused("refuse-return-value-in-task", "with tlx.async_tasks():\n    with tlx.async_task('default'):\n        return 3\n", "unsupported-construct", 3, X=X)

# --- ways out of loops, values and effects.
LOOPS = {"break": ("s = 0\nfor k in range(10):\n    if k == n:\n        break\n    s += k\ntl.store(OUT, s)\n", 3),
         "continue": ("s = 0\nfor k in range(5):\n    if k == n:\n        continue\n    s += k\ntl.store(OUT, s)\n", 7),
         "else": ("s = 0\nfor k in range(2):\n    if k == n:\n        break\n    s += k\nelse:\n    s += 100\ntl.store(OUT, s)\n", 101),
         "while": ("s = 0\nk = 0\nwhile True:\n    k += 1\n    if k % 2 == 0:\n        continue\n    if k > 2 * n:\n        break\n    s += k\ntl.store(OUT, s)\n", 9),
         "nested": ("s = 0\nfor k in range(6):\n    for l in range(6):\n        if l == n:\n            break\n        if k == n:\n            continue\n        s += 1\n    else:\n        s += 100\ntl.store(OUT, s)\n", 15),
         "chained": ("tl.store(OUT, (0 <= n < 4).to(tl.int32) + (0 < n < 3).to(tl.int32) * 10)\n", 1)}
NESTED = ("@triton.jit\ndef kind(a, b):\n    if a > 0:\n        if b > 0:\n            return 1\n    elif b > 0:\n        for k in range(b):\n            if k == 2:\n                return 3\n"
          "    if a == 0:\n        if b < -5:\n            pass\n        else:\n            return 4\n    return 2\n\n\n")
scalar("return-nested", "".join(f"tl.store(OUT + {i}, kind(tl.load(X) * 0 + {a}, {b} + tl.load(X) * 0))\n" for i, (a, b) in enumerate([(1, 1), (1, 0), (0, 5), (0, 1), (0, -7), (-1, -1), (-1, 3)])),
       [1, 2, 3, 4, 2, 2, 3], _helpers=NESTED)
for name, (body, expected) in LOOPS.items():
    case(f"loop-{name}", "n = tl.load(X)\n" + body, X=i32(3), OUT=Out(i32(expected)))
