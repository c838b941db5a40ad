"""GEMM against cuBLAS (torch.mm)."""

import torch

import measure
import shapes

TORCH = {"fp16": torch.float16, "bf16": torch.bfloat16}
CHECKED_ROWS = 1024


def cases(options):
    for dtype in shapes.GEMM_DTYPES:
        for layout in shapes.GEMM_LAYOUTS:
            for m, n, k in shapes.GEMM_SHAPES:
                yield {"dtype": dtype, "layout": layout, "M": m, "N": n, "K": k}


def label(case):
    return f"gemm {case['M']}, {case['N']}, {case['K']} {case['dtype']} {case['layout']}"


def group(case):
    return f"{case['dtype']} {case['layout']}"


def flops(case):
    return 2.0 * case["M"] * case["N"] * case["K"]


class Problem:
    """Inputs, outputs and reference of one case. T means that the operand is stored transposed."""

    def __init__(self, case):
        m, n, k, layout = case["M"], case["N"], case["K"], case["layout"]
        generator = torch.Generator(device="cuda").manual_seed(1)

        def random(rows, columns):
            values = torch.randn(rows, columns, device="cuda", generator=generator, dtype=torch.float32)
            return values.to(TORCH[case["dtype"]])

        self.a = random(m, k) if layout[0] == "N" else random(k, m)
        self.b = random(k, n) if layout[1] == "N" else random(n, k)
        self.math_a = self.a if layout[0] == "N" else self.a.t()
        self.math_b = self.b if layout[1] == "N" else self.b.t()
        self.c = torch.full((m, n), float("nan"), device="cuda", dtype=TORCH[case["dtype"]])
        self.peer_c = torch.empty_like(self.c)
        rows = torch.randperm(m, device="cuda", generator=generator)[:CHECKED_ROWS]
        self.rows = torch.unique(torch.cat([rows, torch.tensor([0, m - 1], device="cuda")]))
        self.reference = self.math_a[self.rows].double() @ self.math_b.double()
        # For kernels that cut tiles along K: sums and flags of each multiprocessor's program.
        programs = torch.cuda.get_device_properties(0).multi_processor_count
        partial = torch.full((programs, 128, 256), float("nan"), device="cuda", dtype=torch.float32)
        flag = torch.zeros(programs * 2, device="cuda", dtype=torch.int32)
        self.tensors = {"a": self.a, "b": self.b, "c": self.c, "partial": partial, "flag": flag}
        self.outputs = [self.c]

    def peer(self):
        return measure.Contestant("cuBLAS", lambda: torch.mm(self.math_a, self.math_b, out=self.peer_c))

    def errors(self):
        """After both have run: errors of the checked rows to float64, and ours to the peer's everywhere."""
        return {"error": measure.relative_error(self.c[self.rows], self.reference),
                "peer_error": measure.relative_error(self.peer_c[self.rows], self.reference),
                "difference_to_peer": difference(self.c, self.peer_c), "checked_rows": len(self.rows)}


def difference(found, expected):
    """Relative difference over everything, in pieces, so that the float64 copies stay small."""
    error = scale = 0.0
    for a, b in zip(found.split(2048), expected.split(2048)):
        a, b = a.double(), b.double()
        error, scale = error + float((a - b).square().sum()), scale + float(b.square().sum())
    return (error / scale) ** 0.5
