"""Making tiles and giving them other shapes."""
import numpy as np
from case import Out, arange, case, f32, i32, random

M8 = "r = tl.arange(0, 8)[:, None]\nc = tl.arange(0, 16)[None, :]\nx = tl.load(X + r * 16 + c)\n"
X = random(8, 16, seed=3, low=-99, high=100)


def flat(name, expression, expected, **options):
    count = expected.size
    case(name, M8 + f"z = tl.reshape({expression}, ({count},))\nk = tl.arange(0, {count})\ntl.store(OUT + k, z)\n", X=X,
         OUT=Out(np.ascontiguousarray(expected).reshape(-1)), **options)


for warps in (1, 4):
    flat(f"trans-{warps}w", "tl.trans(x)", X.T, _warps=warps)
    flat(f"reshape-{warps}w", "tl.reshape(x, (4, 32))", X.reshape(4, 32), _warps=warps)
flat("trans-attribute", "x.T", X.T)
flat("trans-order", "tl.trans(x, (1, 0))", X.T)
flat("permute-3d", "tl.permute(tl.reshape(x, (2, 4, 16)), (2, 0, 1))", X.reshape(2, 4, 16).transpose(2, 0, 1))
flat("permute-method", "x.reshape(2, 4, 16).permute(1, 0, 2)", X.reshape(2, 4, 16).transpose(1, 0, 2))
flat("view", "tl.view(x, [16, 8])", X.reshape(16, 8))
flat("ravel", "tl.ravel(x)", X.reshape(-1))
flat("expand-dims", "tl.expand_dims(x, 1)", X)
flat("expand-dims-negative", "tl.expand_dims(x, -1)", X)
flat("broadcast-to", "tl.broadcast_to(tl.max(x, 1)[:, None], (8, 16))", np.repeat(X.max(1)[:, None], 16, 1))
flat("broadcast", "tl.broadcast(tl.max(x, 1)[:, None], x)[0]", np.repeat(X.max(1)[:, None], 16, 1))
flat("join", "tl.join(x, x + 1)", np.stack([X, X + 1], -1))
flat("split-join", "tl.join(*tl.split(tl.reshape(x, (8, 8, 2))))", X.reshape(8, 8, 2))
flat("extract-slice-columns", "tlx.extract_slice(tl.reshape(x, (8, 16)), [8, 4], [0, 8])", X.reshape(8, 16)[:, 8:12])
flat("extract-slice-rows", "tlx.extract_slice(tl.reshape(x, (8, 16)), [2, 16], [6, 0])", X.reshape(8, 16)[6:])
flat("extract-slice-both", "tlx.extract_slice(tl.reshape(x, (8, 16)), [4, 8], [4, 8])", X.reshape(8, 16)[4:, 8:])
flat("extract-slice-whole", "tlx.extract_slice(tl.reshape(x, (8, 16)), [8, 16], [0, 0])", X.reshape(8, 16))
flat("split-first", "tl.split(tl.reshape(x, (8, 8, 2)))[0]", X[:, ::2])
flat("interleave", "tl.interleave(x, -x)", np.stack([X, -X], -1).reshape(8, 32))
flat("cat-axis0", "tl.cat(x, x * 2)", np.concatenate([X, 2 * X], 0))
flat("cat-axis1", "tl.cat(x, x * 2, dim=1)", np.concatenate([X, 2 * X], 1))
flat("cat-can-reorder", "tl.sort(tl.ravel(tl.cat(x, x * 2, can_reorder=True)))", np.sort(np.concatenate([X, 2 * X]).reshape(-1)))
flat("zeros-like", "tl.zeros_like(x) + 3", np.full_like(X, 3))
flat("full", "x + tl.full((8, 16), 2.5, tl.float32)", X + 2.5)
flat("full-run-time-value", "x + tl.full((8, 16), tl.load(X), tl.float32)", X + X[0, 0])
flat("zeros", "x + tl.zeros((8, 16), dtype=tl.float32)", X)
flat("tlx-zeros", "x + tlx.zeros((8, 16), tl.float32)", X)
flat("shape-attribute", "x * x.shape[0] + x.shape[1]", X * 8 + 16)
case("arange-offset", "i = tl.arange(8, 24)\ntl.store(OUT + i - 8, i)\n", OUT=Out(np.arange(8, 24, dtype=np.int32)))
case("new-axes", "i = tl.arange(0, 4)\nz = i[:, None, None] * 100 + i[None, :, None] * 10 + i[None, None, :]\n"
     "tl.store(OUT + i[:, None, None] * 16 + i[None, :, None] * 4 + i[None, None, :], z)\n",
     OUT=Out((arange(4)[:, None, None] * 100 + arange(4)[:, None] * 10 + arange(4)).astype(np.int32)))
case("tile-of-one", "i = tl.arange(0, 1)\ntl.store(OUT + i, i + 41)\n", OUT=Out(i32(41)))
case("tuples", "a = (1, 2.5, (3, 4))\nb, c, (d, e) = a\ntl.store(OUT, b + d * 10 + e * 100)\n", OUT=Out(i32(431)))
case("cast-function", "i = tl.arange(0, 16)\ntl.store(OUT + i, tl.cast(i, tl.float32))\n", OUT=Out(np.arange(16, dtype=np.float32)))
