import triton
import triton.language as tl
import triton.language.extra.tlx as tlx

L = tlx.layout(shape=((32, 4), (1,)), stride=((1, 32), (0,)))


@triton.jit
def k(p, n, B: tl.constexpr):
    i = tl.arange(0, 128)
    x = tlx.require_layout(tl.load(p + i), L)
    y = tlx.zeros((128,), tl.float32, layout=tlx.layout("((_2,_64),_1):((_64,_1),_0)"))
    tlx.assert_same_layout(x, tlx.release_layout(x + y))
    b = tlx.local_alloc((64, 64), tl.float16, B, layout=tlx.swizzled_layout(3, 3, 3))
    m = tlx.amd_mfma_layout(4, [32, 32, 16], True, [2, 2])
    z = tlx.local_load(b[0], layout=tlx.dot_operand_layout(0, m, 8))
    s = tlx.local_alloc((2, 2), tl.int32, 1, layout=tlx.shared_linear_layout_encoding([[0, 1], [1, 0]]))
    tl.store(p + i, x)
