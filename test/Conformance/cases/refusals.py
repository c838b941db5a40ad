"""What must not compile: the kind of the error and the line it is at."""
import numpy as np
from case import Out, f32, i32, random, refused

X, OUT = random(64), Out(random(64))
refused("refuse-matrix-shapes", "a = tl.zeros((16, 32), tl.float16)\nb = tl.zeros((16, 16), tl.float16)\nc = tl.dot(a, b)\n", "shape-mismatch", 3, X=X)
refused("refuse-dot-types", "a = tl.zeros((16, 16), tl.float16)\nb = tl.zeros((16, 16), tl.float32)\nc = tl.dot(a, b)\n", "argument-type", 3, X=X)
refused("refuse-dot-precision", "a = tl.zeros((16, 16), tl.float32)\nc = tl.dot(a, a, input_precision='fp8')\n", "argument-type", 2, X=X)
refused("refuse-gather-shape", "a = tl.zeros((16, 16), tl.float32)\ni = tl.zeros((8, 8), tl.int32)\nb = tl.gather(a, i, 1)\n", "shape-mismatch", 3, X=X)
refused("refuse-gather-float-index", "a = tl.zeros((16,), tl.float32)\nb = tl.gather(a, a, 0)\n", "argument-type", 2, X=X)
refused("refuse-axis", "a = tl.zeros((16, 16), tl.float32)\nb = tl.sum(a, 2)\n", "index-out-of-range", 2, X=X)
refused("refuse-histogram-float", "a = tl.zeros((16,), tl.float32)\nb = tl.histogram(a, 16)\n", "argument-type", 2, X=X)
refused("refuse-histogram-bins", "a = tl.zeros((16,), tl.int32)\nb = tl.histogram(a, 12)\n", "tile-extent", 2, X=X)
refused("refuse-library-operand", "p = X + tl.arange(0, 16)\nb = tl.sort(p)\n", "operand-type", 2, X=X)
refused("refuse-tile-condition", "a = tl.zeros((16,), tl.float32)\nif a > 1.0:\n    a = a + 1.0\n", "operand-type", 2, X=X)
# Where an `if` runs both sides, neither touches memory; both give one type.
refused("refuse-reduce-memory", "a = tl.zeros((16,), tl.float32)\nb = tl.map_elementwise(pick, a, X)\n", "unsupported-construct", -6, X=X,
        _helpers="@triton.jit\ndef pick(a, p):\n    if a > 1.0:\n        return tl.load(p)\n    return a\n")
refused("refuse-elementwise-types", "a = tl.zeros((16,), tl.float32)\nb = tl.map_elementwise(pick, a)\n", "operand-type", -6, X=X,
        _helpers="@triton.jit\ndef pick(a):\n    if a > 1.0:\n        return (a, a)\n    return a\n")
refused("refuse-block-pointer-rank", "p = tl.make_block_ptr(X, (8, 8), (8, 1), (0,), (8, 8), (1, 0))\n", "argument-type", 1, X=X)
refused("refuse-block-pointer-order", "p = tl.make_block_ptr(X, (8, 8), (8, 1), (0, 0), (8, 8), (1, 1))\n", "shape-mismatch", 1, X=X)
refused("refuse-boundary-axis", "p = tl.make_block_ptr(X, (8, 8), (8, 1), (0, 0), (8, 8), (1, 0))\nx = tl.load(p, boundary_check=(2,))\n", "index-out-of-range", 2, X=X)
refused("refuse-advance-pointer", "p = tl.advance(X, (1,))\n", "argument-type", 1, X=X)
refused("refuse-atomic-order", "tl.atomic_add(X, 1.0, sem='strong')\n", "argument-type", 1, X=X)
refused("refuse-atomic-and-float", "tl.atomic_and(X, 1.0)\n", "unsupported-option", 1, X=X)
refused("refuse-cas-bytes", "tl.atomic_cas(X, 1, 2)\n", "argument-type", 1, X=np.zeros(4, np.int8))
refused("refuse-remote-store-alone", "s = tlx.local_alloc((64,), tl.float32, 1)\ntlx.remote_shmem_store(s[0], tl.zeros((64,), tl.float32), 1)\n", "argument-type", 2, X=X)
refused("refuse-remote-rank", "s = tlx.local_alloc((64,), tl.float32, 1)\ntlx.remote_shmem_store(s[0], tl.zeros((64,), tl.float32), 2)\n", "index-out-of-range", 2, X=X, _cluster=(2, 1, 1))
refused("refuse-async-remote-bytes", "s = tlx.local_alloc((64,), tl.float16, 1)\nb = tlx.alloc_barriers(1)\ntlx.async_remote_shmem_store(s[0], tl.zeros((64,), tl.float16), 1, b[0])\n", "argument-type", 3, X=X, _cluster=(2, 1, 1))
refused("refuse-bulk-size", "s = tlx.local_alloc((64,), tl.float32, 1)\ntlx.async_store(X, s[0], 24)\n", "argument-type", 2, X=X)
refused("refuse-scatter-shape", "s = tlx.local_alloc((64,), tl.float32, 1)\nv = tl.zeros((32,), tl.float32)\ni = tl.arange(0, 64)\ntlx.local_scatter(s[0], v, i, 0)\n", "shape-mismatch", 4, X=X)
refused("refuse-reinterpret-bytes", "s = tlx.local_alloc((64,), tl.float32, 1)\nv = tlx.local_reinterpret(s[0], tl.int8, (64,))\n", "shape-mismatch", 2, X=X)
refused("refuse-prefetch-level", "tlx.prefetch(X, level='L3')\n", "argument-type", 1, X=X)
refused("refuse-float8-arithmetic", "i = tl.arange(0, 64)\nx = tl.load(X + i).to(tl.float8e5)\ny = x + x\ntl.store(X + i, y.to(tl.float32))\n", "unsupported-float8", 3, X=X)
refused("refuse-rounding-mode", "i = tl.arange(0, 64)\nx = tl.load(X + i).to(tl.float16, fp_downcast_rounding='up')\n", "argument-type", 2, X=X)
refused("refuse-static-assert", "tl.static_assert(1 > 2, 'no')\n", "static-assert-failed", 1, X=X)
refused("refuse-unknown-builtin", "x = tl.arrange(0, 4)\n", "unknown-name", 1, X=X)
refused("refuse-extent", "x = tl.arange(0, 12)\n", "tile-extent", 1, X=X)
refused("refuse-extent-12", "x = tl.zeros((16, 12), tl.float32)\n", "tile-extent", 1, X=X)
refused("refuse-extent-over-threads", "x = tl.zeros((16, 24), tl.float32)\ntl.store(X + tl.arange(0, 16), tl.sum(x, 1))\n",
        "tile-extent", 1, X=X)
refused("refuse-panels", "b = tlx.local_alloc((160, 128), tl.float16, 1)\nx = tlx.local_load(b[0])\n", "tile-extent", 2, X=X)
refused("refuse-slice-between", "x = tlx.extract_slice(tl.zeros((16, 16), tl.float32), [8, 8], [4, 0])\n", "index-out-of-range", 1, X=X)
refused("refuse-slice-outside", "x = tlx.extract_slice(tl.zeros((16, 16), tl.float32), [8, 8], [0, 16])\n", "index-out-of-range", 1, X=X)
refused("refuse-slice-rank", "x = tlx.extract_slice(tl.zeros((16, 16), tl.float32), [8], [0, 0])\n", "shape-mismatch", 1, X=X)
from case import Descriptor
D = Descriptor(random(64, 64, dtype=np.float16), (32, 32))
refused("refuse-descriptor-gather", "i = tl.arange(0, 32)\nx = D.gather(i, 0)\n", "unsupported-builtin", 2, D=D)
refused("refuse-descriptor-scatter", "i = tl.arange(0, 32)\nD.scatter(1, i, 0)\n", "unsupported-builtin", 2, D=D)
refused("refuse-sched-barrier", "tlx.amd_sched_barrier()\n", "feature-missing", 1, X=X, _targets=("sm_90a",))
refused("refuse-pipeline-stage", "for k in range(0, 4):\n    with tlx.warp_pipeline_stage('a'):\n        tl.store(X + k, 0.0)\n", "feature-missing", 2, X=X, _targets=("sm_90a",))
refused("refuse-pipeline-stage-alone", "x = tlx.warp_pipeline_stage('a')\n", "task-form", 1, X=X)
for name, call in ((("tlx-" + name.replace("_", "-").replace(".", "-"), f"tlx.{name}(1)") for name in (
                       "warp_redux", "update_tensor_descriptor", "async_amd_descriptor_load", "async_amd_descriptor_load_fused", "async_amd_descriptor_store", "async_amd_descriptor_wait",
                       "amd_descriptor_prefetch_tensor", "dot_scaled", "amd_scheduled_mfma", "amd_mfma_commit", "amd_register_resident", "amd_register_handoff",
                       "require_amd_wmma_layout", "rematerialized_range", "buffer_atomic_add"))):
    refused(f"refuse-other-target-{name}", f"x = {call}\n", "unsupported-builtin", 1, X=X)
refused("refuse-wait-remote", "b = tlx.alloc_barriers(1)\ntlx.barrier_wait(tlx.remote_view(b[0], 1), 0)\n", "argument-type", 2, X=X, _cluster=(2, 1, 1))
refused("refuse-target-tcgen05-commit", "tlx.tcgen05_commit(tlx.alloc_barriers(1)[0])\n", "feature-missing", 1, X=X)
refused("refuse-subslice-number", "x = tlx.subslice(1, 0, 16)\n", "argument-type", 1, X=X)
refused("refuse-clc-consumer-number", "x = tlx.clc_consumer(1)\n", "argument-type", 1, X=X)
refused("refuse-clc-producer-alone", "c = tlx.clc_create_context(1)\ntlx.clc_producer(c, 1)\n", "feature-missing", 2, X=X, _targets=("sm_90a",))
