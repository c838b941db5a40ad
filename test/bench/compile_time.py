#!/usr/bin/env python3
"""Times the compilation of a kernel: tlxc as a process, and Triton 3.x with an empty cache where it is installed."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TRITON_KERNEL = '''
import sys, time
start = time.perf_counter()
import torch, triton, triton.language as tl
@triton.jit
def gemm(a, b, c, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm, rn, rk = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    pa, pb = a + rm[:, None] * sam + rk[None, :], b + rk[:, None] * sbk + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BK
        pb += BK * sbk
    tl.store(c + rm[:, None] * scm + rn[None, :], acc.to(tl.float16))
x = torch.zeros(512, 512, device="cuda", dtype=torch.float16)
torch.cuda.synchronize()
before = time.perf_counter()
gemm[(4, 4)](x, x, x, 512, 512, 512, 512, 512, 512, 128, 128, 64)
torch.cuda.synchronize()
print(time.perf_counter() - before, time.perf_counter() - start)
'''


def time_command(command, runs):
    times = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            subprocess.run(command + ["-o", folder], check=True, capture_output=True)
            times.append(time.perf_counter() - start)
    return times


def time_triton(runs):
    kernel, process = [], []
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(TRITON_KERNEL)
        file.flush()
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as cache:
                start = time.perf_counter()
                result = subprocess.run([sys.executable, file.name], env={**os.environ, "TRITON_CACHE_DIR": cache},
                                        capture_output=True, text=True)
                if result.returncode:
                    return None
                process.append(time.perf_counter() - start)
                kernel.append(float(result.stdout.split()[0]))
    return {"kernel_s": statistics.median(kernel), "process_s": statistics.median(process)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="*", help="a tlxc command without -o, after --")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--triton", action="store_true", help="time Triton as well (needs a GPU)")
    options = parser.parse_args()
    result = {}
    if options.command:
        times = time_command(options.command, options.runs)
        result["tlxc"] = {"process_s": statistics.median(times), "least_s": min(times), "command": options.command}
    if options.triton:
        result["triton"] = time_triton(options.runs) or "not installed or failed"
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
