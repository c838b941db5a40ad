"""Python's operators on tiles and scalars: integers of every width and sign, floats, promotion, comparisons."""
import numpy as np
from case import Out, Tensor, arange, case, f32, i32, normal, random

N = 64
I = "i = tl.arange(0, 64)\n"


def ints(dtype, seed, low=None, high=None):
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min if low is None else low, info.max if high is None else high, N,
                                                dtype=dtype, endpoint=True)


def truncated_division(a, b):
    """C's: towards zero."""
    quotient = np.abs(a.astype(object)) // np.abs(b.astype(object))
    return np.array([q if (x < 0) == (y < 0) else -q for q, x, y in zip(quotient, a, b)]).astype(a.dtype)


def binary(name, expression, a, b, expected):
    case(name, I + f"x = tl.load(X + i)\ny = tl.load(Y + i)\ntl.store(OUT + i, {expression})\n", X=a, Y=b, OUT=Out(expected))


for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
    label = np.dtype(dtype).name
    # Launch files hold numbers as doubles: 64-bit ones stay below 2**53, products too.
    bound = {8: 2**26}.get(np.dtype(dtype).itemsize)
    a, b = (ints(dtype, seed, bound and (-bound if label[0] == "i" else 0), bound) for seed in (1, 2))
    divisor = np.where(b == 0, 3, b).astype(dtype)
    with np.errstate(over="ignore"):
        binary(f"add-{label}", "x + y", a, b, a + b)
        binary(f"sub-{label}", "x - y", np.maximum(a, b), np.minimum(a, b), np.maximum(a, b) - np.minimum(a, b))
        binary(f"mul-{label}", "x * y", a, b, a * b)
    # The least number by -1 has no quotient.
    safe = np.where((divisor == np.array(-1).astype(dtype)) & (a == np.iinfo(dtype).min), 1, divisor).astype(dtype)
    quotient = truncated_division(a, safe)
    binary(f"floordiv-{label}", "x // y", a, safe, quotient)
    with np.errstate(over="ignore"):
        binary(f"mod-{label}", "x % y", a, safe, (a - quotient * safe).astype(dtype))
    binary(f"bits-{label}", "(x & y) ^ (x | 5)", a, b, (a & b) ^ (a | np.array(5, dtype)))
    shifts = (ints(dtype, 3, 0, 7)).astype(dtype)
    binary(f"shift-{label}", "(x >> y) ^ (x << 1)", a, shifts, (a >> shifts) ^ (a << np.array(1, dtype)))
    binary(f"compare-{label}", "(x < y).to(tl.int32) + (x >= y).to(tl.int32) * 2 + (x == y).to(tl.int32) * 4", a, b,
           ((a < b) + 2 * (a >= b) + 4 * (a == b)).astype(np.int32))
    binary(f"extremes-{label}", "tl.maximum(x, y) - tl.minimum(x, y)", a, b,
           (np.maximum(a, b) - np.minimum(a, b)).astype(dtype))

case("div-negative-truncates", I + "x = i - 32\ntl.store(Q + i, x // 5)\ntl.store(R + i, x % 5)\n",
     Q=Out(truncated_division(arange(N) - 32, np.full(N, 5, np.int32))),
     R=Out(((arange(N) - 32) - 5 * truncated_division(arange(N) - 32, np.full(N, 5, np.int32))).astype(np.int32)))
case("wrap-64", I + "x = tl.load(X + i).to(tl.int64)\ny = (x << 40) * 3 + (x << 62)\ntl.store(LOW + i, y.to(tl.uint32))\ntl.store(HIGH + i, (y >> 32).to(tl.int32))\n",
     X=ints(np.int32, 6), LOW=Out(np.array([((int(v) << 40) * 3 + (int(v) << 62)) & 0xFFFFFFFF for v in ints(np.int32, 6)], np.uint32)),
     HIGH=Out(np.array([((int(v) << 40) * 3 + (int(v) << 62)) >> 32 & 0xFFFFFFFF for v in ints(np.int32, 6)], np.int64).astype(np.uint32).view(np.int32)))
case("invert-and-negate", I + "x = tl.load(X + i)\ntl.store(A + i, ~x)\ntl.store(B + i, -x)\ntl.store(C + i, +x)\n",
     X=ints(np.int32, 5), A=Out(~ints(np.int32, 5)), B=Out(-ints(np.int32, 5)), C=Out(ints(np.int32, 5)))
case("not-of-comparison", I + "x = i > 5\ntl.store(OUT + i, (~x).to(tl.int32))\n", OUT=Out((arange(N) <= 5).astype(np.int32)))

for dtype in (np.float16, np.float32, np.float64):
    label = np.dtype(dtype).name
    a, b = random(N, seed=1, dtype=dtype), random(N, seed=2, dtype=dtype)
    binary(f"add-{label}", "x + y", a, b, a + b)
    binary(f"sub-{label}", "x - y", a, b, a - b)
    binary(f"mul-{label}", "x * y", a, b, a * b)
    binary(f"neg-{label}", "-x + 0 * y", a, b, -a)
    binary(f"compare-{label}", "(x < y).to(tl.int32) + (x >= y).to(tl.int32) * 2 + (x != y).to(tl.int32) * 4", a, b,
           ((a < b) + 2 * (a >= b) + 4 * (a != b)).astype(np.int32))
    divisor = np.where(b == 0, 3, b).astype(dtype)
    wide = np.float64 if dtype == np.float64 else np.float32
    case(f"div-{label}", I + "tl.store(OUT + i, tl.load(X + i) / tl.load(Y + i))\n", X=a, Y=divisor,
         OUT=Out((a.astype(wide) / divisor.astype(wide)).astype(wide), rtol=1e-6))
case("mod-float", I + "tl.store(OUT + i, tl.load(X + i) % 3.0)\n", X=random(N), OUT=Out(np.fmod(random(N), np.float32(3))))
case("div-int-is-float", I + "tl.store(OUT + i, i / 4)\n", OUT=Out((arange(N) / 4).astype(np.float32)))

# Weak scalars: a Python number takes the tile's type when its kind allows.
case("weak-int-beside-int8", I + "x = tl.load(X + i)\ny = x + 1\ntl.static_assert(y.dtype == tl.int8)\ntl.store(OUT + i, y)\n",
     X=ints(np.int8, 1), OUT=Out(ints(np.int8, 1) + np.int8(1)))
case("weak-float-beside-fp16", I + "x = tl.load(X + i)\ny = x * 0.5\ntl.static_assert(y.dtype == tl.float16)\ntl.store(OUT + i, y)\n",
     X=random(N, dtype=np.float16), OUT=Out(random(N, dtype=np.float16) * np.float16(0.5)))
case("weak-float-beside-int", I + "y = i * 0.5\ntl.static_assert(y.dtype == tl.float32)\ntl.store(OUT + i, y)\n",
     OUT=Out((arange(N) * 0.5).astype(np.float32)))
case("weak-large-int", I + "y = tl.load(X + i) + 4000000000\ntl.store(OUT + i, y)\n", X=ints(np.int64, 1, -1000, 1000),
     OUT=Out(ints(np.int64, 1, -1000, 1000) + 4000000000))
PROMOTIONS = [("int8", "int16", "int16"), ("int32", "uint32", "uint32"), ("int64", "uint32", "int64"), ("int8", "uint8", "uint8"),
              ("int32", "float16", "float16"), ("float16", "float32", "float32"), ("float16", "bfloat16", "float16"),
              ("bfloat16", "float32", "float32"), ("float32", "float64", "float64"), ("int64", "float32", "float32")]
for left, right, result in PROMOTIONS:
    case(f"promote-{left}-{right}",
         I + f"z = i.to(tl.{left}) + (i % 7).to(tl.{right})\ntl.static_assert(z.dtype == tl.{result})\n"
         "tl.store(OUT + i, z.to(tl.int32))\n", OUT=Out(arange(N) + arange(N) % 7))
case("bool-arithmetic", I + "a = i > 3\nb = i < 9\ntl.store(OUT + i, ((a & b) | (i == 20)).to(tl.int32))\n",
     OUT=Out((((arange(N) > 3) & (arange(N) < 9)) | (arange(N) == 20)).astype(np.int32)))
case("logical-and-or-of-scalars", "n = tl.load(X)\nif n > 3 and n < 9 or n == 40:\n    tl.store(OUT, 1)\nelse:\n    tl.store(OUT, 2)\n",
     X=i32(5), OUT=Out(i32(1)))
case("scalar-arithmetic", "n = tl.load(X)\ntl.store(OUT, (n * 3 - 7) // 2)\n", X=i32(9), OUT=Out(i32(10)))
case("add-sub-mul-functions", I + "tl.store(OUT + i, tl.sub(tl.mul(tl.add(i, 3), 2), i))\n", OUT=Out(arange(N) + 6))
case("python-min-max-abs", I + "n = tl.load(X)\ntl.store(OUT, max(min(n, 7), 2) + abs(n - 20))\n", X=i32(9), OUT=Out(i32(18)))
case("python-conversions", "tl.store(OUT + 0, int(2.9))\ntl.store(OUT + 1, int(bool(3)))\ntl.store(OUT + 2, len((1, 2, 3)))\n"
     "a: tl.constexpr = float('inf')\nb: tl.constexpr = str(12)\ntl.static_assert(b == '12')\ntl.static_assert(a > 1.0)\n"
     "c: tl.constexpr = tuple([4, 5])\nd: tl.constexpr = list(c)\ntl.static_assert(isinstance(c, tuple))\ntl.store(OUT + 3, d[1])\n",
     OUT=Out(i32(2, 1, 3, 5)))

# NaN and infinities.
SPECIAL = f32(np.nan, 1, -np.inf, np.inf, 0, np.nan, 2, -3)
OTHER = f32(1, np.nan, 5, -5, -0.0, np.nan, 2, 4)
case("maximum-drops-nan", "i = tl.arange(0, 8)\nz = tl.maximum(tl.load(X + i), tl.load(Y + i))\n"
     "tl.store(OUT + i, tl.where(z != z, 99.0, z))\n", X=SPECIAL, Y=OTHER, OUT=Out(f32(1, 1, 5, np.inf, 0, 99, 2, 4)))
case("minimum-propagates-nan", "i = tl.arange(0, 8)\nz = tl.minimum(tl.load(X + i), tl.load(Y + i), propagate_nan=tl.PropagateNan.ALL)\n"
     "tl.store(OUT + i, tl.where(z != z, 99.0, z))\n", X=SPECIAL, Y=OTHER, OUT=Out(f32(99, 99, -np.inf, -5, 0, 99, 2, -3)))
case("nan-comparisons", "i = tl.arange(0, 8)\nx = tl.load(X + i)\ny = tl.load(Y + i)\n"
     "z = (x == y).to(tl.int32) + (x != y).to(tl.int32) * 2 + (x < y).to(tl.int32) * 4 + (x >= y).to(tl.int32) * 8\n"
     "tl.store(OUT + i, z)\n", X=SPECIAL, Y=OTHER,
     OUT=Out(((SPECIAL == OTHER) + 2 * (SPECIAL != OTHER) + 4 * (SPECIAL < OTHER) + 8 * (SPECIAL >= OTHER)).astype(np.int32)))
case("clamp", I + "tl.store(OUT + i, tl.clamp(tl.load(X + i), -1.0, 2.0))\n", X=random(N), OUT=Out(np.clip(random(N), -1, 2)))
case("where-broadcasts", "i = tl.arange(0, 8)\nm = (i[:, None] + i[None, :]) % 2 == 0\nz = tl.where(m, i[:, None], -1)\n"
     "tl.store(OUT + i[:, None] * 8 + i[None, :], z)\n",
     OUT=Out(np.where((arange(8)[:, None] + arange(8)) % 2 == 0, arange(8)[:, None], -1).astype(np.int32)))
case("fma", I + "x = tl.load(X + i)\ntl.store(OUT + i, tl.fma(x, x, 2.0))\n", X=random(N), OUT=Out(random(N) ** 2 + 2))
case("cdiv", I + "n = tl.load(X)\ntl.store(OUT, tl.cdiv(n, 8) * 100 + triton.cdiv(17, 4))\n", X=i32(17), OUT=Out(i32(305)))
case("umulhi-32", I + "tl.store(OUT + i, tl.umulhi(tl.load(X + i), tl.load(Y + i)))\n", X=ints(np.uint32, 1), Y=ints(np.uint32, 2),
     OUT=Out(((ints(np.uint32, 1).astype(np.uint64) * ints(np.uint32, 2)) >> np.uint64(32)).astype(np.uint32)))
WIDE_A, WIDE_B = ints(np.uint64, 1, 0, 2**52), ints(np.uint64, 2, 0, 2**52)
case("umulhi-64", I + "tl.store(OUT + i, tl.umulhi(tl.load(X + i), tl.load(Y + i)))\n", X=WIDE_A, Y=WIDE_B,
     OUT=Out(np.array([int(a) * int(b) >> 64 for a, b in zip(WIDE_A, WIDE_B)], np.uint64)))
case("swizzle2d", "i = tl.arange(0, 8)[:, None]\nj = tl.arange(0, 4)[None, :]\na, b = tl.swizzle2d(i, j, 8, 4, 2)\n"
     "tl.store(A + i * 4 + j, a)\ntl.store(B + i * 4 + j, b)\n",
     A=Out(np.array([[((k // 8) * 2 + k % 2) for k in range(4 * r, 4 * r + 4)] for r in range(8)], np.int32)),
     B=Out(np.array([[(k % 8) // 2 for k in range(4 * r, 4 * r + 4)] for r in range(8)], np.int32)))
