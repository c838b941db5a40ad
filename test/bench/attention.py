"""Attention forward against cuDNN (torch's scaled_dot_product_attention)."""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import gemm
import measure
import shapes

CHECKED_HEADS = 4
CHECKED_ROWS = 256


def cases(options):
    for batch, heads, length, depth, dtype, causal in shapes.ATTENTION_SHAPES:
        yield {"B": batch, "H": heads, "N": length, "D": depth, "dtype": dtype, "causal": causal,
               "scale": depth ** -0.5}


def label(case):
    mask = "causal" if case["causal"] else "full"
    return f"attention {case['B']}, {case['H']}, {case['N']}, {case['D']} {case['dtype']} {mask}"


def group(case):
    return f"{case['dtype']} {'causal' if case['causal'] else 'full'}"


def flops(case):
    return 4.0 * case["B"] * case["H"] * case["N"] ** 2 * case["D"] * (0.5 if case["causal"] else 1.0)


class Problem:
    def __init__(self, case):
        self.case = case
        shape = (case["B"], case["H"], case["N"], case["D"])
        generator = torch.Generator(device="cuda").manual_seed(1)
        dtype = gemm.TORCH[case["dtype"]]
        self.q, self.k, self.v = [torch.randn(shape, device="cuda", generator=generator).to(dtype) for _ in range(3)]
        self.o = torch.full(shape, float("nan"), device="cuda", dtype=dtype)
        self.lse = torch.full(shape[:3], float("nan"), device="cuda", dtype=torch.float32)
        self.peer_o = None
        flat = lambda t: t.view(shape[0] * shape[1], *t.shape[2:])
        self.tensors = {"q": flat(self.q), "k": flat(self.k), "v": flat(self.v), "o": flat(self.o),
                        "lse": flat(self.lse)}
        self.outputs = [self.o, self.lse]
        self.choose_rows(generator)
        self.compute_reference()

    def choose_rows(self, generator):
        heads, length = self.case["B"] * self.case["H"], self.case["N"]
        picked = torch.randperm(heads, device="cuda", generator=generator)[:CHECKED_HEADS]
        self.heads = torch.unique(torch.cat([picked, torch.tensor([0, heads - 1], device="cuda")])).tolist()
        rows = torch.randperm(length, device="cuda", generator=generator)[:CHECKED_ROWS]
        self.rows = torch.unique(torch.cat([rows, torch.tensor([0, length - 1], device="cuda")]))

    def compute_reference(self):
        outputs, sums = [], []
        for head in self.heads:
            q, k, v = [self.tensors[name][head].double() for name in "qkv"]
            scores = q[self.rows] @ k.t() * self.case["scale"]
            if self.case["causal"]:
                columns = torch.arange(self.case["N"], device="cuda")
                scores.masked_fill_(columns[None, :] > self.rows[:, None], float("-inf"))
            sums.append(torch.logsumexp(scores, 1))
            outputs.append(torch.softmax(scores, 1) @ v)
        self.reference, self.reference_lse = torch.stack(outputs), torch.stack(sums)

    def peer(self):
        def run():
            self.peer_o = F.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=self.case["causal"])

        return measure.Contestant("cuDNN", run, lambda: sdpa_kernel(SDPBackend.CUDNN_ATTENTION))

    def errors(self, lse="natural"):
        rows = lambda t: torch.stack([t[head][self.rows] for head in self.heads])
        peer = self.peer_o.reshape(self.tensors["o"].shape)
        result = {"error": measure.relative_error(rows(self.tensors["o"]), self.reference),
                  "peer_error": measure.relative_error(rows(peer), self.reference),
                  "difference_to_peer": gemm.difference(self.tensors["o"].flatten(0, 1), peer.flatten(0, 1)),
                  "checked_rows": len(self.heads) * len(self.rows)}
        if lse:
            expected = self.reference_lse * (1.4426950408889634 if lse == "base2" else 1.0)
            result["lse_error"] = measure.relative_error(rows(self.tensors["lse"]), expected)
            result["lse_nan"] = int(self.lse.isnan().sum())
        return result
