#!/usr/bin/env python3
"""Changes single fields of a lowered kernel; the emulator has to object to each change.

  mutations.py --tlxc build/bin/tlxc --launch X.launch.json --work DIR [--changes FILE | --waves] [--least N] [--list]

Without a file of changes they are those of the fields of a Blackwell product; --waves: of a kernel for AMD.

The launch file's kernel must run clean as it is. A change that nobody notices is printed, and the exit code is 1.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys


class Module:
    """The lines of a module, and where each value is defined."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.definitions = {}
        for index, line in enumerate(self.lines):
            if match := re.match(r"\s*(%\d+)(:\d+)? = ", line):
                self.definitions[match[1]] = index

    def find(self, pattern):
        return [index for index, line in enumerate(self.lines) if re.search(pattern, line)]

    def operands(self, index):
        return re.findall(r"%\w+", self.lines[index].split(" loc(")[0].split(" : ")[0])

    def edited(self, index, line):
        return "\n".join(self.lines[:index] + ([] if line is None else [line]) + self.lines[index + 1:]) + "\n"

    def constant(self, value):
        """(line, number) of the constant that `value` is, or that its definition uses last."""
        index = self.definitions[value]
        match = re.search(r"llvm\.mlir\.constant\((-?\d+) :", self.lines[index])
        return (index, int(match[1])) if match else None

    def with_constant(self, index, number, bits):
        if number >= 1 << (bits - 1):
            number -= 1 << bits
        return self.edited(index, re.sub(r"constant\(-?\d+ :", f"constant({number} :", self.lines[index]))


def descriptor_parts(module, value):
    """Lines of the constants that make a matrix descriptor: the low word's fixed bits, and the high word."""
    low, high = module.operands(module.definitions[value])[1:3]
    word = module.operands(module.definitions[low])[1]
    start, fixed = module.operands(module.definitions[word])[1:3]
    return start, module.constant(fixed), module.constant(high)


def instruction_changes(module, products):
    index, bits = module.constant(module.operands(products[0])[3])
    fields = {"sparse": 1 << 2, "saturate": 1 << 3, "type of D": 1 << 4, "type of A": 1 << 7, "upper type of A": 1 << 8,
              "type of B": 1 << 10, "upper type of B": 1 << 11, "sign of A": 1 << 13, "sign of B": 1 << 14,
              "order of A": 1 << 15, "order of B": 1 << 16, "least of N": 1 << 17, "N": 1 << 20, "largest of N": 1 << 22,
              "reserved 23": 1 << 23, "least of M": 1 << 24, "M": 1 << 26, "largest of M": 1 << 28, "shift": 1 << 30}
    for name, field in fields.items():
        yield f"instruction: {name}", module.with_constant(index, bits ^ field, 32)


def operand_changes(module, products):
    for operand, name in ((1, "A"), (2, "B")):
        _, low, high = descriptor_parts(module, module.operands(products[0])[operand])
        fields = {"stride": 1 << 38, "small stride": 1 << 33, "version": 1 << 46, "upper version": 1 << 47,
                  "base offset": 1 << 49, "leading mode": 1 << 52, "reserved 55": 1 << 55, "swizzle 61": 1 << 61,
                  "swizzle 62": 1 << 62, "swizzle 63": 1 << 63}
        for field, bit in fields.items():
            yield f"{name}: {field}", module.with_constant(high[0], (high[1] ^ bit) % (1 << 64), 64)
        yield f"{name}: reserved 14", module.with_constant(low[0], low[1] ^ 1 << 14, 32)
        if low[1] >> 16 > 1:
            yield f"{name}: leading", module.with_constant(low[0], low[1] ^ 1 << 24, 32)
        # The second product's start is one step of K further.
        start, _, _ = descriptor_parts(module, module.operands(products[1])[operand])
        step = module.constant(module.operands(module.definitions[start])[2])
        yield f"{name}: step along K", module.with_constant(step[0], step[1] + 2, 32)
    for first in (0, 1):
        line = module.lines[products[first]]
        a, b = module.operands(products[first])[1:3]
        yield f"A and B exchanged in product {first}", module.edited(
            products[first], line.replace(f"{a}, {b},", f"{b}, {a},"))


def product_changes(module, products):
    later = module.operands(products[1])[4]
    index = module.definitions[later]
    yield "a later product forgets the sum", module.edited(index, module.lines[index].replace("true", "false"))
    condition = module.definitions[module.operands(products[0])[4]]
    for other in ("sge", "slt"):
        yield f"the first product adds when k {other} 0", module.edited(
            condition, module.lines[condition].replace('"sgt"', f'"{other}"'))
    d = module.definitions[module.operands(products[0])[0]]
    factor = module.constant(module.operands(module.definitions[module.operands(d)[2]])[2])
    for number in (factor[1] // 2, factor[1] * 2):
        yield f"D: {number} columns from buffer to buffer", module.with_constant(factor[0], number, 32)
    for number, product in enumerate(products):
        yield f"product {number} is left out", module.edited(product, None)


def tensor_memory_changes(module):
    load = module.find(r"thread\.tmem_load")[0]
    address = module.operands(load)[1]
    lanes = module.constant(module.operands(module.definitions[module.operands(module.definitions[address])[2]])[2])
    for number in (lanes[1] - 1, lanes[1] + 1, lanes[1] - 16):
        yield f"lanes of a warp shifted by {number}", module.with_constant(lanes[0], number, 32)
    quarter = module.definitions[module.operands(module.definitions[module.operands(module.definitions[address])[2]])[1]]
    mask = module.constant(module.operands(quarter)[2])
    yield "warps modulo 2", module.with_constant(mask[0], 1, 32)
    second = module.find(r"thread\.tmem_load")[1]
    base = module.definitions[module.operands(module.definitions[module.operands(second)[1]])[1]]
    strip = module.constant(module.operands(base)[2])
    for number in (strip[1] + 1, strip[1] // 2):
        yield f"the second strip begins at column {number}", module.with_constant(strip[0], number, 32)
    if "lanes16_twice" in module.lines[load]:
        yield "distance of the two halves", module.edited(load, re.sub(r"distance (\d+)", "distance 8", module.lines[load]))
    alloc, dealloc = module.find(r"tmem_alloc")[0], module.find(r"tmem_dealloc")[0]
    columns = int(re.search(r"columns (\d+)", module.lines[alloc])[1])
    for number in (columns // 2, columns - 1, 1024):
        yield f"allocates {number} columns", module.edited(alloc, module.lines[alloc].replace(f"columns {columns}", f"columns {number}"))
    yield "releases half of the columns", module.edited(dealloc, module.lines[dealloc].replace(f"columns {columns}", f"columns {columns // 2}"))
    yield "releases nothing", module.edited(dealloc, None)


def order_changes(module):
    after = module.find(r"tcgen05_fence after")
    loads = module.find(r"thread\.tmem_load")
    products = module.find(r"thread\.tcgen05_mma")
    for name, users in (("load", loads), ("product", products)):
        fence = max(index for index in after if index < users[0])
        yield f"no fence between the wait and the {name}", module.edited(fence, None)
    arrive = module.find(r"thread\.mbarrier_arrive")[0]
    fence = max(index for index in module.find(r"tcgen05_fence($| loc)") if index < arrive)
    yield "no fence between the loads and the arrival", module.edited(fence, None)
    for number, commit in enumerate(module.find(r"tcgen05_commit")):
        yield f"commit {number} is left out", module.edited(commit, None)
    first, second = module.find(r"tcgen05_commit")[:2]
    slots, tiles = (module.operands(module.definitions[module.operands(commit)[0]])[1] for commit in (first, second))
    place = module.definitions[module.operands(second)[0]]
    yield "the tile's commit signals a slot's barrier", module.edited(
        place, module.lines[place].replace(f"{tiles}[", f"{slots}["))
    for number, wait in enumerate(module.find(r"thread\.mbarrier_wait")):
        yield f"wait {number} is left out", module.edited(wait, None)
    for number, arrive in enumerate(module.find(r"thread\.mbarrier_arrive")):
        yield f"arrival {number} is left out", module.edited(arrive, None)
    for expect in module.find(r"thread\.mbarrier_expect"):
        line = module.lines[expect]
        count = int(re.search(r"bytes (\d+)", line)[1])
        for number in (count - 16, count + 16):
            yield f"expects {number} bytes", module.edited(expect, line.replace(f"bytes {count}", f"bytes {number}"))
    wait = module.find(r"thread\.tmem_wait_load")[0]
    name = re.match(r"\s*(%\d+):", module.lines[wait])[1]
    source = module.operands(wait)[1].split("#")[0]
    user = module.find(rf"{name}#0 ")[0]
    yield "a register used before its load is done", module.edited(
        user, module.lines[user].replace(f"{name}#0 ", f"{source}#0 "))
    for number, phase in enumerate(module.find(r"llvm\.xor %\d+, %\d+ : i32 loc")):
        if "zext" in module.lines[phase - 1]:
            yield f"phase {number} never flips", module.edited(phase, re.sub(r"llvm\.xor (%\d+), %\d+", r"llvm.or \1, \1",
                                                                              module.lines[phase]))


def wave_changes(text):
    """Of a kernel for AMD that loads straight to LDS: every wait, barrier, fence, load and product, one at a time."""
    module = Module(text)

    def instead(index, line):
        return module.edited(index, re.sub(r"\S.*?(?= loc\(|$)", line, module.lines[index], count=1))

    for number, index in enumerate(module.find(r"rocdl\.s\.waitcnt")):
        bits = int(re.search(r"waitcnt (\d+)", module.lines[index])[1])
        count = bits & 15 | bits >> 14 << 4
        for more in (1, 8):
            if count + more < 64:
                other = bits & 0x3ff0 | (count + more) & 15 | (count + more) >> 4 << 14
                yield f"wait {number} until {count + more} instead of {count}", instead(index, f"rocdl.s.waitcnt {other}")
        yield f"wait {number} is left out", instead(index, "rocdl.s.nop 0")
    for what, pattern in (("barrier", r"rocdl\.s\.barrier"), ("release", r'"workgroup"\) release'), ("acquire", r'"workgroup"\) acquire')):
        for number, index in enumerate(module.find(pattern)):
            yield f"{what} {number} is left out", instead(index, "rocdl.s.nop 0")
    for number, index in enumerate(module.find(r"rocdl\.load\.to\.lds")):
        yield f"load {number} is left out", instead(index, "rocdl.s.nop 0")
        yield f"load {number} with an offset", module.edited(
            index, re.sub(r", (\d+), (\d+), (\d+)", lambda m: f", {m[1]}, {int(m[2]) + 16}, {m[3]}", module.lines[index], count=1))
    for number, index in enumerate(module.find(r"= rocdl\.mfma\.")):
        a, b, c = module.operands(index)[1:4]
        line = module.lines[index]
        yield f"product {number}: A and B exchanged", module.edited(index, line.replace(f"{a}, {b},", f"{b}, {a},", 1))
        yield f"product {number}: B for A", module.edited(index, line.replace(f"{a}, {b},", f"{b}, {b},", 1))
    for number, index in enumerate(module.find(r"= rocdl\.readfirstlane")):
        yield f"the first lane's number {number} is 0", module.edited(
            index, re.sub(r"rocdl\.readfirstlane (%\d+)", r"llvm.xor \1, \1", module.lines[index]))


def listed_changes(text, path):
    """Lines `name | which occurrence, 0: all | text | instead of it`."""
    for line in path.read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        name, which, old, new = (part.strip() for part in line.split(" | "))
        parts = text.split(old)
        assert len(parts) > max(1, int(which)), f"{name}: not in the module"
        if which == "0":
            yield name, new.join(parts)
        else:
            yield name, old.join(parts[:int(which)]) + new + old.join(parts[int(which):])


def scaled_changes(module, products):
    """Of block-scaled products: the instruction's fields, where the scales are, and their copies."""
    index, bits = module.constant(module.operands(products[0])[3])
    fields = {"sparse": 1 << 2, "reserved 3": 1 << 3, "first scale of B": 1 << 4, "upper first scale of B": 1 << 5, "reserved 6": 1 << 6,
              "type of A": 1 << 7, "upper type of A": 1 << 8, "type of B": 1 << 10, "upper type of B": 1 << 11, "sign of A": 1 << 13,
              "sign of B": 1 << 14, "order of A": 1 << 15, "order of B": 1 << 16, "least of N": 1 << 17, "N": 1 << 20, "largest of N": 1 << 22,
              "type of scales": 1 << 23, "least of M": 1 << 24, "M": 1 << 26, "largest of M": 1 << 28, "first scale of A": 1 << 29,
              "upper first scale of A": 1 << 30, "K of 96": 1 << 31}
    for name, field in fields.items():
        yield f"instruction: {name}", module.with_constant(index, bits ^ field, 32)
    yield from operand_changes(module, products)
    line = module.lines[products[0]]
    a, b = module.operands(products[0])[4:6]
    for name, new in (("exchanged", f"scales {b}, {a}"), ("of A for B", f"scales {a}, {a}"), ("of B for A", f"scales {b}, {b}")):
        yield f"scales {name}", module.edited(products[0], line.replace(f"scales {a}, {b}", new))
    yield "blocks of 16", module.edited(products[0], line.replace("block 32", "block 16"))
    yield "kind mxf4", module.edited(products[0], line.replace("mxf8f6f4", "mxf4"))
    for number, product in enumerate(products):
        yield f"product {number} is left out", module.edited(product, None)
    copies = module.find(r"thread\.tcgen05_copy")
    for number, copy in enumerate(copies):
        address, source = module.operands(copy)[:2]
        line = module.lines[copy]
        yield f"copy {number} is left out", module.edited(copy, None)
        if number:
            before = module.operands(copies[number - 1])
            yield f"copy {number}: source of the one before", module.edited(copy, line.replace(source, before[1]))
            yield f"copy {number}: columns of the one before", module.edited(copy, line.replace(address, before[0]))
        _, low, high = descriptor_parts(module, source)
        for field, bit in {"stride": 1 << 34, "larger stride": 1 << 36, "version": 1 << 46, "base offset": 1 << 49, "reserved 55": 1 << 55,
                           "swizzle 61": 1 << 61, "swizzle 62": 1 << 62, "swizzle 63": 1 << 63}.items():
            yield f"copy {number}: {field}", module.with_constant(high[0], (high[1] ^ bit) % (1 << 64), 64)
        yield f"copy {number}: reserved 14", module.with_constant(low[0], low[1] ^ 1 << 14, 32)
    for number, commit in enumerate(module.find(r"tcgen05_commit")):
        yield f"commit {number} is left out", module.edited(commit, None)
    for number, wait in enumerate(module.find(r"thread\.mbarrier_wait")):
        yield f"wait {number} is left out", module.edited(wait, None)


def all_changes(text):
    module = Module(text)
    scaled = module.find(r"thread\.tcgen05_scaled_mma")
    if scaled:
        yield from scaled_changes(module, scaled)
        return
    products = module.find(r"thread\.tcgen05_mma")
    yield from instruction_changes(module, products)
    yield from operand_changes(module, products)
    yield from product_changes(module, products)
    yield from tensor_memory_changes(module)
    yield from order_changes(module)


def simulate(options, launch):
    return subprocess.run([options.tlxc, "sim", str(launch), "--seed", "1"], capture_output=True, text=True, timeout=300)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tlxc", required=True)
    parser.add_argument("--launch", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--changes", type=pathlib.Path)
    parser.add_argument("--waves", action="store_true")
    parser.add_argument("--least", type=int, default=30)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    launch = json.loads(options.launch.read_text())
    manifest = json.loads((options.launch.parent / launch["manifest"]).read_text())
    text = (options.launch.parent / manifest["module"]["file"]).read_text()
    options.work.mkdir(parents=True, exist_ok=True)
    (options.work / launch["manifest"]).write_text(json.dumps(manifest))
    target = options.work / "mutated.launch.json"
    target.write_text(json.dumps(launch))

    def run(module):
        (options.work / manifest["module"]["file"]).write_text(module)
        return simulate(options, target)

    clean = run(text)
    if clean.returncode:
        print("the kernel does not run clean as it is:", clean.stdout, clean.stderr, sep="\n")
        return 1
    unnoticed, count = [], 0
    changes = (listed_changes(text, options.changes) if options.changes
               else wave_changes(text) if options.waves else all_changes(text))
    for name, changed in changes:
        if options.only not in name:
            continue
        assert changed != text, name
        count += 1
        result = run(changed)
        if options.list:
            finding = re.search(r"(error|finding|FAIL|race)[^\n]*", result.stdout + result.stderr)
            print(f"{name}: {result.returncode} {finding[0][:140] if finding else ''}", flush=True)
        # A module that cannot be read, or an emulator that gives up, has noticed nothing.
        judged = re.search(r"^\d+ findings? in", result.stdout, re.MULTILINE)
        if result.returncode not in (1, 4) or not judged:
            unnoticed.append(f"{name} ({result.returncode}) {result.stderr[:200]}")
    print(f"{count} changes, {len(unnoticed)} unnoticed")
    for name in unnoticed:
        print("unnoticed:", name)
    return 1 if unnoticed or count < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
