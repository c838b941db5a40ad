#!/usr/bin/env python3
"""Every operation and layout once, on the emulator and on a GPU, and a table of where they agree.

  operations.py build --tlxc build/bin/tlxc -o DIR       compiles every case, writes launch files and expected values
  operations.py run -o DIR --runner "build/bin/tlxc sim" --json sim.json       on the CPU
  operations.py run -o DIR --runner build/bin/tlx-run --json gpu.json          on a GPU: needs DIR, tlx-run and this folder only
  operations.py table sim.json gpu.json --device "NVIDIA H200" > docs/emulator-agreement.md

`build` needs no GPU, `run` on a GPU needs neither the compiler nor any package. --only TEXT keeps the cases with that text in the
name, --shard I/N every N-th. Exit code 1 when a case fails.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import re
import shlex
import struct
import subprocess
import sys

from operation_cases import all_cases

SOURCES = pathlib.Path(__file__).resolve().parent / "operations"


def folder_name(case):
    return re.sub(r"[^A-Za-z0-9]+", "-", f"{case['group']} {case['name']}").strip("-")


def chosen(options):
    index, count = (int(part) for part in options.shard.split("/"))
    for number, case in enumerate(all_cases()):
        if options.only in folder_name(case) and number % count == index:
            yield case


def write_npy(path, values, shape):
    """Numbers as doubles, in the format of NEP 1."""
    extents = "".join(f"{extent}," for extent in shape)
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({extents}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}d", *values))


def read_npy(path):
    """Type code and values of a one-dimensional or flattened array."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    code = re.search(r"'descr': '.(..)'", data[10:10 + length].decode()).group(1)
    letter = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u4": "I"}[code]
    body = data[10 + length:]
    return code, list(struct.unpack(f"<{len(body) // struct.calcsize(letter)}{letter}", body))


def launch_of(case, folder, manifest):
    launch = {"manifest": manifest, **case["launch"], "save": [case["out"]]}
    expect = case["expect"]
    if isinstance(expect, list):
        write_npy(folder / "expected.npy", expect, launch["tensors"][case["out"]]["shape"])
        expect = {"npy": "expected.npy"}
    if expect:
        launch["expect"] = {case["out"]: {**expect, "rtol": 0}}
    return launch


def build(options):
    failed = 0
    for case in chosen(options):
        folder = options.out / folder_name(case)
        folder.mkdir(parents=True, exist_ok=True)
        line = [*shlex.split(options.tlxc), str(SOURCES / (case["source"] + ".tlx")), "--target=sm_90a", "-o", str(folder),
                *shlex.split(options.tlxc_options), *case["options"]]
        result = subprocess.run(line, capture_output=True, text=True)
        manifests = [file for file in folder.glob("*.json") if file.name not in ("launch.json", "case.json")]
        if "[unsupported-" in result.stderr:
            print(f"SKIPPED {folder_name(case)}: the compiler does not do this yet")
            continue
        if result.returncode or len(manifests) != 1:
            failed += 1
            print("FAILED", shlex.join(line), result.stderr[:1000], sep="\n", flush=True)
            continue
        (folder / "launch.json").write_text(json.dumps(launch_of(case, folder, manifests[0].name), indent=1))
    return failed


def run(options):
    results, failed = {}, 0
    for case in chosen(options):
        folder = options.out / folder_name(case)
        if not (folder / "launch.json").exists():
            continue
        saved = folder / (case["out"] + ".npy")
        saved.unlink(missing_ok=True)
        line = [*shlex.split(options.runner), str(folder / "launch.json"), *shlex.split(options.runner_options)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=options.timeout)
            code, text = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            code, text = "timeout", ""
        result = {"group": case["group"], "name": case["name"], "exact": case["exact"], "code": code}
        if saved.exists():
            result["sha256"] = hashlib.sha256(saved.read_bytes()).hexdigest()
            if not case["exact"]:
                result["values"] = read_npy(saved)[1]
        results[folder_name(case)] = result
        if code != 0 or not saved.exists():
            failed += 1
            print(f"FAILED {folder_name(case)} ({code})\n{text[:800]}", flush=True)
    print(f"{len(results) - failed} passed, {failed} failed")
    if options.json:
        options.json.write_text(json.dumps({"runner": options.runner, "cases": results}, indent=1))
    return failed


def ulps(a, b):
    """How many floats lie between two of them."""
    order = lambda x: (lambda bits: bits if bits >= 0 else -(bits & 0x7FFFFFFF))(struct.unpack("<i", struct.pack("<f", x))[0])
    return abs(order(a) - order(b))


def agreement(case, other):
    if "sha256" not in case or "sha256" not in other:
        return "no output"
    if case["sha256"] == other["sha256"]:
        return "same bits"
    if "values" in case:
        return f"within {max(map(ulps, case['values'], other['values']))} ulp"
    return "**differ**"


def table(options):
    first, second = (json.loads(path.read_text())["cases"] for path in options.results)
    print("# Where the emulator and the hardware agree\n")
    print(f"Made by `test/Device/operations.py` from a run of every case in the emulator and one on {options.device} on "
          f"{datetime.date.today()}.\nOutputs are compared by SHA-256; approximate functions by the largest distance of two "
          "results, in units in the last place.\n")
    print("| kind | case | emulator | device | outputs |\n|---|---|---|---|---|")
    wrong = 0
    for key, case in first.items():
        other = second.get(key)
        if not other:
            continue
        verdict = agreement(case, other)
        wrong += case["code"] != 0 or other["code"] != 0 or verdict in ("**differ**", "no output")
        word = lambda result: "passes" if result["code"] == 0 else f"**{result['code']}**"
        print(f"| {case['group']} | {case['name']} | {word(case)} | {word(other)} | {verdict} |")
    print(f"\n{len(first) - wrong} of {len(first)} cases agree.")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    for action in ("build", "run", "list"):
        sub = actions.add_parser(action)
        sub.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/operations"))
        sub.add_argument("--only", default="")
        sub.add_argument("--shard", default="0/1")
        sub.add_argument("--tlxc", default="build/bin/tlxc")
        sub.add_argument("--tlxc-options", default="")
        sub.add_argument("--runner", default="build/bin/tlx-run")
        sub.add_argument("--runner-options", default="")
        sub.add_argument("--json", type=pathlib.Path)
        sub.add_argument("--timeout", type=float, default=60)
    sub = actions.add_parser("table")
    sub.add_argument("results", nargs=2, type=pathlib.Path)
    sub.add_argument("--device", default="a GPU")
    options = parser.parse_args()
    if options.action == "list":
        return print("\n".join(map(folder_name, chosen(options))))
    return 1 if {"build": build, "run": run, "table": table}[options.action](options) else 0


if __name__ == "__main__":
    sys.exit(main())
