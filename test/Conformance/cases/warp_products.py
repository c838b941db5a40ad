"""Products by single warps (mma.sync): types, shapes and numbers of warps that warp groups cannot do."""
import numpy as np
from case import Out, Tensor, arange, case, normal, random

from .products import LOADS, STORE, exact, product

HALF = dict(dtype=np.float16)
ELEMENTS = {"fp16": HALF, "bf16": dict(dtype=np.float32, element="bf16"), "tf32": dict(dtype=np.float32),
            "fp8e4nv": dict(dtype=np.float32, element="fp8e4nv"), "fp8e5": dict(dtype=np.float32, element="fp8e5"),
            "int8": dict(dtype=np.int8, out=np.int32, low=-128, high=128)}
DEPTH = {"fp16": 16, "bf16": 16, "tf32": 8, "fp8e4nv": 32, "fp8e5": 32, "int8": 32}
# Each number of rows, columns and warps with each type, K of one step and of several; the columns of a warp from 8 to all.
SHAPES = ((16, 8, 1, 1), (16, 16, 4, 2), (16, 64, 2, 4), (32, 8, 1, 2), (32, 32, 2, 8), (64, 16, 2, 2), (64, 64, 1, 1), (16, 128, 2, 8))
for kind, options in ELEMENTS.items():
    for turn, (m, n, steps, warps) in enumerate(SHAPES):
        product(f"warp-{kind}-{m}x{n}x{steps * DEPTH[kind]}-{warps}w", m, n, steps * DEPTH[kind], _warps=warps, _seeds=2 if turn == 1 else 1, **options)
product("warp-fp16-16x128x128", 16, 128, 128, np.float16, _seeds=3)
product("warp-fp16-large", 64, 128, 64, np.float16, _warps=2)

# Either operand across its rows in memory; K is then consecutive for B, and not for A.
TURNED = ("m = tl.arange(0, {m})\nn = tl.arange(0, {n})\nk = tl.arange(0, {k})\n"
          "a = {a}\nb = {b}\n")
PLAIN_A, TURNED_A = "tl.load(A + m[:, None] * {k} + k[None, :])", "tl.trans(tl.load(A + k[:, None] * {m} + m[None, :]))"
PLAIN_B, TURNED_B = "tl.load(B + k[:, None] * {n} + n[None, :])", "tl.trans(tl.load(B + n[:, None] * {k} + k[None, :]))"
for kind, options in ELEMENTS.items():
    source = np.dtype(options["dtype"])
    m, n, k = 32, 32, 64
    a, b = random(m, k, seed=1, dtype=source), random(k, n, seed=2, dtype=source)
    wrap = (lambda v: Tensor(v, options["element"])) if "element" in options else Tensor
    for name, left, right in (("right", PLAIN_A, TURNED_B), ("both", TURNED_A, TURNED_B)):
        case(f"warp-{kind}-turned-{name}", (TURNED.format(a=left, b=right, m="{m}", n="{n}", k="{k}") + "z = tl.dot(a, b)\n" + STORE).format(m=m, n=n, k=k),
             A=wrap(np.ascontiguousarray(a.T) if name == "both" else a), B=wrap(np.ascontiguousarray(b.T)),
             OUT=Out(exact(a, b).astype(options.get("out", np.float32))), _warps=2)
A3, B3 = normal(16, 64, seed=1), normal(64, 32, seed=2)
for precision, rtol in (("tf32", 2e-3), ("tf32x3", 2e-6), ("ieee", 2e-6)):
    case(f"warp-{precision}-accuracy", (LOADS + f"z = tl.dot(a, b, input_precision='{precision}')\n" + STORE).format(m=16, n=32, k=64), A=A3, B=B3,
         OUT=Out((A3.astype(np.float64) @ B3).astype(np.float32), rtol=rtol))
product("warp-accumulator", 16, 32, 32, np.float16, "tl.dot(a, b, acc=tl.dot(a, b)) - tl.dot(a, b)")
product("warp-out-fp16", 16, 32, 32, np.float16, "tl.dot(a, b, out_dtype=tl.float16)", out=np.float16)
product("warp-computed-operands", 32, 32, 32, np.float16, "tl.dot((a * 2.0).to(tl.float16), (b * 2.0).to(tl.float16)) * 0.25")
# The sums of one product are the left operand of the next, in one warp and in several that share rows.
for m, warps in ((16, 1), (32, 2), (16, 4)):
    product(f"warp-chained-{m}-{warps}w", m, 32, 32, np.float16, "tl.dot(tl.dot(a, b).to(tl.float16), (k[:, None] == n[None, :]).to(tl.float16))",
            _warps=warps, low=-2, high=3, _seeds=3)
# Types of 8-bit floats in any mix.
a, b = random(16, 64, seed=1, dtype=np.float32), random(64, 16, seed=2, dtype=np.float32)
case("warp-fp8-mixed", (LOADS + "z = tl.dot(a, b)\n" + STORE).format(m=16, n=16, k=64), A=Tensor(a, "fp8e5"), B=Tensor(b, "fp8e4nv"), OUT=Out(exact(a, b).astype(np.float32)))
# Loops: rings of copies, an operand that the loop does not change, other widths of a task.
LOOP = ("m = tl.arange(0, 16)\nn = tl.arange(0, {n})\nk = tl.arange(0, 32)\nacc = tl.zeros((16, {n}), tl.float32)\n"
        "for start in tl.range(0, 160, 32, num_stages={stages}):\n    a = tl.load(A + m[:, None] * 160 + start + k[None, :])\n"
        "    b = tl.load(B + (start + k[:, None]) * {n} + n[None, :])\n    acc = tl.dot(a, b, acc)\ntl.store(OUT + m[:, None] * {n} + n[None, :], acc)\n")
for n, stages, warps in ((64, 1, 4), (64, 3, 4), (32, 4, 2), (64, 2, 1), (64, 3, 8)):
    a, b = random(16, 160, seed=1, dtype=np.float16), random(160, n, seed=2, dtype=np.float16)
    case(f"warp-loop-{n}-{stages}s-{warps}w", LOOP.format(n=n, stages=stages), A=a, B=b, OUT=Out(exact(a, b).astype(np.float32)), _warps=warps, _seeds=6)
a, b = random(16, 160, seed=1, dtype=np.float16), random(160, 64, seed=2, dtype=np.float16)
case("warp-loop-across", LOOP.format(n=64, stages=3).replace("B + (start + k[:, None]) * 64 + n[None, :]", "B + n[None, :] * 160 + start + k[:, None]"), A=a, B=np.ascontiguousarray(b.T),
     OUT=Out(exact(a, b).astype(np.float32)), _seeds=6)
case("warp-loop-invariant-left", "m = tl.arange(0, 16)\nk = tl.arange(0, 32)\na = tl.load(A + m[:, None] * 32 + k[None, :])\nfor s in range(3):\n"
     "    b = tl.load(B + s * 1024 + k[:, None] * 32 + k[None, :])\n    z = tl.dot(a, b)\n    tl.store(OUT + s * 512 + m[:, None] * 32 + k[None, :], z)\n",
     A=random(16, 32, seed=1, dtype=np.float16), B=random(3, 32, 32, seed=2, dtype=np.float16), _seeds=3,
     OUT=Out(np.matmul(random(16, 32, seed=1, dtype=np.float32), random(3, 32, 32, seed=2, dtype=np.float32))))
# Buffers of the kernel's own, read as fragments.
case("warp-from-buffers", "m = tl.arange(0, 16)\nk = tl.arange(0, 32)\nsa = tlx.local_alloc((16, 32), tl.float16, 1)\nsb = tlx.local_alloc((32, 32), tl.float16, 1)\n"
     "tlx.local_store(sa[0], tl.load(A + m[:, None] * 32 + k[None, :]))\ntlx.local_store(sb[0], tl.load(B + k[:, None] * 32 + k[None, :]))\n"
     "z = tl.dot(tlx.local_load(sa[0]), tl.trans(tlx.local_load(sb[0])))\ntl.store(OUT + m[:, None] * 32 + k[None, :], z)\n",
     A=random(16, 32, seed=1, dtype=np.float16), B=random(32, 32, seed=2, dtype=np.float16), _seeds=3,
     OUT=Out(random(16, 32, seed=1, dtype=np.float32) @ random(32, 32, seed=2, dtype=np.float32).T))
