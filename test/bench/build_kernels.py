#!/usr/bin/env python3
"""Compiles every variant of the variants file for every case. Needs tlxc, no GPU."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import time

import shapes
import variants as variant_file


def command(tlxc, repository, family, variant, case, out, target):
    line = [str(tlxc), str(repository / variant.get("source", family["source"])), f"--target={target}", "-o", str(out)]
    if kernel := variant.get("kernel", family.get("kernel")):
        line += ["-k", kernel]
    for name, value in variant_file.defines(family, variant, case).items():
        line += ["-D", f"{name}={value}"]
    return line + variant.get("options", [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tlxc", default="build/bin/tlxc")
    parser.add_argument("--variants", default=str(variant_file.HERE / "variants.json"))
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--only", default="", help="build what has this text in its name")
    parser.add_argument("-o", "--out", default="build/bench-kernels")
    options = parser.parse_args()
    repository = variant_file.HERE.parent.parent
    failed = 0
    for kind, family in variant_file.load(options.variants).items():
        for name, variant in family["variants"].items():
            for case in shapes.CASES[kind]():
                out = variant_file.folder(options.out, kind, name, case)
                if not variant_file.applies(variant, case) or options.only not in str(out):
                    continue
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir(parents=True)
                start = time.perf_counter()
                line = command(options.tlxc, repository, family, variant, case, out, options.target)
                result = subprocess.run(line, capture_output=True, text=True)
                print(f"{out.relative_to(options.out)}: {'built' if result.returncode == 0 else 'FAILED'} in "
                      f"{time.perf_counter() - start:.2f} s", flush=True)
                if result.returncode:
                    failed += 1
                    print(" ".join(line) + "\n" + result.stderr[:2000])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
