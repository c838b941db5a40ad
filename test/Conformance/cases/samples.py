"""The samples of samples/plain, with sizes that are no multiples of their blocks."""
import numpy as np
from case import Out, arange, f32, i32, normal, random, sample


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


X = normal(7, 300)
sample("sample-softmax", "softmax.tlx", "softmax", grid=(3,), defines=("BLOCK=512",), x_ptr=X, out_ptr=Out(softmax(X.astype(np.float64)).astype(np.float32), rtol=1e-6),
       rows=7, columns=300, stride=300)

W, B, DY = normal(300, seed=2), normal(300, seed=3), normal(7, 300, seed=4)
MEAN, VAR = X.mean(1, dtype=np.float64), X.astype(np.float64).var(1)
SCALE = 1 / np.sqrt(VAR + 1e-5)
N = (X - MEAN[:, None]) * SCALE[:, None]
sample("sample-layer-norm-forward", "layer_norm.tlx", "layer_norm_forward", grid=(7,), defines=("BLOCK=512",), x_ptr=X, weight_ptr=W, bias_ptr=B,
       y_ptr=Out((N * W + B).astype(np.float32), rtol=1e-6), mean_ptr=Out(MEAN.astype(np.float32), rtol=1e-5), scale_ptr=Out(SCALE.astype(np.float32), rtol=1e-6), columns=300, eps=1e-5)
WDY = DY.astype(np.float64) * W
DX = (WDY - N * (N * WDY).mean(1, keepdims=True) - WDY.mean(1, keepdims=True)) * SCALE[:, None]
sample("sample-layer-norm-backward", "layer_norm.tlx", "layer_norm_backward", grid=(7,), defines=("BLOCK=512",), x_ptr=X, weight_ptr=W, dy_ptr=DY,
       mean_ptr=MEAN.astype(np.float32), scale_ptr=SCALE.astype(np.float32), dx_ptr=Out(DX.astype(np.float32), rtol=1e-5),
       dweight_ptr=Out((DY * N).sum(0).astype(np.float32), before=0, rtol=1e-5), dbias_ptr=Out(DY.sum(0), before=0, rtol=1e-5), columns=300)


def uniform(seed, count):
    """Philox again, as in functions.py, but here all counters at once."""
    mask = np.uint64(0xFFFFFFFF)
    c = [np.arange(count, dtype=np.uint64)] + [np.zeros(count, np.uint64) for _ in range(3)]
    k = [np.uint64(seed), np.uint64(0)]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ k[0], b & mask, (a >> np.uint64(32)) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + np.uint64(0x9E3779B9)) & mask, (k[1] + np.uint64(0xBB67AE85)) & mask]
    signed = c[0].astype(np.uint32).view(np.int32)
    return np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)


V = normal(1500, seed=9)
sample("sample-dropout", "dropout.tlx", "dropout", grid=(2,), x_ptr=V, out_ptr=Out(np.where(uniform(42, 1500) > 0.25, V / np.float32(0.75), 0).astype(np.float32), rtol=1e-6),
       n=1500, p=0.25, seed=42)

A, BM = random(100, 80, seed=1, dtype=np.float16, low=-2, high=3), random(80, 136, seed=2, dtype=np.float16, low=-2, high=3)
PRODUCT = A.astype(np.float32) @ BM.astype(np.float32)
sample("sample-matmul", "matmul.tlx", "matmul", grid=(6,), defines=("GROUP=2",), a_ptr=A, b_ptr=BM, c_ptr=Out(PRODUCT.astype(np.float16)), M=100, N=136, K=80)
sample("sample-split-k", "split_k.tlx", "split_k", grid=(6, 4), a_ptr=A, b_ptr=BM, c_ptr=Out(PRODUCT, before=0), M=100, N=136, K=80)
SIZES = [(100, 72, 48), (40, 136, 80), (64, 64, 32)]
AS = [random(m, k, seed=m, dtype=np.float16, low=-2, high=3) for m, n, k in SIZES]
BS = [random(k, n, seed=n, dtype=np.float16, low=-2, high=3) for m, n, k in SIZES]
sample("sample-grouped-gemm", "grouped_gemm.tlx", "grouped_gemm", grid=(3,), a_ptr=np.concatenate([a.reshape(-1) for a in AS]), b_ptr=np.concatenate([b.reshape(-1) for b in BS]),
       c_ptr=Out(np.concatenate([(a.astype(np.float32) @ b.astype(np.float32)).reshape(-1) for a, b in zip(AS, BS)])), sizes_ptr=np.array(SIZES, np.int32).reshape(-1), groups=3)
Q, K, VV = (normal(2, 100, 64, seed=s, dtype=np.float16) for s in (1, 2, 3))
for causal in (False, True):
    scores = np.einsum("hmd,hnd->hmn", Q.astype(np.float64), K.astype(np.float64)) * 0.125
    if causal:
        scores = np.where(arange(100)[:, None] >= arange(100), scores, -np.inf)
    sample(f"sample-attention{'-causal' if causal else ''}", "attention.tlx", "attention", grid=(2, 2), defines=(f"CAUSAL={causal}",), q_ptr=Q, k_ptr=K, v_ptr=VV,
           out_ptr=Out(np.einsum("hmn,hnd->hmd", softmax(scores), VV.astype(np.float64)).astype(np.float16), rtol=2e-3), length=100, scale=0.125)

# The shorthand: roles by warp group, barriers without phases.
RA, RB = random(128, 128, seed=1, dtype=np.float16, low=-2, high=3), random(128, 64, seed=2, dtype=np.float16, low=-2, high=3)
sample("sample-roles", "../gemm_roles.tlx", "gemm_roles", grid=(2,), defines=("BM=64", "BN=64", "BK=64", "NUM_STAGES=2"), warps=8, a_ptr=RA, b_ptr=RB,
       c_ptr=Out((RA.astype(np.float32) @ RB.astype(np.float32)).astype(np.float16)), M=128, N=64, K=128, stride_am=128, stride_ak=1, stride_bk=64, stride_bn=1, stride_cm=64)
