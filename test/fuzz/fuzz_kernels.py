#!/usr/bin/env python3
"""Random kernels against a second evaluation of what they mean.

  fuzz_kernels.py --seed 1 --count 50            these kernels, in the emulator
  fuzz_kernels.py --seed 1 --minutes 60          as many as fit in
  fuzz_kernels.py --replay elements-123 -v       one of them again; --keep DIR leaves source and launch file there

Each kernel is made from its family and seed alone, compiled with every number of warps that it allows, once more from the
final tlx form, and run with several seeds of the scheduler. Anything but the expected numbers and no finding is a
difference; its files are kept.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from kernel_makers import MAKERS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Device"))
from operations import write_npy


def run(line):
    try:
        done = subprocess.run([str(word) for word in line], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    return done.returncode, done.stdout + done.stderr


def write_launch(kernel, folder, name):
    """Expected values beside the launch file; a tensor that a mask leaves half written is as long as what is written."""
    expect = {}
    for tensor, values in kernel.expected.items():
        write_npy(folder / f"{tensor}.expected.npy", values, kernel.tensors[tensor]["shape"])
        expect[tensor] = {"npy": f"{tensor}.expected.npy", "rtol": 0}
    launch = {"manifest": "kernel.sm_90a.json", "grid": [kernel.grid, 1, 1], "tensors": kernel.tensors, "args": kernel.args,
              "expect": expect}
    (folder / name).write_text(json.dumps(launch))


def try_kernel(kernel, folder, options):
    """None, or what is wrong."""
    source = folder / "kernel.tlx"
    source.write_text(kernel.source())
    for warps in kernel.warps:
        for resumed in (False, True) if warps == kernel.warps[-1] else (False,):
            write_launch(kernel, folder, "launch.json")
            emit = "tlx-final" if resumed else "llvm-dialect,manifest"
            line = [options.tlxc, source, "--target=sm_90a", "--num-warps", warps, f"--emit={emit}", "-o", folder]
            code, text = run(line)
            if code == 0 and resumed:
                code, text = run([options.tlxc, folder / "kernel.sm_90a.final.mlir", "--target=sm_90a",
                                  "--emit=llvm-dialect,manifest", "-o", folder])
            if code != 0:
                return f"does not compile with {warps} warps{' from its final form' if resumed else ''} ({code})\n{text}"
            code, text = run([options.tlxc, "sim", folder / "launch.json", "--seeds", options.seeds])
            if code != 0:
                return f"differs with {warps} warps{' from its final form' if resumed else ''} ({code})\n{text}"
    return None


def is_refusal(problem):
    """The compiler may refuse what it says that it cannot do; it may not crash or compute something else."""
    return "does not compile" in problem and "(1)" in problem.splitlines()[0] and \
        any(kind in problem for kind in ("[unsupported-", "[shared-memory-overfull]", "[dot-"))


def check(family, seed, options, results):
    made = MAKERS[family](random.Random(f"{family} {seed}"))
    if options.spoil:
        next(iter(made.expected.values()))[0] += 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if options.keep:
            folder = options.keep / f"{family}-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
        problem = try_kernel(made, folder, options)
        if not problem:
            results["agree"] += 1
        elif is_refusal(problem):
            results["refused"] += 1
            if options.verbose:
                print(f"REFUSED {family}-{seed}: {problem[:400]}", flush=True)
        else:
            results["differ"] += 1
            print(f"DIFFERS {family}-{seed}: {problem[:1500]}\n{made.source()}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tlxc", default="tlxc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--family", choices=sorted(MAKERS))
    parser.add_argument("--seeds", type=int, default=3, help="schedules for each kernel")
    parser.add_argument("--replay", help="FAMILY-SEED")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--spoil", action="store_true", help="expects one wrong number of each kernel: all must differ")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    results = {"agree": 0, "refused": 0, "differ": 0}
    if options.replay:
        family, seed = options.replay.split("-")
        print(MAKERS[family](random.Random(f"{family} {seed}")).source())
        check(family, int(seed), options, results)
    else:
        families = [options.family] if options.family else ["elements", "dot_loop", "ring", "product", "dot_loop"]
        end, seed = time.monotonic() + 60 * (options.minutes or 0), options.seed
        while time.monotonic() < end if options.minutes else seed < options.seed + options.count:
            check(families[seed % len(families)], seed, options, results)
            seed += 1
    print(f"{results['agree']} agree, {results['refused']} refused, {results['differ']} differ; first seed {options.seed}")
    return 1 if results["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
