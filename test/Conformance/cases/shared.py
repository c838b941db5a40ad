"""Shared memory: buffers, views, lookups, copies with and without tensor maps, barriers, tasks, clusters."""
import numpy as np
from case import Descriptor, Out, OutDescriptor, Tensor, arange, case, f32, i32, normal, random

X = random(32, 64, seed=3)
GRID = "r = tl.arange(0, 32)[:, None]\nc = tl.arange(0, 64)[None, :]\no = r * 64 + c\nx = tl.load(X + o)\n"
SAVE = "tl.store(OUT + o, z)\n"
for t, dtype, element in (("float32", np.float32, None), ("float16", np.float16, None), ("bfloat16", np.float32, "bf16"), ("int8", np.int8, None), ("int64", np.int64, None), ("float8e5", np.float32, "fp8e5")):
    for warps in (1, 4):
        x = random(32, 64, seed=3, dtype=dtype)
        case(f"local-{t}-{warps}w", GRID + f"s = tlx.local_alloc((32, 64), tl.{t}, 2)\ntlx.local_store(s[1], x)\nz = tlx.local_load(s[1])\n" + SAVE,
             X=Tensor(x, element) if element else x, OUT=Out(x, element), _warps=warps)
case("local-view-dynamic", GRID + "s = tlx.local_alloc((32, 64), tl.float32, 3)\nfor k in range(3):\n    tlx.local_store(tlx.local_view(s, k), x + k)\nz = tlx.local_load(s[tl.load(K)])\n" + SAVE,
     X=X, K=i32(2), OUT=Out(X + 2))
case("local-slice", GRID + "s = tlx.local_alloc((32, 64), tl.float32, 1)\ntlx.local_store(s[0], x)\nv = tlx.local_slice(s[0], [16, 32], [16, 32])\nz = tlx.local_load(v)\n"
     "a = tl.arange(0, 16)[:, None]\nb = tl.arange(0, 32)[None, :]\ntl.store(OUT + a * 32 + b, z)\n", X=X, OUT=Out(np.ascontiguousarray(X[16:, 32:])))
case("local-trans", GRID + "s = tlx.local_alloc((32, 64), tl.float32, 1)\ntlx.local_store(s[0], x)\nz = tl.trans(tlx.local_load(tlx.local_trans(s[0])))\n" + SAVE, X=X, OUT=Out(X))
case("local-reshape", GRID + "s = tlx.local_alloc((2048,), tl.float32, 1)\ntlx.local_store(s[0], tl.ravel(x))\nz = tlx.local_load(tlx.local_reshape(s[0], (32, 64)))\n" + SAVE, X=X, OUT=Out(X))
case("local-reinterpret", GRID + "s = tlx.local_alloc((32, 64), tl.float32, 1)\ntlx.local_store(s[0], x)\nz = tlx.local_load(tlx.local_reinterpret(s[0], tl.int32))\n" + SAVE, X=X, OUT=Out(X.view(np.int32)))
case("local-reinterpret-halves", GRID + "s = tlx.local_alloc((32, 64), tl.float32, 1)\ntlx.local_store(s[0], x)\nz = tlx.local_load(tlx.local_reinterpret(s[0], tl.int16))\n"
     "q = tl.arange(0, 128)[None, :]\ntl.store(OUT + r * 128 + q, z)\n", X=X, OUT=Out(X.view(np.int16)))
case("local-reinterpret-shape", GRID + "s = tlx.local_alloc((2048,), tl.float32, 1)\ntlx.local_store(s[0], tl.ravel(x))\nz = tlx.local_load(tlx.local_reinterpret(s[0], tl.float32, (64, 32)))\n"
     "tl.store(OUT + tl.arange(0, 64)[:, None] * 32 + tl.arange(0, 32)[None, :], z)\n", X=X, OUT=Out(X.reshape(64, 32)))
case("reuse", GRID + "s = tlx.local_alloc((32, 64), tl.float32, 1)\nt = tlx.local_alloc((32, 64), tl.float16, 1, reuse=s)\ntlx.local_store(s[0], x)\ny = tlx.local_load(s[0])\n"
     "tlx.local_store(t[0], y.to(tl.float16))\nz = tlx.local_load(t[0]).to(tl.float32)\n" + SAVE, X=X, OUT=Out(X))
INDEX = random(32, 64, seed=5, dtype=np.int32, low=0, high=64)
for t, dtype in (("float32", np.float32), ("float16", np.float16)):
    x = random(32, 64, seed=3, dtype=dtype)
    case(f"local-gather-{t}", GRID + f"s = tlx.local_alloc((32, 64), tl.{t}, 1)\ntlx.local_store(s[0], x)\nz = tlx.local_gather(s[0], tl.load(INDEX + o), 1)\n" + SAVE, X=x, INDEX=INDEX,
         OUT=Out(np.take_along_axis(x, INDEX, 1)))
PERMUTED = np.stack([np.random.default_rng(k).permutation(64) for k in range(32)]).astype(np.int32)
SCATTERED = np.zeros_like(X)
np.put_along_axis(SCATTERED, PERMUTED, X, 1)
for warps in (1, 4):
    case(f"local-scatter-{warps}w", GRID + "s = tlx.local_alloc((32, 64), tl.float32, 1)\ntlx.local_scatter(s[0], x, tl.load(INDEX + o), 1)\nz = tlx.local_load(s[0])\n" + SAVE, X=X, INDEX=PERMUTED, OUT=Out(SCATTERED), _warps=warps)

# cp.async.
ASYNC = GRID.replace("x = tl.load(X + o)\n", "") + "s = tlx.local_alloc((32, 64), tl.float32, 2)\n"
case("async-load", ASYNC + "t = tlx.async_load(X + o, s[0])\ng = tlx.async_load_commit_group([t])\ntlx.async_load_wait_group(0, [g])\nz = tlx.local_load(s[0])\n" + SAVE, X=X, OUT=Out(X), _seeds=2)
case("async-load-mask", ASYNC + "tlx.async_load(X + o, s[0], mask=r < 20)\ntlx.async_load_commit_group()\ntlx.async_load_wait_group(0)\nz = tlx.local_load(s[0])\n" + SAVE, X=X[:20], OUT=Out(np.where(arange(32)[:, None] < 20, np.pad(X[:20], ((0, 12), (0, 0))), 0).astype(np.float32)))
case("async-load-other", ASYNC + "tlx.async_load(X + o, s[0], mask=r < 20, other=7.0)\ntlx.async_load_commit_group()\ntlx.async_load_wait_group(0)\nz = tlx.local_load(s[0])\n" + SAVE, X=X[:20], OUT=Out(np.where(arange(32)[:, None] < 20, np.pad(X[:20], ((0, 12), (0, 0))), 7).astype(np.float32)), _seeds=2)
case("async-load-two-groups", ASYNC + "a = tlx.async_load(X + o, s[0])\na = tlx.async_load_commit_group([a])\nb = tlx.async_load(X + o, s[1])\nb = tlx.async_load_commit_group([b])\n"
     "tlx.async_load_wait_group(1)\ny = tlx.local_load(s[0])\ntlx.async_load_wait_group(0)\nz = tlx.local_load(s[1]) + y\n" + SAVE, X=X, OUT=Out(2 * X), _seeds=2)

# Bulk copies and tensor maps.
BULK = "i = tl.arange(0, 256)\ns = tlx.local_alloc((256,), tl.float32, 1)\nfull = tlx.alloc_barriers(1)\n"
V = random(256, seed=4)
case("bulk-load", BULK + "tlx.barrier_expect_bytes(full[0], 1024)\ntlx.async_load(X, s[0], bulk=True, barrier=full[0])\ntlx.barrier_wait(full[0], 0)\ntl.store(OUT + i, tlx.local_load(s[0]))\n", X=V, OUT=Out(V), _seeds=2)
case("bulk-store", BULK + "tlx.local_store(s[0], tl.load(X + i) * 2.0)\ntlx.fence('async_shared')\ntl.debug_barrier()\ntlx.async_store(OUT, s[0], 1024)\ntlx.async_descriptor_store_wait(0)\n", X=V, OUT=Out(2 * V), _seeds=2)
D = random(64, 64, seed=2, dtype=np.float16)
TMA = "s = tlx.local_alloc((32, 64), tl.float16, 1)\nfull = tlx.alloc_barriers(num_barriers=1, arrive_count=1)\ntlx.barrier_expect_bytes(bar=full[0], size=4096)\ntlx.async_descriptor_load(X, s[0], [16, 0], full[0])\ntlx.barrier_wait(full[0], 0)\n"
case("descriptor-copy", TMA + "z = tlx.local_load(s[0])\ntl.store(OUT + tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :], z)\n", X=Descriptor(D, (32, 64)), OUT=Out(D[16:48]), _seeds=2)
for reduce, function in (("", lambda old, new: new), ("add", lambda old, new: old + new), ("max", np.maximum), ("min", np.minimum)):
    option = f", store_reduce='{reduce}'" if reduce else ""
    case(f"descriptor-store{'-' + reduce if reduce else ''}", TMA + "tlx.fence_async_shared()\n" + f"tlx.async_descriptor_store(OUT, s[0], [0, 0]{option})\ntlx.async_descriptor_store_wait(0)\n",
         X=Descriptor(D, (32, 64)), OUT=OutDescriptor(function(np.full((32, 64), 1, np.float16), D[16:48]), (32, 64), before=1))
case("descriptor-prefetch", "tlx.async_descriptor_prefetch_tensor(X, [16, 0])\ntlx.prefetch(X)\n" + TMA + "z = tlx.local_load(s[0])\ntl.store(OUT + tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :], z)\n",
     X=Descriptor(D, (32, 64)), OUT=Out(D[16:48]))
case("prefetch", "i = tl.arange(0, 256)\ntlx.prefetch(X + i)\ntlx.prefetch(X + i, level='L1', mask=i < 5)\ntl.store(OUT + i, tl.load(X + i))\n", X=V, OUT=Out(V))

# Tasks and barriers.
case("tasks-handover", "s = tlx.local_alloc((256,), tl.float32, 1)\nfull = tlx.alloc_barriers(1)\nwith tlx.async_tasks():\n    with tlx.async_task('default'):\n        i = tl.arange(0, 256)\n"
     "        tlx.barrier_wait(full[0], 0)\n        tl.store(OUT + i, tlx.local_load(s[0]))\n    with tlx.async_task(num_warps=4):\n        i = tl.arange(0, 256)\n        tlx.local_store(s[0], tl.load(X + i) + 1.0)\n        tlx.barrier_arrive(full[0])\n",
     X=V, OUT=Out(V + 1), _seeds=3)
case("tasks-replicas", "with tlx.async_tasks():\n    with tlx.async_task('default'):\n        tl.store(OUT + 2, 7)\n    with tlx.async_task(num_warps=1, replicate=2):\n        k = tlx.async_task_replica_id()\n        tl.store(OUT + k, k + 5)\n", OUT=Out(i32(5, 6, 7)))
case("named-barriers", "s = tlx.local_alloc((256,), tl.float32, 1)\nwith tlx.async_tasks():\n    with tlx.async_task('default'):\n        i = tl.arange(0, 256)\n        tlx.named_barrier_wait(9, 256)\n        tl.store(OUT + i, tlx.local_load(s[0]))\n"
     "    with tlx.async_task(num_warps=4):\n        i = tl.arange(0, 256)\n        tlx.local_store(s[0], tl.load(X + i))\n        tlx.named_barrier_arrive(9, 256)\n", X=V, OUT=Out(V), _seeds=3)
case("warp-barrier", "s = tlx.local_alloc((256,), tl.float32, 1)\nfull = tlx.alloc_warp_barrier(1, num_warps=4)\nwith tlx.async_tasks():\n    with tlx.async_task('default'):\n        i = tl.arange(0, 256)\n        tlx.barrier_wait(full[0], 0)\n        tl.store(OUT + i, tlx.local_load(s[0]))\n"
     "    with tlx.async_task(num_warps=4):\n        i = tl.arange(0, 256)\n        tlx.local_store(s[0], tl.load(X + i))\n        tlx.barrier_arrive(full[0])\n", X=V, OUT=Out(V), _seeds=3)

# Clusters.
CLUSTER = dict(_cluster=(2, 1, 1), _grid=(2,), _seeds=2)
case("cluster-rank", "k = tlx.cluster_cta_rank()\ntl.store(OUT + k, k * 10 + tlx.cluster_size_1d())\n", OUT=Out(i32(2, 12)), **CLUSTER)
case("cluster-remote-store", "i = tl.arange(0, 128)\nk = tlx.cluster_cta_rank()\ns = tlx.local_alloc((128,), tl.float32, 1)\ntlx.remote_shmem_store(s[0], tl.load(X + k * 128 + i), k ^ 1)\ntlx.cluster_barrier()\n"
     "tl.store(OUT + k * 128 + i, tlx.local_load(s[0]))\n", X=V, OUT=Out(np.concatenate([V[128:], V[:128]])), **CLUSTER)
case("cluster-async-remote-store", "i = tl.arange(0, 128)\nk = tlx.cluster_cta_rank()\ns = tlx.local_alloc((128,), tl.float32, 1)\nfull = tlx.alloc_barriers(1)\ntlx.barrier_expect_bytes(full[0], 512)\ntlx.cluster_barrier()\n"
     "tlx.async_remote_shmem_store(s[0], tl.load(X + k * 128 + i), k ^ 1, full[0])\ntlx.barrier_wait(full[0], 0)\ntl.store(OUT + k * 128 + i, tlx.local_load(s[0]))\n", X=V, OUT=Out(np.concatenate([V[128:], V[:128]])), **CLUSTER)
case("cluster-remote-copy", "i = tl.arange(0, 128)\nk = tlx.cluster_cta_rank()\ns = tlx.local_alloc((128,), tl.float32, 2)\nfull = tlx.alloc_barriers(1)\ntlx.local_store(s[0], tl.load(X + k * 128 + i))\ntlx.fence('async_shared')\ntlx.barrier_expect_bytes(full[0], 512)\ntlx.cluster_barrier()\n"
     "tlx.async_remote_shmem_copy(s[1], s[0], k ^ 1, full[0])\ntlx.barrier_wait(full[0], 0)\ntl.store(OUT + k * 128 + i, tlx.local_load(s[1]))\ntlx.cluster_barrier()\n", X=V, OUT=Out(np.concatenate([V[128:], V[:128]])), **CLUSTER)
case("cluster-remote-arrive", "k = tlx.cluster_cta_rank()\nfull = tlx.alloc_barriers(1)\ntlx.fence_mbarrier_init_cluster()\ntlx.barrier_arrive(full[0], 1, remote_cta_rank=k ^ 1)\ntlx.barrier_wait(full[0], 0)\ntl.store(OUT + k, k + 1)\n", OUT=Out(i32(1, 2)), **CLUSTER)
case("fences", "tlx.fence('gpu')\ntlx.fence('sys')\ntl.store(OUT, 3)\n", OUT=Out(i32(3)))
case("cluster-remote-view", "k = tlx.cluster_cta_rank()\nfull = tlx.alloc_barriers(1)\ntlx.barrier_arrive(tlx.remote_view(full[0], k ^ 1))\ntlx.barrier_wait(full[0], 0)\ntl.store(OUT + k, k + 1)\n", OUT=Out(i32(1, 2)), **CLUSTER)

# What the emulator must see when the synchronisation is left out.
case("found-remote-store-unsynchronised", "i = tl.arange(0, 128)\nk = tlx.cluster_cta_rank()\ns = tlx.local_alloc((128,), tl.float32, 1)\ntlx.remote_shmem_store(s[0], tl.load(X + k * 128 + i), k ^ 1)\n"
     "tl.store(OUT + k * 128 + i, tlx.local_load(s[0]))\n", X=V, OUT=Out(V), _finding="race", _cluster=(2, 1, 1), _grid=(2,), _seeds=4)
case("found-bulk-load-too-few-bytes", BULK + "tlx.barrier_expect_bytes(full[0], 1024)\ntlx.async_load(X, s[0], bulk=True, bulk_size=512, barrier=full[0])\ntlx.barrier_wait(full[0], 0)\ntl.store(OUT + i, tlx.local_load(s[0]))\n",
     X=V, OUT=Out(V), _finding="waits for ever", _seeds=2)
case("found-bulk-load-not-waited", BULK + "tlx.barrier_expect_bytes(full[0], 1024)\ntlx.async_load(X, s[0], bulk=True, barrier=full[0])\ntl.store(OUT + i, tlx.local_load(s[0]))\ntlx.barrier_wait(full[0], 0)\n",
     X=V, OUT=Out(V), _finding="`s`", _seeds=4)
