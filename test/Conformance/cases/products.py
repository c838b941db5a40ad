"""Matrix products: tl.dot on every path (tensor cores, threads), tlx.async_dot from shared memory and registers."""
import numpy as np
from case import Out, Tensor, arange, case, f32, i32, normal, random, refused

LOADS = ("m = tl.arange(0, {m})\nn = tl.arange(0, {n})\nk = tl.arange(0, {k})\n"
         "a = tl.load(A + m[:, None] * {k} + k[None, :])\nb = tl.load(B + k[:, None] * {n} + n[None, :])\n")
STORE = "tl.store(OUT + m[:, None] * {n} + n[None, :], z)\n"


def exact(a, b):
    wide = np.int64 if a.dtype.kind in "iu" else np.float64
    return a.astype(wide) @ b.astype(wide)


def product(name, m, n, k, dtype, expression="tl.dot(a, b)", out=np.float32, element=None, rtol=0.0, convert="", low=-4, high=5, **options):
    source = np.dtype(dtype)
    a, b = random(m, k, seed=1, dtype=source, low=low, high=high), random(k, n, seed=2, dtype=source, low=low, high=high)
    wrap = (lambda v: Tensor(v, element)) if element else (lambda v: Tensor(v))
    case(name, (LOADS + convert + f"z = {expression}\n" + STORE).format(m=m, n=n, k=k), A=wrap(a), B=wrap(b),
         OUT=Out(exact(a, b).astype(out), rtol=rtol), **options)


# Where wgmma fits, and where it does not.
for m, n, k, warps in ((64, 64, 32, 4), (128, 64, 64, 4), (64, 16, 16, 4), (128, 128, 32, 8), (64, 8, 16, 4), (16, 16, 16, 4),
                       (32, 16, 64, 1), (64, 64, 16, 2), (16, 64, 128, 4)):
    product(f"dot-fp16-{m}x{n}x{k}-{warps}w", m, n, k, np.float16, _warps=warps)
product("dot-bf16", 64, 32, 32, np.float32, element="bf16")
product("dot-bf16-small", 16, 16, 16, np.float32, element="bf16")
product("dot-tf32", 64, 32, 16, np.float32)
product("dot-fp32-ieee", 32, 32, 32, np.float32, "tl.dot(a, b, input_precision='ieee')")
product("dot-fp32-no-tf32", 64, 32, 32, np.float32, "tl.dot(a, b, allow_tf32=False)")
A3, B3 = normal(64, 32, seed=1), normal(32, 32, seed=2)
case("dot-tf32x3-accuracy", (LOADS + "z = tl.dot(a, b, input_precision='tf32x3')\n" + STORE).format(m=64, n=32, k=32), A=A3, B=B3,
     OUT=Out((A3.astype(np.float64) @ B3).astype(np.float32), rtol=2e-6))
case("dot-tf32-accuracy", (LOADS + "z = tl.dot(a, b)\n" + STORE).format(m=64, n=32, k=32), A=A3, B=B3,
     OUT=Out((A3.astype(np.float64) @ B3).astype(np.float32), rtol=2e-3))
product("dot-fp64", 16, 16, 16, np.float64, out=np.float64)
product("dot-int8", 64, 32, 32, np.int8, out=np.int32, low=-128, high=128)
product("dot-int8-small", 16, 16, 32, np.int8, out=np.int32, low=-128, high=128)
product("dot-uint8", 16, 16, 32, np.uint8, out=np.int32, low=0, high=255)
product("dot-int32", 16, 16, 16, np.int32, out=np.int32)
product("dot-fp8e4nv", 64, 32, 32, np.float32, element="fp8e4nv")
product("dot-fp8e5", 64, 32, 64, np.float32, element="fp8e5")
product("dot-fp8e4b8", 64, 32, 32, np.float32, element="fp8e4b8")
product("dot-fp8e5b16", 64, 32, 64, np.float32, element="fp8e5b16")
product("dot-fp8-small", 16, 16, 32, np.float32, element="fp8e4nv")
product("dot-accumulator", 64, 32, 32, np.float16, "tl.dot(a, b, acc=tl.dot(a, b)) - tl.dot(a, b)")
product("dot-out-fp16", 64, 32, 32, np.float16, "tl.dot(a, b, out_dtype=tl.float16)", out=np.float16)
product("dot-acc-fp16", 16, 16, 16, np.float16, "tl.dot(a, b, tl.zeros((16, 16), tl.float16))", out=np.float16)
product("dot-transposed-operands", 64, 64, 64, np.float16, "tl.trans(tl.dot(tl.trans(b), tl.trans(a)))")
product("dot-computed-left", 64, 32, 32, np.float16, "tl.dot((a * 2.0).to(tl.float16), b) * 0.5")
product("dot-chained", 64, 64, 64, np.float16, "tl.dot(tl.dot(a, b).to(tl.float16), (k[:, None] == n[None, :]).to(tl.float16))", low=-2, high=3)
AA, BB = random(4, 16, 16, seed=1, dtype=np.float16), random(4, 16, 16, seed=2, dtype=np.float16)
case("dot-batched", "q = tl.arange(0, 4)[:, None, None]\nr = tl.arange(0, 16)[None, :, None]\nc = tl.arange(0, 16)[None, None, :]\n"
     "o = q * 256 + r * 16 + c\ntl.store(OUT + o, tl.dot(tl.load(A + o), tl.load(B + o)))\n", A=AA, B=BB, OUT=Out(np.matmul(AA.astype(np.float32), BB.astype(np.float32))))
LOOP = ("m = tl.arange(0, {m})\nn = tl.arange(0, {n})\nk = tl.arange(0, {bk})\nacc = tl.zeros(({m}, {n}), tl.float32)\n"
        "for start in range(0, {k}, {bk}):\n    a = tl.load(A + m[:, None] * {k} + start + k[None, :])\n"
        "    b = tl.load(B + (start + k[:, None]) * {n} + n[None, :])\n    acc = tl.dot(a, b, acc)\nz = acc\n" + STORE)
for m, n, k, bk, warps in ((64, 64, 256, 32, 4), (128, 128, 128, 64, 8), (32, 32, 64, 16, 4)):
    a, b = random(m, k, seed=1, dtype=np.float16), random(k, n, seed=2, dtype=np.float16)
    case(f"dot-loop-{m}x{n}x{k}", LOOP.format(m=m, n=n, k=k, bk=bk), A=a, B=b, OUT=Out(exact(a, b).astype(np.float32)), _warps=warps)
# The same operand in every iteration is staged once.
case("dot-loop-invariant-left", "m = tl.arange(0, 64)\nk = tl.arange(0, 32)\na = tl.load(A + m[:, None] * 32 + k[None, :])\nfor s in range(3):\n"
     "    b = tl.load(B + s * 1024 + k[:, None] * 32 + k[None, :])\n    z = tl.dot(a, b)\n    tl.store(OUT + s * 2048 + m[:, None] * 32 + k[None, :], z)\n",
     A=random(64, 32, seed=1, dtype=np.float16), B=random(3, 32, 32, seed=2, dtype=np.float16),
     OUT=Out(np.matmul(random(64, 32, seed=1, dtype=np.float32), random(3, 32, 32, seed=2, dtype=np.float32))))

# tlx.async_dot.
STAGE = ("m = tl.arange(0, {m})\nn = tl.arange(0, {n})\nk = tl.arange(0, {k})\n"
         "sa = tlx.local_alloc(({m}, {k}), tl.{t}, 1)\nsb = tlx.local_alloc(({sbr}, {sbc}), tl.{t}, 1)\n"
         "tlx.local_store(sa[0], tl.load(A + m[:, None] * {k} + k[None, :]))\n"
         "tlx.local_store(sb[0], tl.load(B + tl.arange(0, {sbr})[:, None] * {sbc} + tl.arange(0, {sbc})[None, :]))\n")
for t, dtype, element, transposed in (("float16", np.float16, None, False), ("bfloat16", np.float32, "bf16", False), ("float16", np.float16, None, True),
                                      ("float32", np.float32, None, True), ("float8e4nv", np.float32, "fp8e4nv", True), ("float8e5", np.float32, "fp8e5", True), ("int8", np.int8, None, True)):
    m, n, k = 64, 32, 64
    a, b = random(m, k, seed=1, dtype=dtype), random(k, n, seed=2, dtype=dtype)
    stored = np.ascontiguousarray(b.T) if transposed else b
    wrap = (lambda v: Tensor(v, element)) if element else (lambda v: Tensor(v))
    right = "tlx.local_trans(sb[0])" if transposed else "sb[0]"
    case(f"async-dot-{t}{'-kmajor' if transposed else ''}", (STAGE + f"z = tlx.async_dot(sa[0], {right})\nz = tlx.async_dot_wait(0, z)\n" + STORE).format(
        m=m, n=n, k=k, t=t, sbr=stored.shape[0], sbc=stored.shape[1]), A=wrap(a), B=wrap(stored), OUT=Out(exact(a, b).astype(np.int32 if t == "int8" else np.float32)))
# Sums in 16-bit floats, exact as long as they stay below 2048; several products into the same registers.
for name, t, dtype, element, rows, columns, warps in (("float16", "float16", np.float16, None, 64, 32, 4), ("float16-wide", "float16", np.float16, None, 128, 128, 8),
                                                      ("float8e4nv", "float8e4nv", np.float32, "fp8e4nv", 64, 32, 4), ("float8e5", "float8e5", np.float32, "fp8e5", 64, 16, 4)):
    k = 64
    a, b = random(rows, k, seed=1, dtype=dtype, low=-2, high=3), random(k, columns, seed=2, dtype=dtype, low=-2, high=3)
    wrap = (lambda v: Tensor(v, element)) if element else (lambda v: Tensor(v))
    case(f"async-dot-sum-fp16-{name}", (STAGE + "z = tl.full(({m}, {n}), 1.0, tl.float16)\nfor i in range(3):\n    z = tlx.async_dot(sa[0], tlx.local_trans(sb[0]), z)\n"
         "    z = tlx.async_dot_wait(0, z)\n" + STORE).format(m=rows, n=columns, k=k, t=t, sbr=columns, sbc=k),
         A=wrap(a), B=wrap(np.ascontiguousarray(b.T)), OUT=Out((3 * exact(a, b) + 1).astype(np.float16)), _warps=warps)
# Unsigned bytes, alone and with signed ones.
for left, right in ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.uint8)):
    limits = {np.uint8: (0, 256), np.int8: (-128, 128)}
    a = random(64, 64, seed=1, dtype=left, low=limits[left][0], high=limits[left][1])
    b = random(32, 64, seed=2, dtype=right, low=limits[right][0], high=limits[right][1])
    stage = STAGE.format(m=64, n=32, k=64, t=np.dtype(left).name, sbr=32, sbc=64)
    stage = stage.replace(f"sb = tlx.local_alloc((32, 64), tl.{np.dtype(left).name}", f"sb = tlx.local_alloc((32, 64), tl.{np.dtype(right).name}")
    case(f"async-dot-{np.dtype(left).name}-{np.dtype(right).name}", stage + "z = tlx.async_dot(sa[0], tlx.local_trans(sb[0]))\nz = tlx.async_dot_wait(0, z)\n" +
         STORE.format(n=32), A=a, B=b, OUT=Out(exact(a, b.T).astype(np.int32)))
# The same of tiles in registers: by tensor cores, and where shapes are too small for them.
for left, right in ((np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.uint8)):
    for m, n, k in ((64, 32, 64), (16, 16, 32)):
        limits = {np.uint8: (0, 256), np.int8: (-128, 128)}
        a = random(m, k, seed=1, dtype=left, low=limits[left][0], high=limits[left][1])
        b = random(k, n, seed=2, dtype=right, low=limits[right][0], high=limits[right][1])
        case(f"dot-{np.dtype(left).name}-{np.dtype(right).name}-{m}", (LOADS + "z = tl.dot(a, b)\n" + STORE).format(m=m, n=n, k=k),
             A=a, B=b, OUT=Out(exact(a, b).astype(np.int32)))
a, b = random(64, 64, seed=1, dtype=np.float16), random(64, 32, seed=2, dtype=np.float16)
FORM = dict(m=64, n=32, k=64, t="float16", sbr=64, sbc=32)
case("async-dot-left-in-registers", (STAGE + "ra = tl.load(A + m[:, None] * 64 + k[None, :])\nz = tlx.async_dot_wait(0, tlx.async_dot(ra, sb[0]))\n" + STORE).format(**FORM), A=a, B=b, OUT=Out(exact(a, b).astype(np.float32)))
for t, element, dtype in (("float8e4nv", "fp8e4nv", np.float32), ("float8e5", "fp8e5", np.float32), ("int8", None, np.int8), ("float32", None, np.float32)):
    ra, rb = random(64, 64, seed=1, dtype=dtype), random(32, 64, seed=2, dtype=dtype)
    wrap = (lambda v: Tensor(v, element)) if element else Tensor
    case(f"async-dot-left-in-registers-{t}", (STAGE + "ra = tl.load(A + m[:, None] * 64 + k[None, :])\nz = tlx.async_dot_wait(0, tlx.async_dot(ra, tlx.local_trans(sb[0])))\n" + STORE).format(
        m=64, n=32, k=64, t=t, sbr=32, sbc=64), A=wrap(ra), B=wrap(rb), OUT=Out(exact(ra, rb.T).astype(np.int32 if t == "int8" else np.float32)))
case("async-dot-use-acc", (STAGE + "z = tl.full((64, 32), 5.0, tl.float32)\nfor i in range(3):\n    z = tlx.async_dot(sa[0], sb[0], z, use_acc=i > 0)\n    z = tlx.async_dot_wait(0, z)\n" + STORE).format(**FORM),
     A=a, B=b, OUT=Out(3 * exact(a, b).astype(np.float32)))
# Skipped under a condition of the whole task: the accumulator stays, or is zero where there is none.
case("async-dot-pred", (STAGE + "z = tl.full((64, 32), 5.0, tl.float32)\nfor i in range(4):\n    z = tlx.async_dot(sa[0], sb[0], z, pred=i % 2 == 0)\n    z = tlx.async_dot_wait(0, z)\n" + STORE).format(**FORM),
     A=a, B=b, OUT=Out(5 + 2 * exact(a, b).astype(np.float32)))
case("async-dot-pred-use-acc", (STAGE + "z = tl.full((64, 32), 5.0, tl.float32)\nfor i in range(4):\n    z = tlx.async_dot(sa[0], sb[0], z, use_acc=i > 1, pred=i > 0)\n    z = tlx.async_dot_wait(0, z)\n" + STORE).format(**FORM),
     A=a, B=b, OUT=Out(3 * exact(a, b).astype(np.float32)))
case("async-dot-pred-alone", (STAGE + "y = tlx.async_dot_wait(0, tlx.async_dot(sa[0], sb[0], pred=tl.program_id(0) > 0))\nz = tlx.async_dot_wait(0, tlx.async_dot(sa[0], sb[0], y + 1.0, pred=False))\n" + STORE).format(**FORM),
     A=a, B=b, OUT=Out(np.ones((64, 32), np.float32)))
refused("refuse-dot-barriers", STAGE.format(**FORM) + "done = tlx.alloc_barriers(1)\nz = tlx.async_dot(sa[0], sb[0], mBarriers=[done[0]])\n", "unsupported-option", 9, A=a, B=b)
refused("refuse-dot-pred-tile", STAGE.format(**FORM) + "z = tlx.async_dot(sa[0], sb[0], pred=m > 0)\n", "argument-type", 8, A=a, B=b)
case("async-dot-two-in-flight", (STAGE + "y = tlx.async_dot(sa[0], sb[0])\nz = tlx.async_dot(sa[0], sb[0])\ny = tlx.async_dot_wait(1, y)\nz = tlx.async_dot_wait(0, z)\nz = z + y\n" + STORE).format(**FORM),
     A=a, B=b, OUT=Out(2 * exact(a, b).astype(np.float32)))

# Sizes that fill no tile; K of part of a step, of one, of several and a rest. Every type, exact.
EDGE = ("m = tl.arange(0, 64)\nn = tl.arange(0, 64)\nk = tl.arange(0, 32)\nacc = tl.zeros((64, 64), {sum})\n"
        "for s in range(0, K, 32):\n"
        "    a = tl.load(A + m[:, None] * K + s + k[None, :], mask=(m[:, None] < 50) & (s + k[None, :] < K), other=0)\n"
        "    b = tl.load(B + (s + k[:, None]) * 40 + n[None, :], mask=(s + k[:, None] < K) & (n[None, :] < 40), other=0)\n"
        "    acc = tl.dot(a, b, acc)\n"
        "tl.store(OUT + m[:, None] * 40 + n[None, :], acc, mask=(m[:, None] < 50) & (n[None, :] < 40))\n")
for name, dtype, element in (("fp16", np.float16, None), ("bf16", np.float32, "bf16"), ("fp32", np.float32, None), ("int8", np.int8, None), ("fp8e4nv", np.float32, "fp8e4nv"),
                             ("fp8e5", np.float32, "fp8e5"), ("fp8e4b8", np.float32, "fp8e4b8"), ("fp8e5b16", np.float32, "fp8e5b16")):
    for k in (16, 32, 104):
        a, b = random(50, k, seed=1, dtype=dtype), random(k, 40, seed=2, dtype=dtype)
        wrap = (lambda v: Tensor(v, element)) if element else (lambda v: Tensor(v))
        case(f"dot-edge-{name}-{k}", EDGE.format(sum="tl.int32" if name == "int8" else "tl.float32"), A=wrap(a), B=wrap(b), K=k,
             OUT=Out(exact(a, b).astype(np.int32 if name == "int8" else np.float32)), _seeds=20 if k == 104 else 1)
# The 8-bit floats of AMD, which NVIDIA's tensor cores do not multiply.
for t in ("float8e4b8", "float8e5b16"):
    a, b = random(64, 64, seed=1), random(64, 32, seed=2)
    stage = STAGE.format(m=64, n=32, k=64, t=t, sbr=32, sbc=64)
    case(f"async-dot-{t}", stage + "z = tlx.async_dot(sa[0], tlx.local_trans(sb[0]))\nz = tlx.async_dot_wait(0, z)\n" + STORE.format(n=32), A=Tensor(a, "fp" + t[5:]),
         B=Tensor(np.ascontiguousarray(b.T), "fp" + t[5:]), OUT=Out(exact(a, b).astype(np.float32)), _targets=("gfx942", "gfx950"))
