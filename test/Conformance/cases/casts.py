"""Conversions between all element types; 8-bit floats exhaustively, against tables written from their formats."""
import numpy as np
from case import Out, Tensor, arange, case, f32, i32, normal, random, refused

I = "i = tl.arange(0, {n})\nx = tl.load(X + i)\n"
VALUES = np.array([0, 1, -1, 2, -3, 7, 100, -100, 5, 6, -7, 8, 9, 10, 11, 12])
NUMPY = {"int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16,
         "uint32": np.uint32, "uint64": np.uint64, "float16": np.float16, "float32": np.float32, "float64": np.float64}
for source in ("int8", "int32", "uint8", "uint32", "int64", "float16", "float32", "float64"):
    x = (np.abs(VALUES) if source.startswith("u") else VALUES).astype(NUMPY[source])
    body = I.format(n=16)
    outs = {}
    for target, dtype in NUMPY.items():
        if target == source:
            continue
        # Negative floats to unsigned integers are left out: the language does not define them.
        expression = f"tl.abs(x).to(tl.{target})" if source.startswith("float") and target.startswith("u") else f"x.to(tl.{target})"
        value = np.abs(x) if source.startswith("float") and target.startswith("u") else x
        body += f"tl.store(TO_{target} + i, {expression})\n"
        outs[f"TO_{target}"] = Out(value.astype(dtype))
    case(f"cast-from-{source}", body, X=x, **outs)
case("cast-truncates", I.format(n=8) + "tl.store(OUT + i, x.to(tl.int32))\n", X=f32(1.9, -1.9, 0.5, -0.5, 2.5, -2.5, 99.99, -99.99),
     OUT=Out(i32(1, -1, 0, 0, 2, -2, 99, -99)))
case("cast-to-bool", I.format(n=8) + "tl.store(OUT + i, x.to(tl.int1).to(tl.int32))\n", X=f32(0, 1, -0.0, 0.25, 0, -3, 0, 9), OUT=Out(i32(0, 1, 0, 1, 0, 1, 0, 1)))
H = normal(64, seed=2)
case("cast-fp16-rounds-to-even", I.format(n=64) + "tl.store(OUT + i, x.to(tl.float16))\n", X=H, OUT=Out(H.astype(np.float16)))


def bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


case("cast-bf16-rounds-to-even", I.format(n=64) + "tl.store(OUT + i, x.to(tl.bfloat16).to(tl.uint16, bitcast=True))\n", X=H, OUT=Out(bf16(H)))
case("bf16-arithmetic", I.format(n=64) + "y = x.to(tl.bfloat16)\ntl.store(OUT + i, (y + y * 2.0).to(tl.float32))\n", X=random(64), OUT=Out(3 * random(64)))
case("bitcast", I.format(n=64) + "tl.store(OUT + i, x.to(tl.int32, bitcast=True))\n", X=H, OUT=Out(H.view(np.int32)))
case("cast-toward-zero-fp16", I.format(n=64) + "tl.store(OUT + i, x.to(tl.float16, fp_downcast_rounding='rtz').to(tl.float32))\n", X=H,
     OUT=Out(np.where(np.abs(H.astype(np.float16).astype(np.float32)) > np.abs(H), (H.astype(np.float16).view(np.uint16) - 1).view(np.float16), H.astype(np.float16)).astype(np.float32)))
case("cast-toward-zero-bf16", I.format(n=64) + "tl.store(OUT + i, x.to(tl.bfloat16, fp_downcast_rounding='rtz').to(tl.float32))\n", X=H,
     OUT=Out((H.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)))
case("pointer-cast", "i = tl.arange(0, 16)\np = X.to(tl.pointer_type(tl.int32))\ntl.store(OUT + i, tl.load(p + i))\n", X=normal(16), OUT=Out(normal(16).view(np.int32)))


case("pointer-to-number", "i = tl.arange(0, 16)\na = (X + i).to(tl.int64)\nb = X.to(tl.uint64, bitcast=True)\ntl.store(OUT + i, (a - b.to(tl.int64)).to(tl.int32))\n",
     X=normal(16), OUT=Out(arange(16) * 4))
case("number-to-pointer", "i = tl.arange(0, 16)\na = X.to(tl.int64) + i * 8\np = a.to(tl.pointer_type(tl.float32), bitcast=True)\ntl.store(OUT + i, tl.load(p))\n",
     X=normal(32), OUT=Out(normal(32)[::2]))
case("number-to-pointer-scalar", "i = tl.arange(0, 16)\np = (X.to(tl.int64) + 64).to(tl.pointer_type(tl.int32))\ntl.store(OUT + i, tl.load(p + i))\n",
     X=normal(32), OUT=Out(normal(32)[16:].view(np.int32)))
case("pointer-table", "i = tl.arange(0, 16)\ntl.store(T, X.to(tl.int64))\ntl.store(T + 1, (X + 16).to(tl.int64))\ntl.debug_barrier()\nfor k in range(2):\n    p = tl.load(T + k).to(tl.pointer_type(tl.float32))\n    tl.store(OUT + k * 16 + i, tl.load(p + i))\n",
     X=normal(32), T=np.zeros(2, np.int64), OUT=Out(normal(32)))
case("pointer-is-set", "i = tl.arange(0, 16)\ntl.store(OUT + i, X.to(tl.int1).to(tl.int32) + i)\n", X=normal(16), OUT=Out(arange(16) + 1))
refused("refuse-pointer-narrow", "a = X.to(tl.int32)\n", "unsupported-cast", 1, X=normal(16))
refused("refuse-pointer-float", "a = X.to(tl.float64)\n", "unsupported-cast", 1, X=normal(16))
refused("refuse-float-pointer", "a = tl.load(X).to(tl.pointer_type(tl.int32))\n", "unsupported-cast", 1, X=normal(16))


# 8-bit floats, from the definitions: 1 sign, e exponent, m mantissa bits. e4m3: no infinities, 0x7f is nan; e5m2 as IEEE.
# Those of AMD (FNUZ): a bias that is one more, no infinities, no minus zero, whose code is the only nan.
def decode(code, exponent_bits, mantissa_bits, has_infinity, is_fnuz=False):
    sign = -1.0 if code & 0x80 else 1.0
    exponent, mantissa = code >> mantissa_bits & (1 << exponent_bits) - 1, code & (1 << mantissa_bits) - 1
    bias = (1 << exponent_bits - 1) - (0 if is_fnuz else 1)
    if is_fnuz and code == 0x80:
        return np.nan
    if has_infinity and exponent == (1 << exponent_bits) - 1:
        return sign * np.inf if mantissa == 0 else np.nan
    if not has_infinity and not is_fnuz and code & 0x7F == 0x7F:
        return np.nan
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)


FORMATS = {"float8e4nv": (4, 3, False), "float8e5": (5, 2, True), "float8e4b8": (4, 3, False, True), "float8e5b16": (5, 2, False, True)}


def table(name):
    return np.array([decode(code, *FORMATS[name]) for code in range(256)])


def encode(values, name):
    """Nearest finite, ties to the even code; what is too large becomes the largest."""
    codes = table(name)
    finite = [code for code in range(128) if np.isfinite(codes[code])]
    result = []
    for value in values:
        if np.isnan(value):
            result.append(0x80 if len(FORMATS[name]) == 4 else 0x7F)
            continue
        size = min(abs(float(value)), codes[finite[-1]])
        best = min(finite, key=lambda code: (abs(codes[code] - size), code & 1))
        minus = np.signbit(value) and not (len(FORMATS[name]) == 4 and best == 0)
        result.append(best | (0x80 if minus else 0))
    return np.array(result, np.uint8)


for name in FORMATS:
    decoded = table(name)
    shown = np.where(np.isnan(decoded), 12345.0, decoded).astype(np.float32)
    shown = np.where(np.isinf(shown), np.sign(shown) * 54321.0, shown).astype(np.float32)
    hide = "y = tl.where(y != y, 12345.0, y)\ny = tl.where(y == float('inf'), 54321.0, tl.where(y == -float('inf'), -54321.0, y))\n"
    for target in ("float32", "float16", "bfloat16"):
        case(f"{name}-to-{target}-all", f"i = tl.arange(0, 256)\ny = i.to(tl.uint8).to(tl.{name}, bitcast=True).to(tl.{target}).to(tl.float32)\n"
             + hide + "tl.store(OUT + i, y)\n", OUT=Out(shown))
    finite = decoded[np.isfinite(decoded) & (np.abs(decoded) >= 0)]
    steps = np.sort(np.unique(finite))
    # Every number of the format, every midpoint of neighbours, and what lies just beside them.
    middles = (steps[:-1] + steps[1:]) / 2
    probes = np.concatenate([steps, middles, np.nextafter(middles.astype(np.float32), np.float32(np.inf)), np.nextafter(middles.astype(np.float32), np.float32(-np.inf)),
                             [1e30, -1e30, np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-30, -1e-30]]).astype(np.float32)[:1024]
    probes = np.concatenate([probes, np.zeros(1024 - len(probes), np.float32)])
    case(f"fp32-to-{name}-all", f"i = tl.arange(0, 1024)\ny = tl.load(X + i).to(tl.{name})\ntl.store(OUT + i, y.to(tl.uint8, bitcast=True))\n",
         X=probes, OUT=Out(encode(probes, name)))
    halves = np.unique(np.concatenate([steps, middles]).astype(np.float16))[:512]
    halves = np.concatenate([halves, np.zeros(512 - len(halves), np.float16)])
    case(f"fp16-to-{name}-all", f"i = tl.arange(0, 512)\ny = tl.load(X + i).to(tl.{name})\ntl.store(OUT + i, y.to(tl.uint8, bitcast=True))\n",
         X=halves, OUT=Out(encode(halves.astype(np.float32), name)))
    case(f"int-to-{name}", f"i = tl.arange(0, 16)\ny = (i - 8).to(tl.{name})\ntl.store(OUT + i, y.to(tl.int32))\n", OUT=Out(arange(16) - 8))
    case(f"{name}-load-store", "i = tl.arange(0, 16)\nx = tl.load(X + i)\ntl.store(OUT + i, tl.where(i < 8, x, 0.0))\n",
         X=Tensor(np.array(VALUES % 16, np.float32), "fp" + name[5:]),
         OUT=Out(np.where(arange(16) < 8, table(name)[encode((VALUES % 16).astype(np.float32), name)], 0).astype(np.float32), "fp" + name[5:]))
    case(f"{name}-scalar", f"x = tl.load(X).to(tl.{name})\ntl.store(OUT, x.to(tl.float32))\n", X=f32(1.3), OUT=Out(table(name)[encode([1.3], name)].astype(np.float32)))
# From one format to another: by way of what holds both, with one rounding.
for source, target in (("float8e4nv", "float8e4b8"), ("float8e4b8", "float8e4nv"), ("float8e5b16", "float8e4b8"), ("float8e5", "float8e5b16")):
    numbers = [code for code in range(256) if np.isfinite(table(source)[code])]
    filled = (numbers + [0] * 256)[:256]
    case(f"{source}-to-{target}", f"i = tl.arange(0, 256)\ny = tl.load(X + i).to(tl.{source}, bitcast=True).to(tl.{target})\ntl.store(OUT + i, y.to(tl.uint8, bitcast=True))\n",
         X=np.array(filled, np.uint8), OUT=Out(encode(table(source)[filled], target)))
