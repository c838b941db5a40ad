"""Tensor maps made by the kernel, and storage that several allocations share."""
import numpy as np
from case import Out, arange, case, f32, i32, normal, random, refused

X = random(64, 96, seed=2, dtype=np.float16)
MAKE = "d = tl.make_tensor_descriptor({name}, shape=[64, 96], strides=[96, 1], block_shape=[32, 64]{more})\n"
GRID = "r = tl.arange(0, 32)[:, None]\nc = tl.arange(0, 64)[None, :]\n"
PADDED = np.pad(X, ((0, 32), (0, 64)))
case("made-descriptor-load", MAKE.format(name="X", more="") + GRID + "x = d.load([16, 32])\ntl.store(OUT + r * 64 + c, x)\n", X=X, OUT=Out(np.ascontiguousarray(X[16:48, 32:96])), _seeds=2)
case("made-descriptor-out-of-bounds", MAKE.format(name="X", more="") + GRID + "x = d.load([48, 64])\ntl.store(OUT + r * 64 + c, x)\n", X=X, OUT=Out(np.ascontiguousarray(PADDED[48:80, 64:128])))
case("made-descriptor-nan", MAKE.format(name="X", more=", padding_option='nan'") + GRID + "x = d.load([48, 64])\ntl.store(OUT + r * 64 + c, tl.where(x != x, 9.0, x))\n", X=X,
     OUT=Out(np.where((arange(32)[:, None] < 16) & (arange(64) < 32), PADDED[48:80, 64:128], 9).astype(np.float16)))
case("made-descriptor-store", MAKE.format(name="OUT", more="") + GRID + "x = tl.load(X + r * 96 + c)\nd.store([32, 0], x + 1.0)\n", X=X,
     OUT=Out(np.where((arange(64)[:, None] >= 32) & (arange(96) < 64), np.roll(X, 32, 0) + 1, 5).astype(np.float16), before=5), _seeds=2)
case("made-descriptor-run-time-shape", "n = tl.load(N)\nd = tl.make_tensor_descriptor(X, [n, 96], [96, 1], [32, 64])\n" + GRID + "tl.store(OUT + r * 64 + c, d.load([0, 0]))\n", X=X, N=i32(20),
     OUT=Out(np.where(arange(32)[:, None] < 20, X[:32, :64], 0).astype(np.float16)))
case("made-descriptor-each-block", MAKE.format(name="X", more="") + GRID + "p = tl.program_id(0)\nx = d.load([p * 32, 0])\ntl.store(OUT + (p * 32 + r) * 64 + c, x)\n", X=X, OUT=Out(np.ascontiguousarray(X[:, :64])), _grid=(2,))
case("made-descriptor-async", "d = tl.make_tensor_descriptor(X, [64, 96], [96, 1], [32, 64])\ns = tlx.local_alloc((32, 64), tl.float16, 1)\nb = tlx.alloc_barriers(1)\ntlx.barrier_expect_bytes(b[0], 4096)\n"
     "tlx.async_descriptor_load(d, s[0], [8, 0], b[0])\ntlx.barrier_wait(b[0], 0)\n" + GRID + "tl.store(OUT + r * 64 + c, tlx.local_load(s[0]))\n", X=X, OUT=Out(np.ascontiguousarray(X[8:40, :64])), _seeds=2)
case("descriptor-memory", "m = tlx.allocate_tensor_descriptor(num=2)\ntlx.make_tensor_descriptor(m[0], X, [64, 96], [96, 1], [32, 64])\ntlx.make_tensor_descriptor(desc_ptr=m[1], base=OUT, shape=[64, 96], strides=[96, 1], block_shape=[32, 64])\n"
     "a = tlx.reinterpret_tensor_descriptor(m[0], [32, 64], tl.float16)\nb = tlx.reinterpret_tensor_descriptor(m[1], [32, 64], tl.float16)\nfor k in range(2):\n    b.store([k * 32, 0], a.load([k * 32, 0]))\n",
     X=X, OUT=Out(np.where(arange(96) < 64, X, 5).astype(np.float16), before=5), _seeds=2)
refused("refuse-descriptor-stride", "d = tl.make_tensor_descriptor(X, [64, 96], [1, 64], [32, 64])\n", "argument-type", 1, X=X)
refused("refuse-descriptor-rank", "d = tl.make_tensor_descriptor(X, [64], [96, 1], [32, 64])\n", "shape-mismatch", 1, X=X)
refused("refuse-descriptor-padding", "d = tl.make_tensor_descriptor(X, [64, 96], [96, 1], [32, 64], padding_option='one')\n", "argument-type", 1, X=X)
refused("refuse-descriptor-in-loop", "d = tl.make_tensor_descriptor(X, [64, 96], [96, 1], [32, 64])\nfor k in range(4):\n    x = d.load([0, 0])\n    d = tl.make_tensor_descriptor(X + k * 8, [64, 88], [96, 1], [32, 64])\n    tl.store(X + tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :], x)\n",
        "unsupported-operation", 3, X=X, _targets=("sm_90a",))

S = random(32, 64, seed=3)
SHARED = "r = tl.arange(0, 32)[:, None]\nc = tl.arange(0, 64)[None, :]\no = r * 64 + c\nx = tl.load(X + o)\n"
case("storage-alias", SHARED + "spec = tlx.storage_alias_spec()\na = tlx.local_alloc((32, 64), tl.float32, 1, reuse=spec)\nb = tlx.local_alloc((32, 64), tl.float16, 2, reuse=spec)\n"
     "tlx.local_store(a[0], x)\ny = tlx.local_load(a[0])\ntlx.local_store(b[0], y.to(tl.float16))\ntlx.local_store(b[1], (y * 2).to(tl.float16))\ntl.store(OUT + o, (tlx.local_load(b[0]) + tlx.local_load(b[1])).to(tl.float32))\n", X=S, OUT=Out(3 * S))
case("storage-alias-overlap", SHARED + "spec = tlx.storage_alias_spec(storage=tlx.storage_kind.smem)\na = tlx.local_alloc((32, 64), tl.float32, 2, reuse=spec)\nb = tlx.local_alloc((32, 64), tl.float16, 2, reuse=spec)\nd = tlx.local_alloc((32, 64), tl.float16, 2, reuse=spec)\n"
     "spec.set_buffer_overlap(tlx.reuse_group(a, tlx.reuse_group(b, d, group_type=tlx.reuse_group_type.distinct), group_type=tlx.reuse_group_type.shared))\n"
     "tlx.local_store(b[0], x.to(tl.float16))\ntlx.local_store(d[0], (x * 2).to(tl.float16))\ntlx.local_store(a[1], x * 4)\n"
     "z = tlx.local_load(b[0]).to(tl.float32) + tlx.local_load(d[0]).to(tl.float32) + tlx.local_load(a[1])\ntl.store(OUT + o, z)\n", X=S, OUT=Out(7 * S))
case("storage-alias-really-overlaps", SHARED + "spec = tlx.storage_alias_spec()\na = tlx.local_alloc((32, 64), tl.float32, 1, reuse=spec)\nb = tlx.local_alloc((32, 64), tl.float32, 1, reuse=spec)\n"
     "tlx.local_store(a[0], x)\ntl.debug_barrier()\ntl.store(OUT + o, tlx.local_load(b[0]))\n", X=S, OUT=Out(S))
refused("refuse-alias-size", "spec = tlx.storage_alias_spec(buffer_size_bytes=64)\na = tlx.local_alloc((32, 64), tl.float32, 1, reuse=spec)\n", "shape-mismatch", 2, X=S)
refused("refuse-alias-group-member", "spec = tlx.storage_alias_spec()\na = tlx.local_alloc((32, 64), tl.float32, 1)\nspec.set_buffer_overlap(tlx.reuse_group(a))\n", "argument-type", 3, X=S)

B = random(32, 64, seed=4, dtype=np.int32, low=0, high=100)
ADD = "r = tl.arange(0, 32)[:, None]\nc = tl.arange(0, 64)[None, :]\nd = tl.make_tensor_descriptor(OUT, [32, 64], [64, 1], [32, 64])\nx = tl.load(X + r * 64 + c)\n"
for name, function in (("add", np.add), ("min", np.minimum), ("max", np.maximum), ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)):
    case(f"descriptor-atomic-{name}", ADD + f"d.atomic_{name}([0, 0], x)\n", X=B, OUT=Out(function(B, 37).astype(np.int32), before=37))
case("descriptor-store-reduce", ADD + "d.store([0, 0], x, store_reduce='add')\n", X=B, OUT=Out(B + 37, before=37))
case("descriptor-functions", "d = tl.make_tensor_descriptor(X, [32, 64], [64, 1], [32, 64])\ne = tl.make_tensor_descriptor(OUT, [32, 64], [64, 1], [32, 64])\n"
     "tl.store_tensor_descriptor(e, [0, 0], tl.load_tensor_descriptor(d, [0, 0]) + 1)\n", X=B, OUT=Out(B + 1))
