"""tl.math and libdevice: every function against numpy's or Python's double precision, with its stated accuracy."""
import math
import numpy as np
from case import Out, arange, case, f32, i32, normal, random

N = 256
I = "i = tl.arange(0, 256)\nx = tl.load(X + i)\n"


def of(function, x):
    return np.array([function(float(v)) for v in x])


def unary(name, call, x, expected, rtol=2e-7, **options):
    """The relative error of the whole, and no element further off than that of the largest."""
    expected = np.asarray(expected, dtype=np.float64).astype(x.dtype)
    case(name, I + f"tl.store(OUT + i, {call})\n", X=x, OUT=Out(expected, rtol=rtol, **options))


def spread(low, high, dtype=np.float32):
    return np.linspace(low, high, N).astype(dtype)


S, POSITIVE = spread(-5, 5), spread(0.01, 40)
UNARY = [("exp", S, math.exp), ("exp2", S, lambda v: 2.0 ** v), ("exp10", S, lambda v: 10.0 ** v), ("log", POSITIVE, math.log),
         ("log2", POSITIVE, math.log2), ("log10", POSITIVE, math.log10), ("expm1", spread(-0.5, 0.5), math.expm1),
         ("log1p", spread(-0.4, 0.6), math.log1p), ("sinh", S, math.sinh), ("cosh", S, math.cosh), ("tanh", S, math.tanh),
         ("asinh", S, math.asinh), ("acosh", spread(1, 9), math.acosh), ("atanh", spread(-0.99, 0.99), math.atanh),
         ("sqrt", POSITIVE, math.sqrt), ("cbrt", S, lambda v: math.copysign(abs(v) ** (1 / 3), v)),
         ("rcbrt", POSITIVE, lambda v: v ** (-1 / 3)), ("sin", spread(-1000, 1000), math.sin), ("cos", spread(-1000, 1000), math.cos),
         ("tan", spread(-1.5, 1.5), math.tan), ("atan", spread(-9, 9), math.atan), ("asin", spread(-1, 1), math.asin),
         ("acos", spread(-1, 1), math.acos), ("erfc", S, math.erfc), ("rint", spread(-3, 3), round),
         ("trunc", spread(-3, 3), math.trunc), ("round", spread(-3, 3), lambda v: math.copysign(math.floor(abs(v) + 0.5), v)),
         ("floor", spread(-3, 3), math.floor), ("ceil", spread(-3, 3), math.ceil), ("fabs", S, abs)]
for name, x, function in UNARY:
    unary(f"libdevice-{name}", f"libdevice.{name}(x)", x, of(function, x))
# No element loses its digits near zero.
for name, function in (("expm1", math.expm1), ("log1p", math.log1p), ("asinh", math.asinh), ("sin", math.sin), ("tanh", math.tanh)):
    x = (10.0 ** np.linspace(-9, -2, N)).astype(np.float32)
    case(f"libdevice-{name}-small", I + f"tl.store(OUT + i, libdevice.{name}(x) / x)\n", X=x, OUT=Out((of(function, x) / x).astype(np.float32), rtol=2e-7, atol=3e-7))
for name, function in (("exp", math.exp), ("log", lambda v: math.log(v) if v > 0 else -math.inf), ("tanh", math.tanh), ("log1p", math.log1p)):
    x = (10.0 ** np.linspace(-300, 2, N))
    unary(f"libdevice-{name}-fp64", f"libdevice.{name}(x)", x, of(function, x), rtol=4e-16)
# The functions that fp32 approximates are exact in fp64.
D, DP = spread(-6, 6, np.float64), spread(0.01, 9, np.float64)
for name, x, expected in (("exp", D, np.exp(D)), ("exp2", D, np.exp2(D)), ("log", DP, np.log(DP)), ("log2", DP, np.log2(DP)), ("rsqrt", DP, 1 / np.sqrt(DP)),
                          ("sin", D, np.sin(D)), ("cos", D, np.cos(D)), ("math.tanh", D, np.tanh(D)), ("sigmoid", D, 1 / (1 + np.exp(-D)))):
    unary(f"{name}-fp64", f"tl.{name}(x)", x, expected, rtol=1e-14)
case("exp-fp64-scalar", "x = tl.load(X)\ntl.store(OUT, tl.exp(x) + x.exp2())\n", X=np.array([1.5]), OUT=Out(np.array([math.exp(1.5) + 2 ** 1.5]), rtol=1e-15))
case("softmax-fp64", "i = tl.arange(0, 64)\nx = tl.load(X + i)\ntl.store(OUT + i, tl.softmax(x))\n", X=D[:64], OUT=Out(np.exp(D[:64] - D[:64].max()) / np.exp(D[:64] - D[:64].max()).sum(), rtol=1e-14))
unary("libdevice-sin-fp64", "libdevice.sin(x)", spread(-30, 30, np.float64), np.sin(spread(-30, 30, np.float64)), rtol=1e-14)
unary("math-erf", "tl.math.erf(x)", S, of(math.erf, S))
unary("erf-alias", "tl.erf(x) + libdevice.erf(x)", S, 2 * of(math.erf, S))
unary("erfc-tail", "libdevice.erfc(x)", spread(3, 9), of(math.erfc, spread(3, 9)), rtol=3e-7)
unary("pow", "libdevice.pow(x, 2.5)", POSITIVE, POSITIVE.astype(np.float64) ** 2.5)
unary("pow-negative-base", "libdevice.pow(x, 3.0)", S, S.astype(np.float64) ** 3)
unary("pow-large", "libdevice.pow(x, 20.0)", spread(0.5, 3), spread(0.5, 3).astype(np.float64) ** 20)
for name, function in (("hypot", np.hypot), ("atan2", np.arctan2), ("fmod", np.fmod), ("copysign", np.copysign)):
    y = normal(N, seed=5)
    case(f"libdevice-{name}", I + f"tl.store(OUT + i, libdevice.{name}(x, tl.load(Y + i)))\n", X=S, Y=y,
         OUT=Out(function(S.astype(np.float64), y.astype(np.float64)).astype(np.float32), rtol=3e-7))
SPECIALS = f32(np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -2.0, 1e-40)
for name, expected in (("isnan", np.isnan(SPECIALS)), ("isinf", np.isinf(SPECIALS)), ("isfinited", np.isfinite(SPECIALS)), ("signbit", np.signbit(SPECIALS))):
    if name == "signbit":
        SPECIALS = np.abs(SPECIALS) * np.where(np.signbit(SPECIALS), -1, 1).astype(np.float32)
    case(f"libdevice-{name}", f"i = tl.arange(0, 8)\ntl.store(OUT + i, libdevice.{name}(tl.load(X + i)))\n", X=SPECIALS, OUT=Out(expected.astype(np.int32)))
WORDS = np.random.default_rng(1).integers(0, 2**32, N, dtype=np.uint32)
WORDS[:3] = 0, 1, 2**31
INTS = WORDS.view(np.int32)
for name, function in (("popc", lambda v: bin(v).count("1")), ("clz", lambda v: 32 - v.bit_length()),
                       ("ffs", lambda v: (v & -v).bit_length()), ("brev", lambda v: int(f"{v:032b}"[::-1], 2) - (2**32 if v & 1 else 0))):
    case(f"libdevice-{name}", I + f"tl.store(OUT + i, libdevice.{name}(x))\n", X=INTS, OUT=Out(np.array([function(int(v)) for v in WORDS], np.int64).astype(np.int32)))
case("float-bits", I + "b = libdevice.float_as_int(x)\ntl.store(BITS + i, b)\ntl.store(OUT + i, libdevice.int_as_float(b))\n", X=S, BITS=Out(S.view(np.int32)), OUT=Out(S))

# The fast ones.
unary("exp", "tl.exp(x)", S, np.exp(S.astype(np.float64)), rtol=1e-6)
unary("exp2", "tl.exp2(x)", S, np.exp2(S.astype(np.float64)), rtol=1e-6)
unary("math-exp2", "tl.math.exp2(x)", S, np.exp2(S.astype(np.float64)), rtol=1e-6)
unary("log", "tl.log(x)", POSITIVE, np.log(POSITIVE.astype(np.float64)), rtol=1e-6)
unary("log2", "tl.log2(x)", POSITIVE, np.log2(POSITIVE.astype(np.float64)), rtol=1e-6)
unary("sqrt", "tl.sqrt(x)", POSITIVE, np.sqrt(POSITIVE.astype(np.float64)))
unary("rsqrt", "tl.rsqrt(x)", POSITIVE, 1 / np.sqrt(POSITIVE.astype(np.float64)), rtol=1e-6)
unary("sin", "tl.sin(x)", spread(-3, 3), np.sin(spread(-3, 3).astype(np.float64)), rtol=1e-5)
unary("cos", "tl.cos(x)", spread(-3, 3), np.cos(spread(-3, 3).astype(np.float64)), rtol=1e-5)
unary("tanh", "tl.math.tanh(x)", S, np.tanh(S.astype(np.float64)), rtol=1e-3)
unary("sigmoid", "tl.sigmoid(x)", S, 1 / (1 + np.exp(-S.astype(np.float64))), rtol=1e-6)
unary("floor-ceil", "tl.floor(x) + tl.ceil(x)", S, np.floor(S) + np.ceil(S))
unary("abs", "tl.abs(x) + abs(x)", S, 2 * np.abs(S))
unary("fdiv", "tl.fdiv(x, 3.0) + tl.math.div_rn(x, 3.0)", S, 2 * S.astype(np.float64) / 3)
unary("methods", "x.exp() + x.abs().sqrt() + (x * x + 1.0).log()", S, np.exp(S.astype(np.float64)) + np.sqrt(np.abs(S)) + np.log(S.astype(np.float64)**2 + 1), rtol=1e-6)
for name, function in (("exp", np.exp), ("sqrt", lambda v: np.sqrt(np.abs(v))), ("sigmoid", lambda v: 1 / (1 + np.exp(-v)))):
    x = normal(N, dtype=np.float16)
    case(f"{name}-fp16", I + f"tl.store(OUT + i, tl.{name}({'tl.abs(x)' if name == 'sqrt' else 'x'}))\n", X=x, OUT=Out(function(x.astype(np.float32)).astype(np.float16), rtol=1e-3))


# Random numbers: Philox computed again here, word by word.
def philox(seed, counter, rounds=10):
    c, k = [int(v) for v in counter], [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(rounds):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & 0xFFFFFFFF, a >> 32 ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return c


def words(seed, count, rounds=10):
    return np.array([philox(seed, (i, 0, 0, 0), rounds) for i in range(count)], np.uint32)


def uniform(bits):
    signed = bits.view(np.int32)
    return (np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)).astype(np.float32)


SEED = 1234567
W = words(SEED, 64)
# The published test vector of the algorithm: all counters and keys zero.
assert philox(0, (0, 0, 0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
case("philox-vector", "z = tl.arange(0, 1).to(tl.uint32)\na, b, c, d = tl.philox(0, z, z, z, z)\nk = tl.arange(0, 1)\n"
     "tl.store(OUT + k, a)\ntl.store(OUT + 1 + k, b)\ntl.store(OUT + 2 + k, c)\ntl.store(OUT + 3 + k, d)\n",
     OUT=Out(np.array([0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8], np.uint32)))
case("philox-impl", "z = tl.arange(0, 1).to(tl.uint32)\na, b, c, d = tl.philox_impl(z, z, z, z, z, z)\ntl.store(OUT + tl.arange(0, 1), a)\n",
     OUT=Out(np.array([0x6627E8D5], np.uint32)))
R = "i = tl.arange(0, 64)\n"
case("randint4x", R + "a, b, c, d = tl.randint4x(tl.load(SEED), i)\ntl.store(OUT + i * 4, a)\ntl.store(OUT + i * 4 + 1, b)\n"
     "tl.store(OUT + i * 4 + 2, c)\ntl.store(OUT + i * 4 + 3, d)\n", SEED=i32(SEED), OUT=Out(W.reshape(-1)))
case("randint-rounds", R + "tl.store(OUT + i, tl.randint(1234567, i, n_rounds=7))\n", OUT=Out(words(SEED, 64, 7)[:, 0].copy()))
case("rand", R + "tl.store(OUT + i, tl.rand(1234567, i))\n", OUT=Out(uniform(W[:, 0].copy()), rtol=1e-7))
case("rand4x", R + "a, b, c, d = tl.rand4x(1234567, i)\ntl.store(OUT + i, a + b + c + d)\n", OUT=Out(sum(uniform(W[:, k].copy()) for k in range(4)), rtol=1e-6))
U = [uniform(W[:, k].copy()).astype(np.float64) for k in range(4)]
case("randn", R + "tl.store(OUT + i, tl.randn(1234567, i))\n", OUT=Out((np.sqrt(-2 * np.log(np.maximum(1e-7, U[0]))) * np.cos(2 * np.pi * U[1])).astype(np.float32), rtol=1e-4))
case("randn4x", R + "a, b, c, d = tl.randn4x(1234567, i)\ntl.store(OUT + i, a + c)\n",
     OUT=Out((np.sqrt(-2 * np.log(np.maximum(1e-7, U[0]))) * np.cos(2 * np.pi * U[1]) + np.sqrt(-2 * np.log(np.maximum(1e-7, U[2]))) * np.cos(2 * np.pi * U[3])).astype(np.float32), rtol=1e-4))
case("uniform-and-normal", R + "u = tl.uint_to_uniform_float(tl.randint(1234567, i))\na, b = tl.pair_uniform_to_normal(u, u)\n"
     "tl.store(OUT + i, a * a + b * b)\n", OUT=Out((-2 * np.log(np.maximum(1e-7, U[0]))).astype(np.float32), rtol=1e-4))
