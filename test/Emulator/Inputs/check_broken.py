#!/usr/bin/env python3
"""Checks one sample of samples/broken: check_broken.py SAMPLE.tlx FOLDER.

The source says what is to be found: `# found here: KIND` at the line of the finding, `# the other party` at the second
line; `# one party: KIND` at both where either may come first. Broken, the sample shows it within 20 seeds, at those lines
and with the task's name; with FIXED=True it is clean and its numbers are right at 100 seeds, and the first seed that
showed the fault shows it again.
"""
import json
import pathlib
import re
import subprocess
import sys


def fail(text):
    print("check_broken:", text)
    sys.exit(1)


def run(*line):
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def markers(source):
    """The expected kind, and the pairs of lines at which it may be reported."""
    found, other, either, kinds = [], [], [], set()
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for pattern, into in ((r"# found here: (\S+)", found), (r"# one party: (\S+)", either)):
            if mark := re.search(pattern, line):
                into.append(number)
                kinds.add(mark.group(1))
        if "# the other party" in line:
            other.append(number)
    if len(kinds) != 1:
        fail(f"{source.name} marks the kinds {sorted(kinds)}; needs one")
    pairs = {(first, second) for first in found for second in other or [first, None]}
    pairs |= {(first, second) for first in either for second in either if first != second}
    return kinds.pop(), pairs


def compile_sample(source, folder, *options):
    folder.mkdir(parents=True, exist_ok=True)
    # The launch file names the manifest, and that the target.
    text = source.with_suffix(".launch.json").read_text()
    target = json.loads(text)["manifest"].split(".")[-2]
    code, out, err = run("tlxc", source, f"--target={target}", "--emit=llvm-dialect,manifest", "-o", folder, *options)
    if code:
        fail(f"does not compile {' '.join(options)}:\n{out}{err}")
    launch = folder / "launch.json"
    launch.write_text(text)
    return launch


def simulate(launch, *options):
    code, out, err = run("tlxc", "sim", launch, "--report=json", *options)
    if code not in (0, 1, 4):
        fail(f"sim ended with code {code}:\n{out}{err}")
    return code, json.loads(out)


def describe(finding):
    other = finding.get("other", {}).get("line")
    return f"[{finding['kind']}] line {finding['where']['line']}, other {other}: {finding['message']}"


def check_broken(launch, kind, pairs):
    code, report = simulate(launch, "--seeds", 20)
    matching = [finding for finding in report["findings"] if finding["kind"] == kind
                and (finding["where"]["line"], finding.get("other", {}).get("line")) in pairs]
    if code != 4 or not matching:
        fail(f"wants {kind} at {sorted(pairs, key=str)}, exit code {code}; was found:\n" +
             "\n".join(map(describe, report["findings"])))
    seed = matching[0]["seed"]
    _, again = simulate(launch, "--seed", seed)
    if describe(matching[0]) not in map(describe, again["findings"]):
        fail(f"seed {seed} does not show it again")
    print("found", describe(matching[0]))


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    kind, pairs = markers(source)
    check_broken(compile_sample(source, folder / "broken"), kind, pairs)
    fixed = compile_sample(source, folder / "fixed", "-D", "FIXED=True")
    code, report = simulate(fixed, "--seeds", 100)
    if code:
        fail("the corrected twin is not clean:\n" + "\n".join(map(describe, report["findings"])) +
             json.dumps(report["verdicts"]))
    print("corrected twin clean at 100 seeds")


main()
