@triton.jit
def k(a_desc, p, n, S: tl.constexpr = 2):
    x = tlx.local_alloc((64, 64), tl.float16, S)
    full = tlx.alloc_barriers(S)
    empty = tlx.alloc_barriers(S)
    with tlx.async_tasks():
        with tlx.async_task("default"):
            for i in range(n):
                slot, phase = tlx.get_bufidx_phase(i, S)
                tlx.barrier_wait(full[slot], phase)
                t = tlx.local_load(x[slot])
                tlx.barrier_arrive(empty[slot])
                tl.store(p + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], t)
        with tlx.async_task(num_warps=1, registers=24, replicate=1):
            for i in range(n):
                slot, phase = tlx.get_bufidx_phase(i, S)
                tlx.barrier_wait(empty[slot], phase ^ 1)
                tlx.barrier_expect_bytes(full[slot], 8192)
                tlx.async_descriptor_load(a_desc, x[slot], [i * 64, 0], full[slot])
