"""Tables, ratios and the JSON file."""

import datetime
import json
import math
import platform
import subprocess
import sys

import torch


def environment(manifests):
    """What one needs to know to believe a number: device, versions, command, date."""
    properties = torch.cuda.get_device_properties(0)
    try:
        command = ["nvidia-smi", "--query-gpu=driver_version,power.limit,clocks.max.sm", "--format=csv,noheader"]
        query = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        query = ""
    compilers = sorted({json.dumps(m.get("compiler", {}), sort_keys=True) for m in manifests})
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "command": " ".join(sys.argv), "device": properties.name,
            "multiprocessors": properties.multi_processor_count, "driver, power limit, clock limit": query,
            "torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(), "python": platform.python_version(),
            "compilers": [json.loads(text) for text in compilers]}


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


HEADER = f"{'case':46} {'variant':14} {'ours':>8} {'peer':>8} {'ratio':>7} {'error':>9} {'peer err':>9}  notes"


def line(row):
    notes = [] if row["correct"] else ["WRONG"]
    if "equal_bits" in row:
        notes.append("equal bits" if row["equal_bits"] else "BITS DIFFER")
    ours, peer, ratio = [row.get(key, math.nan) for key in ("tflops", "peer_tflops", "ratio")]
    return (f"{row['case']:46} {row['variant']:14} {ours:8.1f} {peer:8.1f} {ratio:7.3f} "
            f"{row['error']:9.2e} {row['peer_error']:9.2e}  {', '.join(notes)}")


def summary(rows):
    """Geometric means of the ratios of what the rule chose, by kind and in groups."""
    result = {}
    for row in rows:
        if row["headline"] and "ratio" in row:
            for group in (row["kind"], f"{row['kind']} {row['group']}"):
                result.setdefault(group, []).append(row["ratio"])
    return {group: {"geometric_mean": geometric_mean(ratios), "least": min(ratios), "cases": len(ratios)}
            for group, ratios in result.items()}


def print_summary(rows):
    print("\nours / peer, variants chosen by rule:")
    for group, values in summary(rows).items():
        print(f"  {group:28} geometric mean {values['geometric_mean']:.3f}, least {values['least']:.3f}, "
              f"{values['cases']} cases")


def write(path, rows, manifests, compilation):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"environment": environment(manifests), "summary": summary(rows), "rows": rows,
                   "compilation": compilation}, file, indent=1)
        file.write("\n")
