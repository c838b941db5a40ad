#!/usr/bin/env python3
"""What the hot loops of a kernel are made of, counted in PTX or AMD assembly text.

    tlxc KERNEL --target=T --emit=ptx,manifest -o DIR     (gcn for AMD)
    hot_loop.py DIR/*.ptx DIR/*.s

A loop is hot when it holds matrix instructions or the copies that feed them, and no smaller loop does. For each such loop one row of
docs/performance.md: instructions by kind, bytes and operations of one trip; then what the manifest beside the text says of
occupancy, and the roofline that follows for the tile.
"""
import json
import pathlib
import re
import sys

# Kind of an instruction: the first pattern that its mnemonic begins with.
GCN = [
    ("matrix", r"v_(mfma|smfmac)"),
    ("copy", r"(buffer_load|global_load)\w*_lds|(buffer_load|global_load)\S*.*\blds\b"),
    ("shared load", r"ds_read|ds_load"),
    ("shared store", r"ds_write|ds_store"),
    ("global load", r"(global|buffer|flat)_load"),
    ("global store", r"(global|buffer|flat)_(store|atomic)"),
    ("scratch", r"scratch_"),
    ("wait", r"s_waitcnt"),
    ("barrier", r"s_barrier"),
    ("schedule", r"s_(setprio|sleep|nop)"),
    ("branch", r"s_c?branch"),
    ("vector", r"v_"),
    ("scalar", r"s_"),
]
PTX = [
    ("matrix", r"tcgen05\.mma|wgmma\.mma_async"),
    ("copy", r"cp\.async\.bulk|cp\.async\.c"),
    ("tensor memory", r"tcgen05\.(ld|st|cp)"),
    ("commit", r"tcgen05\.commit|wgmma\.(commit|wait|fence)|tcgen05\.(fence|wait)"),
    ("barrier", r"mbarrier|bar\.|barrier"),
    ("shared load", r"ld\.shared|ldmatrix"),
    ("shared store", r"st\.(async\.)?shared|stmatrix"),
    ("global load", r"ld\.global"),
    ("global store", r"(st|red|atom)\.global"),
    ("branch", r"bra|@%p\d+ bra"),
    ("other", r""),
]
# The peaks of the boards: dense 16-bit TFLOP/s and TB/s (vendors' data sheets: B200, MI300X, MI355X, H200), multiprocessors.
BOARDS = {"sm_90a": (989, 4.8, 132), "sm_100a": (2250, 8.0, 148), "gfx942": (1307, 5.3, 304), "gfx950": (2517, 8.0, 256)}
HOT = {"matrix", "copy", "tensor memory"}
MFMA = re.compile(r"v_mfma_\w+?_(\d+)x(\d+)x(\d+)")


def instructions(text, is_gcn):
    """(label, None) and (None, instruction), in order."""
    for line in text.splitlines():
        line = re.split(r";|//" if is_gcn else r"//", line)[0].strip()
        label = re.match(r"([$.\w]+):(?=\s|$)", line)
        if label:
            yield label[1], None
            line = line[label.end():].strip()
        # Inline PTX puts several instructions into one line, in braces.
        for part in [line] if is_gcn else re.split(r"[;{}]", line):
            part = part.strip()
            if part and re.match(r"@?!?[%a-z]", part):
                yield None, part


def kind_of(line, kinds):
    bare = re.sub(r"^@!?%?\w+\s+", "", line)
    for kind, pattern in kinds:
        if re.match(pattern, bare):
            return kind
    return "other"


def hot_loops(listing, kinds):
    """Ranges [begin, end] of backward branches with hot instructions, and no smaller one of these inside. A loop that only
    waits for a barrier is part of the one around it."""
    places, loops = {}, []
    for index, (label, line) in enumerate(listing):
        if label:
            places[label] = index
        target = re.search(r"\b(?:s_c?branch\w*|bra(?:\.uni)?)\s+([$.\w]+)", line or "")
        if target and target[1] in places:
            loops.append((places[target[1]], index))
    hot = {loop for loop in loops if any(
        line and kind_of(line, kinds) in HOT for _, line in listing[loop[0]:loop[1] + 1])}
    return sorted({loop for loop in hot if not any(
        other != loop and loop[0] <= other[0] and other[1] <= loop[1] for other in hot)})


def operations(line):
    """Multiply-adds of one matrix instruction, times two; for one wave. PTX does not say: the descriptor holds it."""
    shape = MFMA.match(line)
    if not shape:
        return 0
    m, n, k = map(int, shape.groups())
    return 2 * m * n * k


def describe(text, is_gcn):
    """One dictionary for each hot loop."""
    listing = list(instructions(text, is_gcn))
    kinds = GCN if is_gcn else PTX
    result = []
    for begin, end in hot_loops(listing, kinds):
        lines = [line for _, line in listing[begin:end + 1] if line]
        counts = {}
        for line in lines:
            kind = kind_of(line, kinds)
            counts[kind] = counts.get(kind, 0) + 1
        waits = [int(n) for line in lines for n in re.findall(r"vmcnt\((\d+)\)", line)]
        result.append({"instructions": len(lines), "counts": counts, "operations": sum(map(operations, lines)),
                       "waits": waits})
    return result


def tile_of(constexprs):
    return [constexprs.get(name) for name in ("BM", "BN", "BK")]


def roofline(manifest):
    """Operations for each byte of global memory, and the rate that memory allows when nothing is in a cache."""
    bm, bn, bk = tile_of(manifest.get("constexprs", {}))
    target = manifest["target"]
    if not (bm and bn and bk) or target not in BOARDS:
        return ""
    ctas = manifest["constexprs"].get("NUM_CTAS", 1)
    peak, bandwidth, _ = BOARDS[target]
    loaded, work = (bm * ctas + bn) * bk * 2, 2 * bm * ctas * bn * bk
    intensity = work / loaded
    return (f"tile {bm * ctas} x {bn} x {bk}: {loaded} bytes and {work} operations a K step, {intensity:.0f} for each byte; "
            f"from HBM alone {min(peak, intensity * bandwidth):.0f} of {peak} TFLOP/s, "
            f"the peak needs {max(0.0, 1 - intensity * bandwidth / peak):.0%} of the loads from caches")


def occupancy(manifest):
    resources, launch = manifest.get("resources", {}), manifest["launch"]
    shared = launch.get("dynamic_shared", 0) + launch.get("static_shared", 0)
    text = f"{resources.get('registers', 0)} registers, {shared} bytes of shared memory"
    if "waves_per_simd" in resources:
        return (f"{text}, {resources['accumulators']} accumulation and {resources['scalar_registers']} scalar registers, "
                f"{resources['spilled_registers']} spilled, {resources['waves_per_simd']} waves on a SIMD")
    return f"{text}, {resources.get('spill_stores', 0)} bytes spilled, {launch.get('tmem_columns', 0)} columns of tensor memory"


def report(path):
    is_gcn = path.suffix == ".s"
    print(f"{path.name}")
    manifest_path = path.with_suffix(".json")
    if manifest_path.exists():
        manifest = json.loads(manifest_path.read_text())
        print(f"  {occupancy(manifest)}\n  {roofline(manifest)}")
    for loop in describe(path.read_text(), is_gcn):
        parts = ", ".join(f"{count} {kind}" for kind, count in sorted(loop["counts"].items(), key=lambda item: -item[1]))
        extra = f"; {loop['operations']} operations of a wave" if loop["operations"] else ""
        extra += f"; vmcnt {loop['waits']}" if loop["waits"] else ""
        print(f"  loop of {loop['instructions']}: {parts}{extra}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        report(pathlib.Path(name))
