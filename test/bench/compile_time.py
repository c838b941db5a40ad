#!/usr/bin/env python3
"""Times the compilation of a GEMM: tlxc as a process, and Triton 3.x with an empty cache where it is installed."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "samples" / "gemm_ws.tlx"

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


def run_once(command):
    """Seconds and peak MB of one process, or None when it fails."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        process = subprocess.Popen(command + ["-o", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        # So that Popen does not wait for a process that is gone.
        process.returncode = os.waitstatus_to_exitcode(status)
    return (seconds, usage.ru_maxrss / 1024) if process.returncode == 0 else None


def time_command(command, runs):
    """Medians over the runs, or None when the command fails (as without ptxas)."""
    samples = [run_once(command) for _ in range(runs)]
    if None in samples:
        return None
    seconds, megabytes = zip(*samples)
    return {"process_s": statistics.median(seconds), "least_s": min(seconds), "peak_mb": max(megabytes)}


def time_tlxc(tlxc, runs):
    """The GEMM sample as a whole process: to PTX (everything but the assembler), and to a cubin."""
    command = [tlxc, str(SAMPLE), "--target=sm_90a", "--config=0"]
    return {"to_ptx": time_command(command + ["--emit=ptx"], runs), "to_cubin": time_command(command, runs)}


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
                    print(result.stderr[-2000:], file=sys.stderr)
                    return None
                process.append(time.perf_counter() - start)
                kernel.append(float(result.stdout.split()[0]))
    return {"kernel_s": statistics.median(kernel), "process_s": statistics.median(process)}


def measure(tlxc, triton, runs=5):
    result = {"tlxc": time_tlxc(tlxc, runs)} if tlxc else {}
    if triton:
        result["triton"] = time_triton(runs)
    return result


def measure_apart(tlxc):
    """As `measure` with Triton, in a process of its own: the peak memory of a child starts with its parent's."""
    command = [sys.executable, __file__, "--triton", "--json"] + (["--tlxc", tlxc] if tlxc else [])
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def text(result):
    """One line for each compiler."""
    lines = []
    for name, times in result.get("tlxc", {}).items():
        lines.append(f"tlxc {name}: " + (f"{times['process_s']:.3f} s, {times['peak_mb']:.0f} MB" if times else "failed"))
    if "triton" in result:
        times = result["triton"]
        lines.append("triton: " + (f"{times['kernel_s']:.3f} s in the first launch, {times['process_s']:.2f} s the process"
                                   if times else "not installed or failed"))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tlxc", help="the compiler")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--triton", action="store_true", help="time Triton as well (needs a GPU)")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    options = parser.parse_args()
    result = measure(options.tlxc, options.triton, options.runs)
    print(json.dumps(result, indent=1) if options.json else text(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
