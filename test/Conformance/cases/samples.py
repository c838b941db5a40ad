"""The samples of samples/plain, with sizes that are no multiples of their blocks."""
import numpy as np
from case import NVIDIA, TARGETS, Descriptor, Out, OutDescriptor, Tensor, arange, f32, i32, normal, random, sample


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
# Rows of 80 and 144 elements, of which the matrices have 72 and 136: bounds and strides are not the same.
SA, SB = np.zeros((100, 80), np.float16), np.zeros((72, 144), np.float16)
SA[:], SB[:] = 7, 7
SA[:, :72], SB[:, :136] = A[:, :72], BM[:72]
STRIDED = np.full((100, 144), 5, np.float16)
STRIDED[:, :136] = (A[:, :72].astype(np.float32) @ BM[:72].astype(np.float32)).astype(np.float16)
sample("sample-matmul-strided", "matmul_strided.tlx", "matmul_strided", grid=(6,), defines=("GROUP=2",), a_ptr=SA, b_ptr=SB, c_ptr=Out(STRIDED, before=5), M=100, N=136, K=72,
       stride_am=80, stride_ak=1, stride_bk=144, stride_bn=1, stride_cm=144, stride_cn=1)
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

    if causal:
        continue
    whole = Out(np.einsum("hmn,hnd->hmd", softmax(scores), VV.astype(np.float64)).astype(np.float16), rtol=2e-3)
    sample("sample-attention-descriptor", "attention_descriptor.tlx", "attention_descriptor", grid=(1, 2), targets=NVIDIA, q_desc=Descriptor(Q, (1, 128, 64)), k_desc=Descriptor(K, (1, 64, 64)),
           v_desc=Descriptor(VV, (1, 64, 64)), out_desc=OutDescriptor(whole.values, (1, 128, 64), rtol=2e-3), length=100, scale=0.125)
BT = np.ascontiguousarray(BM.T)
sample("sample-matmul-persistent", "matmul_persistent.tlx", "matmul_persistent", grid=(2,), targets=NVIDIA, defines=("BM=64", "BN=64", "BK=32"), a_desc=Descriptor(A, (64, 32)), b_desc=Descriptor(BT, (64, 32)),
       c_desc=OutDescriptor(PRODUCT.astype(np.float16), (64, 64)), M=100, N=136, K=80)

# One new token: eight query heads for each of two heads of keys; alone, and with the keys of a head in four parts.
QD, KD, VD = normal(2, 8, 64, seed=1, dtype=np.float16), normal(2, 300, 64, seed=2, dtype=np.float16), normal(2, 300, 64, seed=3, dtype=np.float16)
SCORES = np.einsum("hmd,hnd->hmn", QD.astype(np.float64), KD.astype(np.float64)) * 0.125
DECODED = np.einsum("hmn,hnd->hmd", softmax(SCORES), VD.astype(np.float64))
for warps in (1, 4):
    sample(f"sample-decode-attention-{warps}w", "decode_attention.tlx", "decode_attention", grid=(2, 1), warps=warps, seeds=4, q_ptr=QD, k_ptr=KD, v_ptr=VD,
           out_ptr=Out(DECODED.astype(np.float16), rtol=2e-3), part_ptr=f32(0), weight_ptr=f32(0), length=300, scale=0.125)
# 300 keys in four parts of whole blocks of 64 are 128, 128 and 44 of them, and one part without any: weight 0.
PARTS = [slice(0, 128), slice(128, 256), slice(256, 300)]
WEIGHTS = np.stack([np.log2(np.exp(SCORES[:, :, p]).sum(-1)) for p in PARTS] + [np.full((2, 8), -np.inf)]).astype(np.float32)
SUMS = np.stack([np.einsum("hmn,hnd->hmd", softmax(SCORES[:, :, p]), VD[:, p].astype(np.float64)) for p in PARTS] + [np.zeros((2, 8, 64))]).astype(np.float32)
sample("sample-decode-attention-split", "decode_attention.tlx", "decode_attention", grid=(2, 4), defines=("SPLITS=4",), seeds=4, q_ptr=QD, k_ptr=KD, v_ptr=VD,
       out_ptr=Out(np.zeros(1, np.float16), before=0), part_ptr=Out(SUMS, rtol=1e-3), weight_ptr=Out(WEIGHTS, rtol=1e-4), length=300, scale=0.125)
sample("sample-decode-attention-combine", "decode_attention.tlx", "combine", grid=(16,), defines=("SPLITS=4",),
       part_ptr=SUMS, weight_ptr=WEIGHTS, out_ptr=Out(DECODED.astype(np.float16), rtol=2e-3), rows=16)

# The shorthand: roles by warp group, barriers without phases.
RA, RB = random(128, 128, seed=1, dtype=np.float16, low=-2, high=3), random(128, 64, seed=2, dtype=np.float16, low=-2, high=3)
sample("sample-roles", "../gemm_roles.tlx", "gemm_roles", grid=(2,), targets=NVIDIA, defines=("BM=64", "BN=64", "BK=64", "NUM_STAGES=2"), warps=8, a_ptr=RA, b_ptr=RB,
       c_ptr=Out((RA.astype(np.float32) @ RB.astype(np.float32)).astype(np.float16)), M=128, N=64, K=128, stride_am=128, stride_ak=1, stride_bk=64, stride_bn=1, stride_cm=64)

# The gradients in double precision: dV = Pᵀ·dO, dP = dO·Vᵀ, dS = P ∘ (dP - rowsum(O ∘ dO)), dQ = scale · dS·K, dK = scale · dSᵀ·Q.
DO = normal(2, 100, 64, seed=5, dtype=np.float16)
for causal in (False, True):
    q, k, v, do = (x.astype(np.float64) for x in (Q, K, VV, DO))
    scores = np.einsum("hmd,hnd->hmn", q, k) * 0.125
    if causal:
        scores = np.where(arange(100)[:, None] >= arange(100), scores, -np.inf)
    p = softmax(scores)
    out = np.einsum("hmn,hnd->hmd", p, v)
    lse = (np.log(np.exp(scores - scores.max(-1, keepdims=True)).sum(-1)) + scores.max(-1)).astype(np.float32)
    delta = (out * do).sum(-1)
    ds = p * (np.einsum("hmd,hnd->hmn", do, v) - delta[..., None])
    inputs = dict(q_ptr=Q, k_ptr=K, v_ptr=VV, dout_ptr=DO, lse_ptr=lse, delta_ptr=delta.astype(np.float32))
    mask = "-causal" if causal else ""
    sample(f"sample-attention-backward-kv{mask}", "attention_backward.tlx", "attention_backward_kv", grid=(2, 2), defines=(f"CAUSAL={causal}",), **inputs,
           dk_ptr=Out((np.einsum("hmn,hmd->hnd", ds, q) * 0.125).astype(np.float16), rtol=3e-3),
           dv_ptr=Out(np.einsum("hmn,hmd->hnd", p, do).astype(np.float16), rtol=3e-3), length=100, scale=0.125)
    sample(f"sample-attention-backward-q{mask}", "attention_backward.tlx", "attention_backward_q", grid=(2, 2), defines=(f"CAUSAL={causal}",), **inputs,
           dq_ptr=Out((np.einsum("hmn,hnd->hmd", ds, k) * 0.125).astype(np.float16), rtol=3e-3), length=100, scale=0.125)
OUT16 = out.astype(np.float16)
sample("sample-attention-delta", "attention_backward.tlx", "attention_delta", grid=(2, 2), out_ptr=OUT16, dout_ptr=DO,
       delta_ptr=Out((OUT16.astype(np.float64) * DO.astype(np.float64)).sum(-1).astype(np.float32), rtol=1e-5), length=100)

LENGTHS = (70, 0, 1, 130)
OFFSETS = np.cumsum((0,) + LENGTHS).astype(np.int64)
JQ, JK, JV = (normal(OFFSETS[-1], 2, 64, seed=s, scale=1.0) for s in (11, 12, 13))


def as_bf16(x):
    """Rounded to nearest even, as float32."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)


JQ, JK, JV = as_bf16(JQ), as_bf16(JK), as_bf16(JV)
jagged = np.zeros(JQ.shape)
for a, b in zip(OFFSETS, OFFSETS[1:]):
    scores = np.einsum("mhd,nhd->hmn", JQ[a:b].astype(np.float64), JK[a:b].astype(np.float64)) * 0.125
    if b > a:
        jagged[a:b] = np.einsum("hmn,nhd->mhd", softmax(scores), JV[a:b].astype(np.float64))
sample("sample-jagged-attention", "jagged_attention.tlx", "jagged_attention", grid=(3, 2, 4), defines=("HEADS=2",), q_ptr=Tensor(JQ, "bf16"), k_ptr=Tensor(JK, "bf16"),
       v_ptr=Tensor(JV, "bf16"), out_ptr=Out(jagged.astype(np.float32), "bf16", rtol=1.2e-2), offsets_ptr=OFFSETS, scale=0.125)

LX, LW, LB = normal(3, 900, seed=21), normal(900, seed=22), normal(900, seed=23)
LN = (LX - LX.mean(1, dtype=np.float64)[:, None]) / np.sqrt(LX.astype(np.float64).var(1)[:, None] + 1e-5)
for ctas in (1, 2, 4):
    sample(f"sample-layer-norm-cluster-{ctas}", "../layer_norm_cluster.tlx", "layer_norm_cluster", grid=(3 * ctas,), defines=(f"BLOCK={1024 // ctas}", f"CTAS={ctas}"),
           cluster=(ctas, 1, 1) if ctas > 1 else None, targets=NVIDIA, seeds=20, x_ptr=LX, weight_ptr=LW, bias_ptr=LB, y_ptr=Out((LN * LW + LB).astype(np.float32), rtol=1e-6), columns=900, eps=1e-5)

# Every code of every format, and scales from 2^-10 to 2^9; products of small integers of e4m3 are exact.
E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6], np.float64)


def e4m3(bits):
    sign, exponent, mantissa = np.where(bits & 128, -1.0, 1.0), (bits >> 3 & 15).astype(np.float64), (bits & 7).astype(np.float64)
    return sign * np.where(exponent > 0, (1 + mantissa / 8) * 2.0 ** (exponent - 7), mantissa / 8 * 2.0 ** -6)


def e5m2(bits):
    sign, exponent, mantissa = np.where(bits & 128, -1.0, 1.0), (bits >> 2 & 31).astype(np.float64), (bits & 3).astype(np.float64)
    return sign * np.where(exponent > 0, (1 + mantissa / 4) * 2.0 ** (exponent - 15), mantissa / 4 * 2.0 ** -14)


def e2m1(bits):
    pairs = np.stack([bits & 15, bits >> 4], -1).reshape(bits.shape[0], -1)
    return np.where(pairs & 8, -1.0, 1.0) * E2M1[pairs & 7]


DECODE = {"e4m3": e4m3, "e5m2": e5m2, "e2m1": e2m1}
generator = np.random.default_rng(31)


def codes(rows, k, form):
    if form == "e2m1":
        return generator.integers(0, 256, (rows, k // 2)).astype(np.uint8)
    # Neither NaN nor infinite.
    most = 0x7F if form == "e4m3" else 0x7C
    return (generator.integers(0, most, (rows, k)) | generator.integers(0, 2, (rows, k)) << 7).astype(np.uint8)


for form_a, form_b in (("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e4m3", "e2m1"), ("e5m2", "e4m3")):
    a, b = codes(70, 160, form_a), codes(90, 160, form_b)
    sa, sb = (generator.integers(117, 137, (rows, 5)).astype(np.uint8) for rows in (70, 90))
    wide_a, wide_b = (DECODE[form](x) * np.repeat(2.0 ** (s.astype(np.float64) - 127), 32, 1) for form, x, s in ((form_a, a, sa), (form_b, b, sb)))
    sample(f"sample-block-scaled-{form_a}-{form_b}", "block_scaled_matmul.tlx", "block_scaled_matmul", grid=(2, 3), defines=(f"A_FORMAT={form_a}", f"B_FORMAT={form_b}"), a_ptr=a, a_scale_ptr=sa,
           b_ptr=b, b_scale_ptr=sb, c_ptr=Out((wide_a @ wide_b.T).astype(np.float32), rtol=1e-6), M=70, N=90, K=160)
    # Tiles that fit the block-scaled products of tensor cores that have them.
    for bn, bk in ((32, 64), (128, 128)):
        sample(f"sample-block-scaled-{form_a}-{form_b}-128x{bn}x{bk}", "block_scaled_matmul.tlx", "block_scaled_matmul", grid=(1, -(-90 // bn)), targets=NVIDIA, seeds=4,
               defines=(f"A_FORMAT={form_a}", f"B_FORMAT={form_b}", "BM=128", f"BN={bn}", f"BK={bk}"), a_ptr=a, a_scale_ptr=sa, b_ptr=b, b_scale_ptr=sb,
               c_ptr=Out((wide_a @ wide_b.T).astype(np.float32), rtol=1e-6), M=70, N=90, K=160)

# The GEMM for AMD in its configurations of 64 KB and less; K of less than a step, of several and a rest.
for bm, bn, bk, stages, warps in ((128, 128, 64, 2, 4), (256, 128, 32, 2, 8), (128, 128, 32, 4, 4), (128, 64, 64, 2, 4), (64, 64, 64, 2, 4)):
    for k in (24, 136):
        a, b = random(136, k, seed=1, dtype=np.float16, low=-2, high=3), random(72, k, seed=2, dtype=np.float16, low=-2, high=3)
        sample(f"sample-gemm-amd-{bm}x{bn}x{bk}-{k}", "../gemm_amd.tlx", "gemm_amd", grid=(-(-136 // bm) * -(-72 // bn),), warps=warps, targets=("gfx942", "gfx950"),
               defines=(f"BM={bm}", f"BN={bn}", f"BK={bk}", f"NUM_STAGES={stages}", "GROUP=2"), seeds=20 if k == 24 else 4, a_ptr=a, b_ptr=b,
               c_ptr=Out((a.astype(np.float32) @ b.astype(np.float32).T).astype(np.float16)), M=136, N=72, K=k)
