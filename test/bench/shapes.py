"""The shapes that are measured, and the cases that kernels are compiled for."""

GEMM_SHAPES = [(8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024), (16384, 4096, 4096),
               (8192, 28672, 4096), (8192, 4096, 14336), (128, 8192, 8192), (64, 4096, 16384), (1024, 32768, 1152),
               (3000, 5000, 4104)]
GEMM_DTYPES = ["fp16", "bf16"]
GEMM_LAYOUTS = ["NN", "NT"]

# B, H, N, D, type, causal.
ATTENTION_SHAPES = [
    (4, 32, 1024, 128, "fp16", False), (4, 32, 1024, 128, "fp16", True), (4, 32, 2048, 128, "fp16", False),
    (4, 32, 2048, 128, "fp16", True), (4, 32, 4096, 128, "fp16", False), (4, 32, 4096, 128, "fp16", True),
    (4, 32, 8192, 128, "fp16", False), (4, 32, 8192, 128, "bf16", False), (4, 32, 8192, 128, "fp16", True),
    (4, 32, 8192, 128, "bf16", True), (2, 16, 8192, 128, "fp16", False), (2, 16, 8192, 128, "bf16", False),
    (2, 16, 8192, 128, "fp16", True), (2, 16, 8192, 128, "bf16", True), (4, 32, 4096, 64, "fp16", False),
    (4, 32, 4096, 64, "fp16", True), (1, 16, 16384, 128, "fp16", False), (1, 16, 16384, 128, "fp16", True),
    (2, 8, 8192, 256, "fp16", False), (2, 8, 8192, 256, "bf16", False), (2, 8, 8192, 256, "fp16", True),
    (2, 8, 8192, 256, "bf16", True)]


def gemm_cases():
    return [{"dtype": d, "layout": l} for d in GEMM_DTYPES for l in GEMM_LAYOUTS]


def attention_cases():
    seen = []
    for _, _, _, depth, dtype, causal in ATTENTION_SHAPES:
        case = {"dtype": dtype, "D": depth, "causal": causal}
        if case not in seen:
            seen.append(case)
    return seen


CASES = {"gemm": gemm_cases, "attention": attention_cases}
