#!/usr/bin/env python3
"""Measures compiled kernels beside cuBLAS and cuDNN in one process and checks every result against float64."""

import argparse
import math
import sys

import torch

import attention
import compile_time
import gemm
import measure
import report
import tlxrt
import variants as variant_file

KINDS = {"gemm": gemm, "attention": attention}
# Relative Frobenius error to float64 that counts as correct: rounding of the output, and of P for attention.
LIMITS = {"fp16": 2e-3, "bf16": 1e-2}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[], help="gemm, attention (default: both)")
    parser.add_argument("--variants", default=str(variant_file.HERE / "variants.json"), help="the variants file")
    parser.add_argument("--kernels", default="build/bench-kernels", help="folder that build_kernels.py filled")
    parser.add_argument("--library", default="build/lib/libtlxrt.so")
    parser.add_argument("--out", default="bench.json", help="JSON file")
    parser.add_argument("--all-variants", action="store_true",
                        help="measure every variant of a shape; the headline stays with the rule's choice")
    parser.add_argument("--only", default="", help="cases whose label has this text, such as `8192, 8192 fp16`")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--least-ms", type=float, default=2.0, help="length of one sample")
    parser.add_argument("--no-graph", action="store_true", help="launch one by one instead of replaying CUDA graphs")
    parser.add_argument("--bits", type=int, default=0, help="runs whose bits must be equal (50 is a good number)")
    parser.add_argument("--check-only", action="store_true", help="check the results, measure nothing")
    parser.add_argument("--tlxc", help="time this compiler, and Triton, as well")
    options = parser.parse_args()
    if unknown := [kind for kind in options.kinds if kind not in KINDS]:
        parser.error(f"unknown kind {unknown[0]}; known are {', '.join(KINDS)}")
    options.kinds = options.kinds or list(KINDS)
    return options


class Bench:
    def __init__(self, options):
        self.options = options
        self.library = tlxrt.Library(options.library)
        self.families = variant_file.load(options.variants)
        self.multiprocessors = self.library.multiprocessors()
        self.kernels, self.rows = {}, []

    def kernel(self, kind, name, case):
        path = variant_file.manifest_path(self.options.kernels, kind, name, case)
        if path and path not in self.kernels:
            self.kernels[path] = tlxrt.Kernel(self.library, path)
        return self.kernels.get(path)

    def launch(self, family, variant, kernel, case, problem):
        names = {**case, **kernel.manifest.get("constexprs", {}), "SMS": self.multiprocessors}
        cluster = kernel.manifest["launch"].get("cluster", [1, 1, 1])
        names["CLUSTER"] = math.prod(cluster)
        rule = variant.get("grid", family["grid"])
        if "MAX_CLUSTERS" in str(rule):
            names["MAX_CLUSTERS"] = kernel.max_active_clusters()
        grid = [int(variant_file.evaluate(size, names)) for size in rule]
        values = {}
        for name, template in variant.get("args", family["args"]).items():
            is_tensor = template in problem.tensors
            values[name] = problem.tensors[template] if is_tensor else variant_file.evaluate(template, names)
        return kernel.bind(grid, values)

    def wanted(self, kind, family, case):
        """Names of the variants to run, the rule's choice first."""
        choice = variant_file.chosen(family, {**case, "SMS": self.multiprocessors})
        others = [name for name, variant in family["variants"].items()
                  if name != choice and variant_file.applies(variant, case)]
        return [choice] + (others if self.options.all_variants else [])

    def run_case(self, kind, case):
        module, family = KINDS[kind], self.families[kind]
        names = [name for name in self.wanted(kind, family, case) if self.report_missing(kind, name, case)]
        if not names:
            return
        problem = module.Problem(case)
        choice = self.wanted(kind, family, case)[0]
        for name in names:
            row = {"case": module.label(case), "kind": kind, "group": module.group(case), "variant": name,
                   "headline": name == choice, **case}
            self.run_variant(module, family, name, case, problem, row)
            self.rows.append(row)
            print(report.line(row), flush=True)

    def report_missing(self, kind, name, case):
        if self.kernel(kind, name, case):
            return True
        print(f"{KINDS[kind].label(case):46} {name:14} not built")
        return False

    def run_variant(self, module, family, name, case, problem, row):
        variant, kernel = family["variants"][name], self.kernel(row["kind"], name, case)
        launch = self.launch(family, variant, kernel, case, problem)
        ours = measure.Contestant(name, lambda: launch(torch.cuda.current_stream().cuda_stream))
        peer = problem.peer()
        for output in problem.outputs:
            output.fill_(float("nan"))
        ours.run(1)
        peer.run(1)
        torch.cuda.synchronize()
        row.update(problem.errors(family["lse"]) if "lse" in family else problem.errors())
        row["grid"] = list(launch.grid)
        row["correct"] = is_correct(row, LIMITS[case["dtype"]])
        if self.options.bits:
            row["equal_bits"] = measure.equal_bits(lambda: ours.run(1), problem.outputs, self.options.bits)
        if not self.options.check_only:
            measure.interleave([ours, peer], self.options.repetitions, self.options.least_ms, not self.options.no_graph)
            row.update(timings(module.flops(case), ours, peer))

    def run(self):
        print(report.HEADER)
        for kind in self.options.kinds:
            for case in KINDS[kind].cases(self.options):
                if self.options.only in KINDS[kind].label(case):
                    self.run_case(kind, case)


def is_correct(row, limit):
    """Comparisons with NaN are false, so a result with a NaN is wrong."""
    outputs = row["error"] <= limit and row["difference_to_peer"] <= 2 * limit
    return outputs and row.get("lse_error", 0) <= 1e-3 and row.get("lse_nan", 0) == 0


def timings(work, ours, peer):
    """Times and rates; the ratio is the median over repetitions of the ratio of neighbouring samples."""
    ratios = sorted(p / o for o, p in zip(ours.samples, peer.samples))
    return {"ms": ours.median(), "peer_ms": peer.median(), "tflops": work / ours.median() / 1e9,
            "peer_tflops": work / peer.median() / 1e9, "ratio": ratios[len(ratios) // 2],
            "launches_per_sample": ours.launches, "samples": ours.samples, "peer_samples": peer.samples}


def main():
    options = parse_options()
    torch.cuda.init()
    bench = Bench(options)
    try:
        bench.run()
    finally:
        # Rows measured before a failure are worth keeping.
        compilation = compile_time.measure_apart(options.tlxc) if options.tlxc else {}
        report.write(options.out, bench.rows, [kernel.manifest for kernel in bench.kernels.values()], compilation)
        if compilation:
            print(compile_time.text(compilation))
    if not options.check_only:
        report.print_summary(bench.rows)
    wrong = [row for row in bench.rows if not row["correct"] or not row.get("equal_bits", True)]
    print(f"{len(bench.rows)} rows, {len(wrong)} wrong; written to {options.out}")
    return 1 if wrong or not bench.rows else 0


if __name__ == "__main__":
    sys.exit(main())
