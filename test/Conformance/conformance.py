#!/usr/bin/env python3
"""Every operation of the language against numpy.

  conformance.py --tlxc build/bin/tlxc [-j 2] [--only TEXT] [--shard I/N]   builds and runs in the emulator
  conformance.py --tlxc build/bin/tlxc --target gfx942 [--quick]            for another target, all of them or a few of each kind
  conformance.py --tlxc build/bin/tlxc --build-only DIR                     builds for a GPU elsewhere
  conformance.py --run DIR --runner build/bin/tlx-run                       runs there; needs neither tlxc nor numpy's cases
  conformance.py --coverage                                                 rows of Builtins.def that no case names
The last line is `N passed, N failed`.
"""

import argparse
import concurrent.futures
import importlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADER = """import triton
import triton.language as tl
import triton.language.extra.tlx as tlx
from triton.language.extra import libdevice

"""


def load_cases():
    sys.path.insert(0, str(HERE))
    import case
    for path in sorted((HERE / "cases").glob("*.py")):
        importlib.import_module(f"cases.{path.stem}")
    names = [one.name for one in case.CASES]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"cases of one name: {sorted(twice)}"
    return case.CASES


# --- text of kernels and launch files -------------------------------------------------------------------------------

def parameter(name, value):
    import case
    if isinstance(value, (case.Descriptor, case.OutDescriptor)):
        return f'{name}: "tensordesc<{value.dtype}[{",".join(map(str, value.block))}]>"'
    if isinstance(value, case.Tensor):
        return f'{name}: "*{value.dtype}:16"'
    return f'{name}: "{"fp32" if isinstance(value, float) else "i32"}"'


def kernel_text(one):
    """The file, and the number of lines in front of the body."""
    helpers = one.helpers.strip("\n")
    head = HEADER + (helpers + "\n\n\n" if helpers else "")
    parameters = ", ".join(parameter(name, value) for name, value in one.arguments.items())
    head += f"@triton.jit\ndef kernel({parameters}):\n"
    body = "\n".join("    " + line if line.strip() else "" for line in one.body.strip("\n").split("\n"))
    return head + body + "\n", head.count("\n")


def launch_file(one, folder, target):
    import case
    import numpy
    tensors, args, expect = {}, {}, {}
    for name, value in one.arguments.items():
        if not isinstance(value, case.Tensor):
            args[name] = value
            continue
        def saved(array, suffix):
            numpy.save(folder / f"{name}{suffix}.npy", array)
            return {"npy": f"{name}{suffix}.npy"}
        tensor = {"dtype": value.dtype, "shape": list(value.values.shape)}
        if isinstance(value, case.Out):
            before = value.before
            if before is None:
                before = 77
            tensor["init"] = {"full": before} if isinstance(before, (int, float)) else saved(before, ".before")
            expect[name] = saved(value.values, ".expected") | {"rtol": value.rtol}
            if value.atol is not None:
                expect[name]["atol"] = value.atol
        else:
            tensor["init"] = saved(value.values, "")
        tensors[name] = tensor
        is_map = isinstance(value, (case.Descriptor, case.OutDescriptor))
        args[name] = {"descriptor": name} if is_map else name
    launch = {"manifest": f"{one.kernel}.{target}.json", "grid": list(one.grid), "tensors": tensors, "args": args, "expect": expect}
    (folder / "launch.json").write_text(json.dumps(launch))


# --- one case -------------------------------------------------------------------------------------------------------

def compile_case(one, folder, options, for_gpu):
    """The finished process and the number of lines in front of the body."""
    folder.mkdir(parents=True, exist_ok=True)
    source, before = ROOT / "samples/plain" / (one.source or ""), 0
    if not one.source:
        source = folder / "kernel.tlx"
        text, before = kernel_text(one)
        source.write_text(text)
    command = [options.tlxc, str(source), "-k", one.kernel, f"--target={options.target}", f"--num-warps={one.warps}", "-o", str(folder), *one.options]
    if not for_gpu:
        command.append("--emit=manifest,llvm-dialect")
    if one.cluster:
        command += ["--cluster", ",".join(map(str, one.cluster))]
    for define in one.defines:
        command += ["-D", define]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True), before


def check_refusal(one, done, before):
    found = re.search(r"kernel\.tlx:(\d+):\d+: error: .*\[([a-z0-9-]+)\]", done.stdout)
    if done.returncode != 1 or not found:
        return f"exit code {done.returncode} instead of 1:\n{done.stdout}"
    line, kind = int(found.group(1)) - before, found.group(2)
    if (line, kind) != (one.expected_line, one.expected_kind):
        return f"[{kind}] at line {line} instead of [{one.expected_kind}] at line {one.expected_line}:\n{done.stdout}"
    return ""


def simulate(one, folder, tlxc):
    command = [tlxc, "sim", str(folder / "launch.json"), "--seeds", str(one.seeds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if one.finding:
        return "" if done.returncode == 4 and one.finding in done.stdout else f"no finding `{one.finding}`:\n{done.stdout}"
    if one.prints and done.returncode == 0:
        lines = set(done.stdout.splitlines())
        missing = [line for line in one.prints if line not in lines]
        return f"not printed: {missing}\n{done.stdout}" if missing else ""
    return "" if done.returncode == 0 else done.stdout


def check_lack(done, target):
    """What a machine lacks is said at a line."""
    kinds = re.findall(r"\.tlx:\d+:\d+: error: .*\[([a-z0-9-]+)\]", done.stdout)
    if done.returncode == 1 and kinds and set(kinds) <= {"feature-missing", "unsupported-target"}:
        return ""
    return f"exit code {done.returncode}, and no word that `{target}` lacks what the kernel uses:\n{done.stdout}"


def run_case(one, folder, options):
    """What is wrong, or nothing."""
    folder = folder / one.name
    done, before = compile_case(one, folder, options, bool(options.build_only) or not one.emulated)
    if options.target.startswith("gfx") and one.is_for_nvidia():
        return check_lack(done, options.target)
    if one.expected_kind:
        return check_refusal(one, done, before)
    if done.returncode != 0:
        return f"exit code {done.returncode}:\n{done.stdout}"
    launch_file(one, folder, options.target)
    return "" if options.build_only or not one.emulated else simulate(one, folder, options.tlxc)


# A few of each kind, for targets on which not everything is run every time.
QUICK = (r"^(dot-(fp16-(128x64|16x16)|bf16$|tf32$|int8|fp8-small|chained|batched|edge-.*-104)|async-dot-(bfloat16|float8|int8-k|uint8|sum-fp16-float16$)|fp32-to-float8"
         r"|float8.*(to-float32-all|scalar)|masked-matrix-4|load-mask$|store-mask|buffer|async-load-two|pipelined-(carried-3|int8)|sum-axis0-4|cumsum-axis0-4|sort-up-4|sample-)")

# --- all of them ----------------------------------------------------------------------------------------------------

def report(results):
    failed = 0
    for name, problem in results:
        if problem:
            failed += 1
            print(f"FAIL: {name}\n{problem.rstrip()}")
    passed = len(results) - failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def for_all(items, jobs, function):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda item: (item[0], function(item[1])), items))


def chosen_cases(options):
    cases = [one for one in load_cases() if options.only in one.name and options.target in one.targets]
    if options.quick:
        cases = [one for one in cases if re.search(QUICK, one.name)]
    if options.shard:
        index, count = map(int, options.shard.split("/"))
        cases = cases[index - 1::count]
    return cases


def run_all(options):
    cases = chosen_cases(options)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.build_only or temporary)
        results = for_all([(one.name, one) for one in cases], options.jobs, lambda one: run_case(one, folder, options))
    if options.build_only:
        names = [one.name for one in cases if not one.expected_kind and not one.finding and not one.prints]
        (folder / "cases.json").write_text(json.dumps(names))
    return report(results)


def run_built(options):
    folder = pathlib.Path(options.run)
    names = [name for name in json.loads((folder / "cases.json").read_text()) if options.only in name]

    def run(name):
        done = subprocess.run(shlex.split(options.runner) + [str(folder / name / "launch.json")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return "" if done.returncode == 0 else f"exit code {done.returncode}:\n{done.stdout}"

    return report(for_all([(name, name) for name in names], options.jobs, run))


# --- coverage -------------------------------------------------------------------------------------------------------

def rows():
    text = (ROOT / "lib/Specialize/Builtins.def").read_text()
    # Rows that only targets beyond Hopper have are covered where those are tested.
    found = re.findall(r'^TLX_BUILTIN\("([^"]+)", \w+, "[^"]*", "([^"]*)"', text, re.M)
    names = [name for name, feature in found if not feature.startswith("sm_100")]
    aliases = re.findall(r'^TLX_ALIAS\("([^"]+)", "([^"]+)"', text, re.M)
    return names, aliases


def is_named(name, text):
    space, _, last = name.rpartition(".")
    if space in ("descriptor", "tile", "dtype", "buffer"):
        return re.search(rf"\.{last}\(", text)
    return re.search(rf"(?<![\w.]){re.escape(name)}\(", text)


def coverage():
    names, aliases = rows()
    cases = load_cases()
    text = "\n".join(one.helpers + "\n" + one.body for one in cases)
    text += "\n".join((ROOT / "samples/plain" / one.source).read_text() for one in cases if one.source)
    results = []
    for name in names:
        spellings = [name] + [alias for alias, row in aliases if row == name]
        is_internal = name.rpartition(".")[2].startswith("_")
        covered = is_internal or any(is_named(spelling, text) for spelling in spellings)
        results.append((f"row {name}", "" if covered else "no case calls it"))
    return report(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tlxc", default=str(ROOT / "build/bin/tlxc"))
    parser.add_argument("--target", default="sm_90a", help="cases that this target lacks are left out")
    parser.add_argument("--quick", action="store_true", help="a few cases of each kind, and the samples")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--shard", metavar="I/N")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--build-only", metavar="DIR")
    parser.add_argument("--run", metavar="DIR")
    parser.add_argument("--runner", default="tlx-run")
    parser.add_argument("--coverage", action="store_true")
    options = parser.parse_args()
    if options.coverage:
        return coverage()
    return run_built(options) if options.run else run_all(options)


if __name__ == "__main__":
    sys.exit(main())
