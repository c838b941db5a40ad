"""Loads and stores with masks and fillers, block pointers, descriptors, atomics."""
import numpy as np
from case import Descriptor, Out, OutDescriptor, Tensor, arange, case, f32, i32, normal, random

X = random(64, seed=1)
for label, dtype in (("fp32", np.float32), ("fp16", np.float16), ("int8", np.int8), ("int64", np.int64), ("uint16", np.uint16), ("fp64", np.float64)):
    x = random(256, seed=1, low=0).astype(dtype)
    case(f"copy-{label}", "i = tl.arange(0, 256)\ntl.store(OUT + i, tl.load(X + i))\n", X=x, OUT=Out(x))
case("copy-bf16", "i = tl.arange(0, 256)\ntl.store(OUT + i, tl.load(X + i))\n", X=Tensor(random(256), "bf16"), OUT=Out(random(256), "bf16"))
case("load-mask", "i = tl.arange(0, 64)\nx = tl.load(X + i, mask=i < 40, other=-1.0)\ntl.store(OUT + i, x)\n", X=X, OUT=Out(np.where(arange(64) < 40, X, -1).astype(np.float32)))
case("load-mask-out-of-bounds", "i = tl.arange(0, 64)\nx = tl.load(X + i, mask=i < 40, other=0.0)\ntl.store(OUT + i, x)\n", X=X[:40],
     OUT=Out(np.where(arange(64) < 40, X, 0).astype(np.float32)))
case("load-odd-mask", "i = tl.arange(0, 64)\nx = tl.load(X + i, mask=i % 3 == 0, other=i.to(tl.float32))\ntl.store(OUT + i, x)\n", X=X,
     OUT=Out(np.where(arange(64) % 3 == 0, X, arange(64)).astype(np.float32)))
case("store-mask", "i = tl.arange(0, 64)\ntl.store(OUT + i, i, mask=(i > 5) & (i < 50))\n", OUT=Out(np.where((arange(64) > 5) & (arange(64) < 50), arange(64), 77).astype(np.int32)))
case("scalar-load-store", "x = tl.load(X + 3)\ntl.store(OUT, x * 2)\ntl.store(OUT + 1, 5.0, mask=x > 1000.0)\n", X=X, OUT=Out(f32(2 * X[3], 77)))
case("store-broadcasts", "i = tl.arange(0, 64)\ntl.store(OUT + i, 3)\n", OUT=Out(np.full(64, 3, np.int32)))
case("strided", "i = tl.arange(0, 32)\ntl.store(OUT + i, tl.load(X + i * 2 + 1))\n", X=X, OUT=Out(X[1::2]))
case("reversed", "i = tl.arange(0, 64)\ntl.store(OUT + 63 - i, tl.load(X + i))\n", X=X, OUT=Out(X[::-1]))
case("indirect", "i = tl.arange(0, 64)\nk = tl.load(INDEX + i)\ntl.store(OUT + i, tl.load(X + k))\n", X=X, INDEX=(arange(64) * 5 % 64).astype(np.int32), OUT=Out(X[arange(64) * 5 % 64]))
case("cache-and-eviction", "i = tl.arange(0, 64)\nx = tl.load(X + i, cache_modifier='.cg', eviction_policy='evict_first')\ny = tl.load(X + i, volatile=True)\n"
     "tl.store(OUT + i, x + y, cache_modifier='.wt', eviction_policy='evict_last')\n", X=X, OUT=Out(2 * X))
case("pointer-arithmetic", "p = X + 8\np += 4\ni = tl.arange(0, 16)\np = p - 2\ntl.store(OUT + i, tl.load(p + i))\n", X=X, OUT=Out(X[10:26]))
case("pointer-select", "i = tl.arange(0, 64)\np = tl.where(i < 32, X + i, Y + i)\ntl.store(OUT + i, tl.load(p))\n", X=X, Y=-X, OUT=Out(np.where(arange(64) < 32, X, -X)))
M = random(40, 24, seed=6)
for warps in (1, 4):
    case(f"masked-matrix-{warps}w", "r = tl.arange(0, 64)[:, None]\nc = tl.arange(0, 32)[None, :]\nm = (r < 40) & (c < 24)\n"
         "x = tl.load(X + r * 24 + c, mask=m, other=0.0)\ntl.store(OUT + r * 24 + c, x * 2, mask=m)\n", X=M, OUT=Out(2 * M), _warps=warps)

# Block pointers.
BLOCK = ("p = tl.make_block_ptr(X, shape=(40, 24), strides=(24, 1), offsets=(tl.program_id(0) * 16, 0), block_shape=(16, 8), order=(1, 0))\n"
         "q = tl.make_block_ptr(OUT, shape=(40, 24), strides=(24, 1), offsets=(tl.program_id(0) * 16, 0), block_shape=(16, 8), order=(1, 0))\n")
case("block-pointer-loop", BLOCK + "for k in range(3):\n    x = tl.load(p, boundary_check=(0, 1), padding_option='zero')\n"
     "    tl.store(q, x + 1.0, boundary_check=(0, 1))\n    p = tl.advance(p, (0, 8))\n    q = tl.advance(q, (0, 8))\n", X=M, OUT=Out(M + 1), _grid=(3,))
case("block-pointer-transposed", "p = tl.make_block_ptr(X, (24, 40), (1, 24), (0, 0), (16, 32), (0, 1))\nx = tl.load(p, boundary_check=(0,))\n"
     "r = tl.arange(0, 16)[:, None]\nc = tl.arange(0, 32)[None, :]\ntl.store(OUT + r * 32 + c, x)\n", X=M, OUT=Out(np.ascontiguousarray(M.T[:16, :32])))
case("block-pointer-padding-nan", "p = tl.make_block_ptr(X, (40,), (1,), (32,), (16,), (0,))\nx = tl.load(p, boundary_check=(0,), padding_option='nan')\n"
     "i = tl.arange(0, 16)\ntl.store(OUT + i, tl.where(x != x, 9.0, x))\n", X=M[:, 0].copy(), OUT=Out(np.concatenate([M[32:40, 0], np.full(8, 9, np.float32)])))
case("block-pointer-in-if", "n = tl.load(WHICH)\np = tl.make_block_ptr(X, (40, 24), (24, 1), (0, 0), (8, 8), (1, 0))\nif n > 0:\n    p = tl.advance(p, (8, 0))\n"
     "x = tl.load(p)\nr = tl.arange(0, 8)[:, None]\nc = tl.arange(0, 8)[None, :]\ntl.store(OUT + r * 8 + c, x)\n", X=M, WHICH=i32(1), OUT=Out(np.ascontiguousarray(M[8:16, :8])))

# Descriptors from the host.
D = random(64, 64, seed=2, dtype=np.float16)
case("descriptor-load-store", "x = X.load([16, 32])\nOUT.store([0, 0], x + x)\n", X=Descriptor(D, (32, 32)), OUT=OutDescriptor(2 * D[16:48, 32:64], (32, 32)))
case("descriptor-out-of-bounds", "x = X.load([48, 32])\nr = tl.arange(0, 32)[:, None]\nc = tl.arange(0, 32)[None, :]\ntl.store(OUT + r * 32 + c, x)\n",
     X=Descriptor(D, (32, 32)), OUT=Out(np.concatenate([D[48:, 32:], np.zeros((16, 32), np.float16)])))

# Atomics.
KEYS = random(256, seed=3, dtype=np.int32, low=0, high=8)
V = random(256, seed=4, dtype=np.int32, low=-9, high=10)


def folded(start, function):
    result = np.full(8, start, np.int32)
    for key, value in zip(KEYS, V):
        result[key] = function(int(result[key]), int(value))
    return result


for name, function in (("add", lambda a, b: a + b), ("max", max), ("min", min), ("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
    for warps in (1, 4):
        case(f"atomic-{name}-{warps}w", f"i = tl.arange(0, 256)\ntl.atomic_{name}(OUT + tl.load(KEYS + i), tl.load(V + i))\n", KEYS=KEYS, V=V,
             OUT=Out(folded(3, function), before=3), _warps=warps)
case("atomic-add-float", "i = tl.arange(0, 256)\ntl.atomic_add(OUT + tl.load(KEYS + i), tl.load(V + i).to(tl.float32), sem='relaxed', scope='gpu')\n", KEYS=KEYS, V=V,
     OUT=Out(folded(3, lambda a, b: a + b).astype(np.float32), before=3))
case("atomic-add-fp16", "i = tl.arange(0, 256)\ntl.atomic_add(OUT + tl.load(KEYS + i), tl.load(V + i).to(tl.float16))\n", KEYS=KEYS, V=V,
     OUT=Out(folded(3, lambda a, b: a + b).astype(np.float16), before=3))
case("atomic-max-min-float", "i = tl.arange(0, 256)\nv = tl.load(V + i).to(tl.float32) * 0.5\nk = tl.load(KEYS + i)\ntl.atomic_max(A + k, v)\ntl.atomic_min(B + k, v)\n", KEYS=KEYS, V=V,
     A=Out(folded(-2, max).astype(np.float32) * 0 + np.array([max(-2.0, *(V[KEYS == k] * 0.5)) for k in range(8)], np.float32), before=-2),
     B=Out(np.array([min(2.0, *(V[KEYS == k] * 0.5)) for k in range(8)], np.float32), before=2))
case("atomic-mask", "i = tl.arange(0, 256)\ntl.atomic_add(OUT + tl.load(KEYS + i), 1, mask=i < 100)\n", KEYS=KEYS, OUT=Out(np.bincount(KEYS[:100], minlength=8).astype(np.int32), before=0))
case("atomic-unsigned-max", "i = tl.arange(0, 256)\ntl.atomic_max(OUT + i * 0, (i * 16777619).to(tl.uint32))\n",
     OUT=Out(np.array([((np.arange(256, dtype=np.int64) * 16777619) % 2**32).max()], np.uint32), before=1))
case("atomic-64", "i = tl.arange(0, 256)\ntl.atomic_add(OUT + i * 0, i.to(tl.int64) << 33)\n", OUT=Out(np.array([sum(range(256)) << 33], np.int64), before=0))
case("atomic-old-values", "i = tl.arange(0, 32)\nold = tl.atomic_add(COUNT + i, i)\ntl.store(OUT + i, old + i)\n",
     COUNT=Out(arange(32) + 5, before=5), OUT=Out(arange(32) + 5), _warps=4)
case("atomic-scalar-ticket", "t = tl.atomic_add(COUNT, 1)\ni = tl.arange(0, 64)\ntl.store(OUT + t * 64 + i, t + i * 0)\n", COUNT=Out(i32(4), before=0),
     OUT=Out(np.repeat(arange(4), 64)), _grid=(4,))
case("atomic-xchg", "old = tl.atomic_xchg(CELL, 9)\ntl.store(OUT, old)\n", CELL=Out(i32(9), before=4), OUT=Out(i32(4)))
case("atomic-cas", "a = tl.atomic_cas(CELL, 4, 9)\nb = tl.atomic_cas(CELL, 4, 11)\ntl.store(OUT, a * 100 + b)\n", CELL=Out(i32(9), before=4), OUT=Out(i32(409)))
case("atomic-cas-tile", "i = tl.arange(0, 64)\nold = tl.atomic_cas(CELL + i, (i % 2) * 4, i)\ntl.store(OUT + i, old)\n",
     CELL=Out(np.where(arange(64) % 2 == 1, arange(64), 4).astype(np.int32), before=4), OUT=Out(np.full(64, 4, np.int32)))
case("spin-lock", "while tl.atomic_cas(LOCK, 0, 1, sem='acquire') == 1:\n    pass\nx = tl.load(OUT, volatile=True)\ntl.debug_barrier()\ntl.store(OUT, x * 2 + 1)\ntl.debug_barrier()\n"
     "tl.atomic_xchg(LOCK, 0, sem='release')\n", LOCK=Out(i32(0), before=0), OUT=Out(i32(15), before=0), _grid=(4,), _warps=1)

# Buffer accesses are AMD's instructions; elsewhere they are loads, stores and copies.
BUFFER = np.arange(64, dtype=np.float32)
case("buffer-load", "i = tl.arange(0, 64)\ntl.store(OUT + i, tlx.buffer_load(X, i))\n", X=BUFFER, OUT=Out(BUFFER))
case("buffer-load-masked", "i = tl.arange(0, 64)\ntl.store(OUT + i, tlx.buffer_load(X, i, mask=i < 40, other=-1.0))\n", X=BUFFER, OUT=Out(np.where(BUFFER < 40, BUFFER, -1).astype(np.float32)))
case("buffer-store", "i = tl.arange(0, 64)\ntlx.buffer_store(tl.load(X + i), OUT, i, mask=i < 40)\n", X=BUFFER, OUT=Out(np.where(BUFFER < 40, BUFFER, 7).astype(np.float32), before=7))
case("buffer-load-to-local", "i = tl.arange(0, 64)\nb = tlx.local_alloc((64,), tl.float32, 1)\ntlx.buffer_load_to_local(b[0], X, i)\ntlx.async_load_commit_group()\ntlx.async_load_wait_group(0)\n"
     "tl.store(OUT + i, tlx.local_load(b[0]))\n", X=BUFFER, OUT=Out(BUFFER))
