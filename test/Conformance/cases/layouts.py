"""Layouts that the source pins: what is computed does not depend on who holds it."""
import numpy as np
from case import Out, arange, case, f32, i32, normal, random, refused

X, Y = random(128), random(16, 16)
ROW = "i = tl.arange(0, 128)\nx = tl.load(X + i)\n"
LINE = "line: tl.constexpr = tlx.layout(shape=((32, 4), (1,)), stride=((1, 32), (0,)))\n"
BACK = "odd: tl.constexpr = tlx.layout(shape=((2, 16, 4), (1,)), stride=((64, 4, 1), (0,)))\n"
TILE = "r = tl.arange(0, 16)[:, None]\nc = tl.arange(0, 16)[None, :]\ny = tl.load(Y + r * 16 + c)\n"
ROWS = "rows: tl.constexpr = tlx.layout(shape=((8, 4, 4), (2,)), stride=((2, 16, 64), (1,)))\n"
COLUMNS = "columns: tl.constexpr = tlx.layout(shape=((16, 8), (2,)), stride=((16, 1), (8,)))\n"

case("layout-line", ROW + LINE + "y = tlx.require_layout(x, line)\ntlx.assert_same_layout(y * 2 + 1, y)\ntl.store(OUT + i, y * 2 + 1)\n",
     X=X, OUT=Out(X * 2 + 1))
case("layout-odd", ROW + BACK + "y = tlx.require_layout(x, odd, pin=True)\nz = tlx.require_layout(x, layout=odd)\ntlx.assert_same_layout(y, z)\n"
     "tl.store(OUT + i, tlx.release_layout(y) + z)\n", X=X, OUT=Out(X * 2))
case("layout-text", ROW + "y = tlx.require_layout(x, tlx.layout('((_2,_16,_4),_1):((_64,_4,_1),_0)'))\n" + BACK +
     "tlx.assert_same_layout(y, tlx.require_layout(x, odd))\ntl.store(OUT + i, y)\n", X=X, OUT=Out(X))
case("layout-of-module", ROW + "y = tlx.require_layout(x, ODD)\ntl.store(OUT + i, y)\n", X=X, OUT=Out(X),
     _helpers="ODD: tl.constexpr = tlx.layout(shape=((2, 16, 4), (1,)), stride=((64, 4, 1), (0,)))\n")
case("layout-copies", "i = tl.arange(0, 64)\nx = tl.load(X + i)\ny = tlx.require_layout(x, tlx.layout(shape=((64, 2), (1,)), stride=((1, 0), (0,))))\n"
     "tl.atomic_add(OUT + i, y)\n", X=i32(*range(64)), OUT=Out(arange(64) + 77))
case("layout-tile", TILE + ROWS + COLUMNS + "a = tlx.require_layout(y, rows)\nb = tlx.require_layout(y, columns)\ntl.store(OUT + r * 16 + c, a + b)\n",
     Y=Y, OUT=Out(Y * 2))
case("layout-transposed", TILE + COLUMNS + "a = tlx.require_layout(y, columns)\ntl.store(OUT + c * 16 + r, a)\n", Y=Y, OUT=Out(np.ascontiguousarray(Y.T)))
case("layout-reduced", TILE + COLUMNS + "a = tlx.require_layout(y, columns)\ni = tl.arange(0, 16)\ntl.store(OUT + i, tl.sum(a, 1))\ntl.store(OUT + 16 + i, tl.max(a, 0))\n",
     Y=Y, OUT=Out(np.concatenate([Y.sum(1), Y.max(0)])))
W = random(128, 64)
case("layout-row-per-thread", "r = tl.arange(0, 128)\nc = tl.arange(0, 64)\nw = tl.load(W + r[:, None] * 64 + c[None, :])\n"
     "w = tlx.require_layout(w, tlx.layout(shape=((128,), (64,)), stride=((64,), (1,))))\nm = tl.max(w, 1)\ne = tl.sum(w - m[:, None], 1)\ntl.store(OUT + r, e)\n",
     W=W, OUT=Out((W - W.max(1)[:, None]).sum(1)))
case("layout-loop", TILE + ROWS + "s = tlx.zeros((16, 16), tl.float32, layout=rows)\nfor k in range(3):\n    s += tlx.require_layout(y, rows) * k\ntlx.assert_same_layout(s, tlx.require_layout(y, rows))\n"
     "tl.store(OUT + r * 16 + c, s)\n", Y=Y, OUT=Out(Y * 3))
case("layout-helper", TILE + ROWS + "tl.store(OUT + r * 16 + c, halved(y, rows))\n", Y=Y, OUT=Out((Y * 0.5).astype(np.float16)),
     _helpers="@triton.jit\ndef halved(x, layout: tl.constexpr):\n    x = tlx.require_layout(x, layout)\n    return (x * 0.5).to(tl.float16)\n")
case("layout-local-load", TILE + COLUMNS + "b = tlx.local_alloc((16, 16), tl.float32, 1)\ntlx.local_store(b[0], y)\n"
     "z = tlx.local_load(b[0], layout=columns)\ntlx.assert_same_layout(z, tlx.require_layout(y, columns))\ntl.store(OUT + r * 16 + c, z)\n", Y=Y, OUT=Out(Y))
case("layout-cheap", "i = tl.arange(0, 128)\n" + BACK + "j = tlx.require_layout(i, odd)\nx = tl.load(X + j)\ntl.store(OUT + j, x + j)\n", X=X, OUT=Out(X + np.arange(128, dtype=np.float32)))
case("layout-scan-sort", ROW + BACK + "y = tlx.require_layout(x, odd)\ntl.store(OUT + i, tl.cumsum(y, 0))\ntl.store(OUT + 128 + i, tl.sort(y))\n", X=X, OUT=Out(np.concatenate([np.cumsum(X), np.sort(X)])))
case("layout-branch", ROW + BACK + LINE + "if tl.load(N) > 0:\n    y = tlx.require_layout(x, odd)\nelse:\n    y = tlx.require_layout(x, line) * 2\ntl.store(OUT + i, y)\n",
     X=X, N=i32(1), OUT=Out(X))
A, B = random(64, 32, seed=1, dtype=np.float16), random(32, 64, seed=2, dtype=np.float16)
case("layout-product", "m = tl.arange(0, 64)\nk = tl.arange(0, 32)\na = tl.load(A + m[:, None] * 32 + k[None, :])\nb = tl.load(B + k[:, None] * 64 + m[None, :])\n"
     "left = tlx.layout(shape=((32, 4), (16,)), stride=((16, 512), (1,)))\nsums = tlx.layout(shape=((128,), (32,)), stride=((32,), (1,)))\nacc = tlx.zeros((64, 64), tl.float32, layout=sums)\n"
     "for i in range(2):\n    acc = tl.dot(tlx.require_layout(a, left), b, acc)\nacc = tlx.require_layout(acc, sums)\n"
     "tl.store(OUT + m[:, None] * 64 + m[None, :], acc)\n", A=A, B=B, OUT=Out(2 * (A.astype(np.float32) @ B.astype(np.float32))))
case("layout-tasks", "b = tlx.local_alloc((128,), tl.float32, 1)\nfull = tlx.alloc_barriers(1)\nwith tlx.async_tasks():\n    with tlx.async_task('default'):\n        i = tl.arange(0, 128)\n"
     "        tlx.local_store(b[0], tl.load(X + i))\n        tlx.barrier_arrive(full[0])\n    with tlx.async_task(num_warps=1):\n        tlx.barrier_wait(full[0], 0)\n        i = tl.arange(0, 128)\n"
     "        x = tlx.local_load(b[0], layout=tlx.layout(shape=((32,), (4,)), stride=((1,), (32,))))\n        tl.store(OUT + i, x + tl.sum(x, 0))\n",
     X=X, OUT=Out(X + X.sum()), _seeds=20)

refused("refuse-layout-threads", ROW + "y = tlx.require_layout(x, tlx.layout(shape=((64,), (2,)), stride=((1,), (64,))))\ntl.store(OUT + i, y)\n", "pinned-layout", 3, X=X, OUT=Out(X))
refused("refuse-layout-mode", "y = tlx.layout(shape=((32, 3), (1,)), stride=((1, 32), (0,)))\n", "pinned-layout", 1, X=X)
refused("refuse-layout-stride", "y = tlx.layout(shape=((32, 4), (2,)), stride=((3, 128), (1,)))\n", "pinned-layout", 1, X=X)
refused("refuse-layout-modes", "y = tlx.layout(shape=((32, 4), (2,)), stride=((1, 32), (1, 2)))\n", "pinned-layout", 1, X=X)
refused("refuse-layout-flat", "y = tlx.layout(shape=(32, 4), stride=(1,))\n", "pinned-layout", 1, X=X)
refused("refuse-layout-text", "y = tlx.layout('((32,4),1)')\n", "argument-type", 1, X=X)
refused("refuse-layout-elements", ROW + LINE + "y = tlx.require_layout(tl.zeros((256,), tl.float32), line)\n", "pinned-layout", 4, X=X)
refused("refuse-layout-farther", LINE + "y = tlx.require_layout(tl.zeros((64,), tl.float32), line)\n", "pinned-layout", 2, X=X)
refused("refuse-require-nothing", "x = tlx.require_layout(tl.zeros((64,), tl.float32), None)\n", "argument-type", 1, X=X)
refused("refuse-require-number", "x = tlx.require_layout(tl.zeros((64,), tl.float32), 4)\n", "argument-type", 1, X=X)
refused("refuse-require-late", ROW + LINE + "y = tlx.require_layout(x, line, late_address_compute=True)\n", "unsupported-option", 4, X=X)
refused("refuse-same-layout", ROW + LINE + BACK + "y = tlx.require_layout(x, line)\nz = tlx.require_layout(x, odd)\ntlx.assert_same_layout(y, z)\ntl.store(OUT + i, y + z)\n", "layout-mismatch", 7, X=X, OUT=Out(X))
refused("refuse-same-layout-shapes", "tlx.assert_same_layout(tl.zeros((64,), tl.float32), tl.zeros((32,), tl.float32))\n", "shape-mismatch", 1, X=X)
refused("refuse-matrix-layout-shape", "x = tlx.amd_mfma_layout(version=4, instr_shape=[4, 64, 16], transposed=True, warps_per_cta=[2, 2])\n", "pinned-layout", 1, X=X)
refused("refuse-matrix-layout-warps", "x = tlx.amd_mfma_layout(version=4, instr_shape=[32, 32, 16], transposed=True, warps_per_cta=[3, 1])\n", "pinned-layout", 1, X=X)
refused("refuse-operand-layout-parent", "x = tlx.dot_operand_layout(0, 4, 8)\n", "pinned-layout", 1, X=X)
refused("refuse-matrix-layout-threads", "m = tlx.amd_mfma_layout(4, [32, 32, 16], True, [2, 2])\nx = tlx.require_layout(tl.zeros((64, 64), tl.float32), m)\ntl.store(X + tl.arange(0, 64), tl.sum(x, 0))\n", "pinned-layout", 2, X=X)
refused("refuse-operand-layout-threads", "m = tlx.amd_mfma_layout(4, [32, 32, 16], True, [2, 2])\nx = tlx.require_layout(tl.zeros((64, 64), tl.float32), tlx.dot_operand_layout(1, m, 8))\n"
        "tl.store(X + tl.arange(0, 64), tl.sum(x, 0))\n", "pinned-layout", 2, X=X)

# Layouts of shared memory.
H = random(64, 64, dtype=np.float16)
GRID = "r = tl.arange(0, 64)[:, None]\nc = tl.arange(0, 64)[None, :]\n"
for name, layout in (("plain", "tlx.swizzled_layout(0)"), ("128", "tlx.swizzled_layout(3, 3, 3)"),
                     ("bases", "tlx.shared_linear_layout_encoding([[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]])"),
                     ("rows", "tlx.shared_linear_layout_encoding([[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]])")):
    case(f"layout-shared-{name}", GRID + f"b = tlx.local_alloc((64, 64), tl.float16, 2, layout={layout})\ntlx.local_store(b[1], tl.load(H + r * 64 + c))\n"
         "tl.store(OUT + c * 64 + r, tlx.local_load(b[1]))\n", H=H, OUT=Out(np.ascontiguousarray(H.T)))
case("layout-shared-product", GRID + "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=tlx.swizzled_layout(3, 3, 3, order=[1, 0]))\ntlx.local_store(b[0], tl.load(H + r * 64 + c))\n"
     "z = tlx.async_dot_wait(0, tlx.async_dot(b[0], b[0]))\ntl.store(OUT + r * 64 + c, z)\n", H=H, OUT=Out(H.astype(np.float32) @ H.astype(np.float32)))
refused("refuse-shared-swizzle", "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=tlx.swizzled_layout(3, 0, 6))\n", "layout-reader", 1, H=H)
refused("refuse-shared-bases", "b = tlx.local_alloc((2, 2), tl.float16, 1, layout=tlx.shared_linear_layout_encoding([[0, 1], [0, 1]]))\n", "layout-reader", 1, H=H)
refused("refuse-shared-bases-outside", "b = tlx.local_alloc((2, 2), tl.float16, 1, layout=tlx.shared_linear_layout_encoding([[0, 2], [4, 0]]))\n", "layout-reader", 1, H=H)
refused("refuse-shared-bases-form", "b = tlx.shared_linear_layout_encoding([1, 2])\n", "argument-type", 1, H=H)
refused("refuse-shared-blocks", "b = tlx.shared_linear_layout_encoding([[1]], block_bases=[[2]])\n", "unsupported-option", 1, H=H)
refused("refuse-swizzle-bits", "b = tlx.swizzled_layout(40)\n", "pinned-layout", 1, H=H)
refused("refuse-swizzle-order", "b = tlx.swizzled_layout(1, 3, 3, order=[0, 1])\n", "unsupported-option", 1, H=H)
refused("refuse-shared-of-registers", "b = tlx.local_alloc((64,), tl.float16, 1, layout=tlx.layout(shape=((32,), (1,)), stride=((1,), (0,))))\n", "argument-type", 1, H=H)
refused("refuse-registers-of-shared", "x = tlx.require_layout(tl.zeros((64,), tl.float16), tlx.swizzled_layout(0))\n", "pinned-layout", 1, H=H)
refused("refuse-padded", "b = tlx.padded_shared_layout_encoding.with_identity_for([[64, 8]], [64, 64])\n", "unsupported-builtin", 1, H=H)
refused("refuse-padded-bases", "b = tlx.padded_shared_layout_encoding.with_bases([[64, 8]], [[0, 1]], [64, 64])\n", "unsupported-builtin", 1, H=H)
