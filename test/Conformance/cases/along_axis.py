"""Reductions, scans, sorts, lookups: along each axis, of each type, with and without functions of the kernel's own."""
import numpy as np
from case import Out, Tensor, arange, case, f32, i32, normal, random

GRID2 = "r = tl.arange(0, {m})[:, None]\nc = tl.arange(0, {n})[None, :]\nx = tl.load(X + r * {n} + c)\n"
I = "i = tl.arange(0, {n})\nx = tl.load(X + i)\n"


def store(shape, value="z"):
    if len(shape) == 0:
        return f"tl.store(OUT, {value})\n"
    if len(shape) == 1:
        return f"k = tl.arange(0, {shape[0]})\ntl.store(OUT + k, {value})\n"
    return (f"a = tl.arange(0, {shape[0]})[:, None]\nb = tl.arange(0, {shape[1]})[None, :]\n"
            f"tl.store(OUT + a * {shape[1]} + b, {value})\n")


def matrix(name, expression, expected, m=32, n=16, x=None, out=None, **options):
    x = random(m, n, seed=7) if x is None else x
    expected = np.asarray(expected)
    flat = expected.reshape(1) if expected.ndim == 0 else expected
    case(name, GRID2.format(m=m, n=n) + f"z = {expression}\n" + store(expected.shape), X=x,
         OUT=out or Out(flat), **options)


X = random(32, 16, seed=7)
for warps in (1, 4, 8):
    matrix(f"sum-axis0-{warps}w", "tl.sum(x, axis=0)", X.sum(0), _warps=warps)
    matrix(f"sum-axis1-{warps}w", "tl.sum(x, 1)", X.sum(1), _warps=warps)
    matrix(f"sum-all-{warps}w", "tl.sum(x)", X.sum(), _warps=warps)
matrix("sum-keep-dims", "tl.sum(x, 1, keep_dims=True) + x * 0", np.repeat(X.sum(1, keepdims=True), 16, 1))
matrix("max-axis1", "tl.max(x, 1)", X.max(1))
matrix("min-axis0", "tl.min(x, 0)", X.min(0))
matrix("max-method", "x.max(1) + x.min(1)", X.max(1) + X.min(1))
XI = random(32, 16, seed=8, dtype=np.int32)
matrix("xor-sum", "tl.xor_sum(x, 1)", np.bitwise_xor.reduce(XI, 1), x=XI)
matrix("reduce-or", "tl.reduce_or(x, 1)", np.bitwise_or.reduce(XI, 1), x=XI)
matrix("sum-int8-widens", "tl.sum(x, 1)", random(32, 16, seed=9, dtype=np.int8, low=-100, high=100).astype(np.int32).sum(1).astype(np.int32),
       x=random(32, 16, seed=9, dtype=np.int8, low=-100, high=100))
matrix("sum-dtype", "tl.sum(x, 1, dtype=tl.float64)", X.astype(np.float64).sum(1))
matrix("max-unsigned", "tl.max(x, 1)", random(32, 16, seed=3, low=0, high=2**31).astype(np.uint32).max(1),
       x=(random(32, 16, seed=3, dtype=np.int64, low=0, high=2**32)).astype(np.uint32),
       out=Out(random(32, 16, seed=3, dtype=np.int64, low=0, high=2**32).astype(np.uint32).max(1)))

# Ties: the first of equal ones.
T = random(32, 16, seed=5, low=0, high=4)
matrix("argmax-ties-left", "tl.argmax(x, 1)", T.argmax(1).astype(np.int32), x=T)
matrix("argmin-ties-left", "tl.argmin(x, 1)", T.argmin(1).astype(np.int32), x=T)
matrix("argmax-axis0", "tl.argmax(x, 0)", T.argmax(0).astype(np.int32), x=T)
matrix("argmax-keep-dims", "tl.argmax(x, 1, keep_dims=True) + (x * 0).to(tl.int32)",
       np.repeat(T.argmax(1)[:, None], 16, 1).astype(np.int32), x=T)
matrix("argmax-any-tie", "tl.sum(tl.where(c == tl.argmax(x, 1, tie_break_left=False)[:, None], x, 0.0), 1)", T.max(1), x=T)
for warps in (1, 8):
    V = normal(1024, seed=3)
    case(f"argmax-vector-{warps}w", I.format(n=1024) + "tl.store(OUT, tl.argmax(x, 0))\n", X=V, OUT=Out(i32(V.argmax())), _warps=warps)
case("max-with-indices", GRID2.format(m=32, n=16) + "v, p = tl.max(x, 1, return_indices=True)\nk = tl.arange(0, 32)\n"
     "tl.store(OUT + k, v)\ntl.store(PLACE + k, p)\n", X=T, OUT=Out(T.max(1)), PLACE=Out(T.argmax(1).astype(np.int32)))
case("min-with-indices", GRID2.format(m=32, n=16) + "v, p = tl.min(x, 0, return_indices=True)\nk = tl.arange(0, 16)\n"
     "tl.store(OUT + k, v)\ntl.store(PLACE + k, p)\n", X=T, OUT=Out(T.min(0)), PLACE=Out(T.argmin(0).astype(np.int32)))

# General reductions: any associative function, in order; several tiles at once.
FIRST = "@triton.jit\ndef first(a, b):\n    return a\n\n\n@triton.jit\ndef last(a, b):\n    return b\n"
matrix("reduce-product", "tl.reduce(x, 1, multiply)", np.where(X[:, :4] == 0, 1, X[:, :4]).prod(1),
       n=4, x=np.where(X[:, :4] == 0, 1, X[:, :4]).astype(np.float32),
       _helpers="@triton.jit\ndef multiply(a, b):\n    return a * b\n")
matrix("reduce-first", "tl.reduce(x, 1, first)", X[:, 0], _helpers=FIRST)
matrix("reduce-last", "tl.reduce(x, axis=0, combine_fn=last)", X[-1, :], _helpers=FIRST)
matrix("reduce-all", "tl.reduce(x, None, last)", X[-1, -1], _helpers=FIRST)
matrix("reduce-keep-dims", "tl.reduce(x, 1, last, keep_dims=True) + 0 * x", np.repeat(X[:, -1:], 16, 1), _helpers=FIRST)
WELFORD = """@triton.jit
def welford(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    delta = mean_b - mean_a
    count = count_a + count_b
    mean = mean_a + delta * count_b / count
    return mean, m2_a + m2_b + delta * delta * count_a * count_b / count, count
"""
case("reduce-welford", GRID2.format(m=16, n=64) + "one = tl.full((16, 64), 1.0, tl.float32)\n"
     "mean, m2, count = tl.reduce((x, tl.zeros_like(x), one), 1, welford)\nk = tl.arange(0, 16)\n"
     "tl.store(MEAN + k, mean)\ntl.store(VAR + k, m2 / count)\n", X=normal(16, 64), _helpers=WELFORD,
     MEAN=Out(normal(16, 64).mean(1), rtol=1e-5), VAR=Out(normal(16, 64).var(1), rtol=1e-5))

# Scans.
for warps in (1, 4):
    matrix(f"cumsum-axis0-{warps}w", "tl.cumsum(x, 0)", X.cumsum(0), _warps=warps)
    matrix(f"cumsum-axis1-{warps}w", "tl.cumsum(x, 1)", X.cumsum(1), _warps=warps)
    matrix(f"cumsum-reverse-{warps}w", "tl.cumsum(x, 1, reverse=True)", X[:, ::-1].cumsum(1)[:, ::-1], _warps=warps)
V = random(512, seed=4)
case("cumsum-vector", I.format(n=512) + "tl.store(OUT + i, tl.cumsum(x))\n", X=V, OUT=Out(V.cumsum()))
case("cumsum-int8", I.format(n=512) + "tl.store(OUT + i, tl.cumsum(x, 0))\n", X=V.astype(np.int8), OUT=Out(V.astype(np.int32).cumsum().astype(np.int32)))
case("cumsum-dtype", I.format(n=64) + "tl.store(OUT + i, tl.cumsum(x, 0, dtype=tl.int64))\n", X=V[:64].astype(np.int32), OUT=Out(V[:64].astype(np.int64).cumsum()))
P = np.where(np.arange(64) % 3 == 0, 2, np.where(np.arange(64) % 3 == 1, 0.5, -1)).astype(np.float32)
case("cumprod", I.format(n=64) + "tl.store(OUT + i, tl.cumprod(x, 0))\n", X=P, OUT=Out(P.cumprod()))
case("scan-max", I.format(n=256) + "tl.store(OUT + i, tl.associative_scan(x, 0, greater))\n", X=normal(256),
     OUT=Out(np.maximum.accumulate(normal(256))), _helpers="@triton.jit\ndef greater(a, b):\n    return tl.maximum(a, b)\n")
LINEAR = "@triton.jit\ndef linear(a0, b0, a1, b1):\n    return a0 * a1, b0 * a1 + b1\n"


def recurrence(a, b):
    state, states = 0.0, []
    for one, other in zip(a, b):
        state = one * state + other
        states.append(state)
    return np.array(states, np.float32)


A = np.where(random(128, seed=1) > 0, 1, -1).astype(np.float32)
for reverse in (False, True):
    expected = recurrence(A, random(128, seed=2)) if not reverse else recurrence(A[::-1], random(128, seed=2)[::-1])[::-1]
    case(f"scan-recurrence{'-reverse' if reverse else ''}", "i = tl.arange(0, 128)\n"
         f"a, b = tl.associative_scan((tl.load(X + i), tl.load(Y + i)), 0, linear, reverse={reverse})\ntl.store(OUT + i, b)\n",
         X=A, Y=random(128, seed=2), OUT=Out(expected), _helpers=LINEAR)

# Sorts.
for warps in (1, 4):
    for descending in (False, True):
        sign = -1 if descending else 1
        V = normal(256, seed=6)
        case(f"sort-{'down' if descending else 'up'}-{warps}w", I.format(n=256) + f"tl.store(OUT + i, tl.sort(x, descending={descending}))\n",
             X=V, OUT=Out(sign * np.sort(sign * V)), _warps=warps)
matrix("sort-rows", "tl.sort(x, 1)", np.sort(X, 1))
matrix("sort-columns", "tl.sort(x, dim=0)", np.sort(X, 0))
matrix("sort-int", "tl.sort(x)", np.sort(XI, 1), x=XI)
matrix("topk", "tl.topk(x, 4)", -np.sort(-X, 1)[:, :4])
matrix("topk-least", "tl.topk(x, 8, dim=1, descending=False)", np.sort(X, 1)[:, :8])
for warps in (1, 4):
    case(f"flip-vector-{warps}w", I.format(n=256) + "tl.store(OUT + i, tl.flip(x))\n", X=normal(256), OUT=Out(normal(256)[::-1]), _warps=warps)
matrix("flip-axis0", "tl.flip(x, 0)", X[::-1])
matrix("flip-bools", "tl.flip(x > 0, 1).to(tl.int32)", (X > 0)[:, ::-1].astype(np.int32))

# Lookups.
INDEX = random(32, 16, seed=9, dtype=np.int32, low=0, high=16)
for warps in (1, 4):
    case(f"gather-axis1-{warps}w", GRID2.format(m=32, n=16) + "z = tl.gather(x, tl.load(INDEX + r * 16 + c), 1)\n" + store((32, 16)),
         X=X, INDEX=INDEX, OUT=Out(np.take_along_axis(X, INDEX, 1)), _warps=warps)
INDEX0 = random(8, 16, seed=9, dtype=np.int32, low=0, high=32)
case("gather-axis0-shorter", GRID2.format(m=32, n=16) + "q = tl.arange(0, 8)[:, None]\nz = tl.gather(x, tl.load(INDEX + q * 16 + c), 0)\n"
     + store((8, 16)), X=X, INDEX=INDEX0, OUT=Out(np.take_along_axis(X, INDEX0, 0)))
case("gather-fp16-vector", I.format(n=128) + "tl.store(OUT + i, tl.gather(x, (i * 7 + 3) % 128, 0))\n", X=normal(128, dtype=np.float16),
     OUT=Out(normal(128, dtype=np.float16)[(np.arange(128) * 7 + 3) % 128]))
H = random(512, seed=2, dtype=np.int32, low=0, high=30)
for warps in (1, 4):
    case(f"histogram-{warps}w", I.format(n=512) + "k = tl.arange(0, 32)\ntl.store(OUT + k, tl.histogram(x, 32))\n", X=H,
         OUT=Out(np.bincount(H, minlength=32).astype(np.int32)), _warps=warps)
case("histogram-mask", I.format(n=512) + "k = tl.arange(0, 256)\ntl.store(OUT + k, tl.histogram(x, 256, mask=i < 100))\n", X=H,
     OUT=Out(np.bincount(H[:100], minlength=256).astype(np.int32)))
matrix("softmax", "tl.softmax(x, 1)", np.exp(X - X.max(1, keepdims=True)) / np.exp(X - X.max(1, keepdims=True)).sum(1, keepdims=True),
       out=Out(np.exp(X - X.max(1, keepdims=True)) / np.exp(X - X.max(1, keepdims=True)).sum(1, keepdims=True), rtol=1e-5))
case("map-elementwise", I.format(n=64) + "a, b = tl.map_elementwise(both, x, i)\ntl.store(OUT + i, a + b)\n", X=random(64),
     OUT=Out(random(64) * 2 + arange(64) + 1), _helpers="@triton.jit\ndef both(x, i):\n    return x * 2.0, i + 1\n")
matrix("sum-ordering", "tl.sum(x, 1, reduction_ordering=None)", X.sum(1))
