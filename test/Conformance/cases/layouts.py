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
refused("refuse-shared-bases", "b = tlx.local_alloc((2, 2), tl.float16, 1, layout=tlx.shared_linear_layout_encoding([[0, 1], [0, 1]]))\n", "layout-reader", 1, H=H)
refused("refuse-shared-bases-outside", "b = tlx.local_alloc((2, 2), tl.float16, 1, layout=tlx.shared_linear_layout_encoding([[0, 2], [4, 0]]))\n", "layout-reader", 1, H=H)
refused("refuse-shared-bases-form", "b = tlx.shared_linear_layout_encoding([1, 2])\n", "argument-type", 1, H=H)
refused("refuse-shared-blocks", "b = tlx.shared_linear_layout_encoding([[1]], block_bases=[[2]])\n", "unsupported-option", 1, H=H)
refused("refuse-swizzle-bits", "b = tlx.swizzled_layout(40)\n", "pinned-layout", 1, H=H)
refused("refuse-swizzle-order", "b = tlx.swizzled_layout(1, 3, 3, order=[0, 1])\n", "unsupported-option", 1, H=H)
refused("refuse-shared-of-registers", "b = tlx.local_alloc((64,), tl.float16, 1, layout=tlx.layout(shape=((32,), (1,)), stride=((1,), (0,))))\n", "argument-type", 1, H=H)
refused("refuse-registers-of-shared", "x = tlx.require_layout(tl.zeros((64,), tl.float16), tlx.swizzled_layout(0))\n", "pinned-layout", 1, H=H)

# Layouts that no hardware has: values go in and come out, and lie where the layout says. `raw` is the same memory in one axis.
PADDED = "pad: tl.constexpr = tlx.padded_shared_layout_encoding.with_identity_for([[64, 8]], [64, 64])\n"
ODD = ("odd: tl.constexpr = tlx.shared_linear_layout_encoding([[1, 0], [0, 1], [2, 0], [0, 2], [4, 1], [0, 4], [8, 0], [0, 8], [16, 0], [0, 16], [32, 0], [0, 32]])\n")


def written(places, size, h=H):
    memory = np.zeros(size, np.float16)
    memory[places] = h
    return memory


row, column = np.arange(64)[:, None], np.arange(64)[None, :]
number = row * 64 + column
# The inverse of ODD: its fifth bit moves by (4, 1), so that an element whose row has bit 2 has bit 1 of the offset, too.
bits = lambda x, i: x >> i & 1
odd = sum(bits(row, i) << 2 * i for i in range(6)) + (sum(bits(column, i) << 2 * i + 1 for i in range(6)) ^ bits(row, 2) << 1)
across = column * 64 + row
LAYOUTS = {"padded": (PADDED, "pad", number + number // 64 * 8, 64 * 72),
           "padded-twice": ("two: tl.constexpr = tlx.padded_shared_layout_encoding.with_identity_for([[16, 4], [128, 16]], (64, 64))\n", "two",
                            number + number // 16 * 4 + number // 128 * 16, 8192),
           "padded-odd": ("pad: tl.constexpr = tlx.padded_shared_layout_encoding.with_identity_for([[32, 3]], [64, 64])\n", "pad", number + number // 32 * 3, 64 * 70),
           "padded-across": ("pad: tl.constexpr = tlx.padded_shared_layout_encoding.with_identity_for([[64, 2]], [64, 64], order=[0, 1])\n", "pad",
                             across + across // 64 * 2, 64 * 66),
           "padded-bases": ("pad: tl.constexpr = tlx.padded_shared_layout_encoding.with_bases([[64, 8]], [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], [64, 64])\n",
                            "pad", across + across // 64 * 8, 64 * 72),
           "odd": (ODD, "odd", odd, 4096),
           "swizzle-narrow": ("sw: tl.constexpr = tlx.swizzled_layout(3, 0, 6)\n", "sw", number ^ (number >> 6 & 7), 4096)}
for name, (text, layout, places, size) in LAYOUTS.items():
    rounded = (size - 1 | 1023) + 1
    store = GRID + text + f"m = tlx.local_alloc(({rounded},), tl.float16, 1)\nb = tlx.local_reinterpret(m[0], tl.float16, (64, 64), layout={layout})\n"
    raw = f"i = tl.arange(0, 1024)\nfor k in tl.static_range({rounded // 1024}):\n    tl.store(OUT + k * 1024 + i, tlx.local_load(tlx.local_slice(m[0], [k * 1024], [1024])))\n"
    clear = f"for k in tl.static_range({rounded // 1024}):\n    tlx.local_store(tlx.local_slice(m[0], [k * 1024], [1024]), tl.zeros((1024,), tl.float16))\n"
    case(f"written-places-{name}", store + clear + "tlx.local_store(b, tl.load(H + r * 64 + c))\n" + raw, H=H, OUT=Out(written(places, rounded)))
    alloc = GRID + text + f"b = tlx.local_alloc((64, 64), tl.float16, 2, layout={layout})\n"
    case(f"written-values-{name}", alloc + "tlx.local_store(b[0], tl.load(H + r * 64 + c))\ntlx.local_store(b[1], tl.load(H + c * 64 + r))\n"
         "tl.store(OUT + r * 64 + c, tlx.local_load(b[0]) - tlx.local_load(tlx.local_trans(b[1])))\ntl.store(OUT + c * 64 + r, tlx.local_load(b[1]))\n",
         H=H, OUT=Out(H))
case("written-copies", GRID + PADDED + "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=pad)\nt = tlx.async_load(H + r * 64 + c, b[0])\nt = tlx.async_load_commit_group([t])\n"
     "tlx.async_load_wait_group(0)\nx = tlx.local_load(b[0])\ntl.store(OUT + r * 64 + c, x)\n", H=H, OUT=Out(H))
case("written-slice", GRID + PADDED + "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=pad)\ntlx.local_store(b[0], tl.load(H + r * 64 + c))\nq = tl.arange(0, 32)\n"
     "s = tlx.local_slice(b[0], [32, 16], [32, 16])\ntl.store(OUT + q[:, None] * 16 + tl.arange(0, 16)[None, :], tlx.local_load(s))\n", H=H, OUT=Out(H[32:, 16:32]))
case("written-gather", GRID + PADDED + "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=pad)\ntlx.local_store(b[0], tl.load(H + r * 64 + c))\n"
     "x = tlx.local_gather(b[0], 63 - r + 0 * c, 0)\ntl.store(OUT + r * 64 + c, x)\n", H=H, OUT=Out(H[::-1]))
case("reinterpret-layout-swizzle", GRID + "m = tlx.local_alloc((4096,), tl.float16, 2)\nb = tlx.local_reinterpret(m[1], tl.float16, (64, 64), layout=tlx.swizzled_layout(3, 3, 3))\ntlx.local_store(b, tl.load(H + r * 64 + c))\n"
     "i = tl.arange(0, 4096)\ntl.store(OUT + i, tlx.local_load(m[1]))\n", H=H, OUT=Out(written(number ^ (number >> 6 & 7) << 3, 4096)))
case("reinterpret-layout-product", GRID + "m = tlx.local_alloc((4096,), tl.float16, 2)\nb = tlx.local_reinterpret(m[1], tl.float16, (64, 64), layout=tlx.swizzled_layout(3, 3, 3))\ntlx.local_store(b, tl.load(H + r * 64 + c))\n"
     "z = tlx.async_dot_wait(0, tlx.async_dot(b, b))\ntl.store(OUT + r * 64 + c, z)\n", H=H, OUT=Out(H.astype(np.float32) @ H.astype(np.float32)), _targets=("sm_90a", "sm_100a"))
case("reinterpret-written-values", GRID + PADDED + "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=pad)\ntlx.local_store(b[0], tl.load(H + r * 64 + c))\n"
     "v = tlx.local_reinterpret(b[0], tl.int16)\ntl.store(OUT + r * 64 + c, tlx.local_load(v))\n", H=H, OUT=Out(H.view(np.int16)))
CUBE = "x = tl.arange(0, 8)[:, None, None]\ny = tl.arange(0, 16)[None, :, None]\nz = tl.arange(0, 32)[None, None, :]\n"
case("trans-three-axes", CUBE + "b = tlx.local_alloc((8, 16, 32), tl.float16, 1)\ntlx.local_store(b[0], tl.load(H + x * 512 + y * 32 + z))\nt = tlx.local_trans(b[0], (2, 0, 1))\n"
     "p = tl.arange(0, 32)[:, None, None]\nq = tl.arange(0, 8)[None, :, None]\ns = tl.arange(0, 16)[None, None, :]\ntl.store(OUT + p * 128 + q * 16 + s, tlx.local_load(t))\n",
     H=H, OUT=Out(np.ascontiguousarray(H.reshape(8, 16, 32).transpose(2, 0, 1))))
case("reshape-swizzled", CUBE + "b = tlx.local_alloc((64, 64), tl.float16, 1)\nr = tl.arange(0, 64)[:, None]\nc = tl.arange(0, 64)[None, :]\ntlx.local_store(b[0], tl.load(H + r * 64 + c))\n"
     "tl.store(OUT + x * 512 + y * 32 + z, tlx.local_load(tlx.local_reshape(b[0], (8, 16, 32))))\n", H=H, OUT=Out(H.reshape(8, 16, 32)))
case("reshape-transposed", CUBE + "b = tlx.local_alloc((64, 64), tl.float16, 1)\nr = tl.arange(0, 64)[:, None]\nc = tl.arange(0, 64)[None, :]\ntlx.local_store(b[0], tl.load(H + r * 64 + c))\n"
     "tl.store(OUT + x * 512 + y * 32 + z, tlx.local_load(tlx.local_reshape(tlx.local_trans(b[0]), (8, 16, 32))))\n", H=H, OUT=Out(np.ascontiguousarray(H.T).reshape(8, 16, 32)))

WRITTEN = GRID + PADDED + "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=pad)\n"
refused("refuse-written-product", WRITTEN + "z = tlx.async_dot_wait(0, tlx.async_dot(b[0], b[0]))\n", "layout-reader", 5, H=H, _targets=("sm_90a", "sm_100a"))
refused("refuse-written-right", WRITTEN + "z = tlx.async_dot_wait(0, tlx.async_dot(tl.load(H + r * 64 + c), b[0]))\n", "layout-reader", 5, H=H, _targets=("sm_90a", "sm_100a"))
refused("refuse-written-bulk", WRITTEN + "tlx.async_store(H, b[0], 128)\n", "layout-reader", 5, H=H, _targets=("sm_90a", "sm_100a"))
refused("refuse-written-map", WRITTEN + "d = tl.make_tensor_descriptor(H, [64, 64], [64, 1], [64, 64])\ntlx.async_descriptor_store(d, b[0], [0, 0])\n", "layout-reader", 6, H=H, _targets=("sm_90a", "sm_100a"))
refused("refuse-reshaped-product", "b = tlx.local_alloc((2, 64, 64), tl.float16, 1)\nv = tlx.local_reshape(b[0], (128, 64))\nz = tlx.async_dot_wait(0, tlx.async_dot(v, tlx.local_trans(v)))\n",
        "layout-reader", 3, H=H, _targets=("sm_90a", "sm_100a"))
refused("refuse-written-slice", WRITTEN + "s = tlx.local_slice(b[0], [16, 0], [32, 64])\n", "misaligned-slice", 5, H=H)
refused("refuse-written-shape", PADDED + "b = tlx.local_alloc((32, 64), tl.float16, 1, layout=pad)\n", "layout-reader", 2, H=H)
refused("refuse-padded-interval", "b = tlx.padded_shared_layout_encoding.with_identity_for([[48, 8]], [64, 64])\n", "pinned-layout", 1, H=H)
refused("refuse-padded-pairs", "b = tlx.padded_shared_layout_encoding.with_identity_for([64, 8], [64, 64])\n", "pinned-layout", 1, H=H)
refused("refuse-padded-shape", "b = tlx.padded_shared_layout_encoding.with_identity_for([[64, 8]], [64, 48])\n", "pinned-layout", 1, H=H)
refused("refuse-padded-order", "b = tlx.padded_shared_layout_encoding.with_identity_for([[64, 8]], [64, 64], order=[1, 1])\n", "pinned-layout", 1, H=H)
refused("refuse-padded-bases", "b = tlx.local_alloc((64, 64), tl.float16, 1, layout=tlx.padded_shared_layout_encoding.with_bases([[64, 8]], [[0, 1]], [64, 64]))\n", "layout-reader", 1, H=H)
refused("refuse-reinterpret-layout-bytes", PADDED + "m = tlx.local_alloc((4096,), tl.float16, 1)\nb = tlx.local_reinterpret(m[0], tl.float16, (64, 64), layout=pad)\n", "shape-mismatch", 3, H=H)
refused("refuse-reinterpret-layout-part", "m = tlx.local_alloc((4096,), tl.float16, 1)\nb = tlx.local_reinterpret(tlx.local_slice(m[0], [1024], [1024]), tl.float16, (32, 32), layout=tlx.swizzled_layout(0))\n",
        "unsupported-option", 2, H=H)
refused("refuse-reinterpret-layout-places", "m = tlx.local_alloc((64,), tl.float16, 4)\nb = tlx.local_reinterpret(m[1], tl.float16, (8, 8), layout=tlx.layout(shape=((32,), (1,)), stride=((1,), (0,))))\n", "argument-type", 2, H=H)
refused("refuse-trans-axes", "b = tlx.local_alloc((8, 16, 32), tl.float16, 1)\nt = tlx.local_trans(b[0], (0, 0, 1))\n", "argument-type", 2, H=H)
refused("refuse-trans-extents", "b = tlx.local_alloc((2, 24, 64), tl.float16, 1)\nt = tlx.local_trans(b[0], (1, 0, 2))\n", "unsupported-option", 2, H=H)
