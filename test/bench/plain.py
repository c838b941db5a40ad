#!/usr/bin/env python3
"""The same plain sources compiled by tlxc and by Triton, interleaved in one process.

  plain.py build --tlxc build/bin/tlxc -o DIR      needs no GPU
  plain.py run -o DIR --library build/lib/libtlxrt.so [--json FILE]
"""

import argparse
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "samples" / "plain"
ALIGNED = {"M": "i32:16", "N": "i32:16", "K": "i32:16"}


def matmul(size, bm, bn, bk, warps, stages):
    return {"name": f"matmul {size}x{size}x{size} {bm}x{bn}x{bk} {warps}w {stages}s", "source": "matmul.tlx", "kernel": "matmul",
            "defines": {"BM": bm, "BN": bn, "BK": bk, "GROUP": 8, "STAGES": stages}, "warps": warps, "types": ALIGNED,
            "grid": [-(-size // bm) * -(-size // bn)], "flops": 2 * size ** 3,
            "tensors": {"a_ptr": ["fp16", [size, size]], "b_ptr": ["fp16", [size, size]], "c_ptr": ["fp16", [size, size]]},
            "numbers": {"M": size, "N": size, "K": size}, "out": "c_ptr", "expect": "a_ptr @ b_ptr"}


def strided(size, bm, bn, bk, warps, stages):
    """Carried pointers, rows and columns that wrap."""
    case = matmul(size, bm, bn, bk, warps, stages)
    strides = {"stride_am": size, "stride_ak": 1, "stride_bk": size, "stride_bn": 1, "stride_cm": size, "stride_cn": 1}
    return case | {"name": case["name"].replace("matmul", "strided"), "source": "matmul_strided.tlx", "kernel": "matmul_strided",
                   "types": {**ALIGNED, **{name: "i32=1" if value == 1 else "i32:16" for name, value in strides.items()}}, "numbers": case["numbers"] | strides}


def attention(heads, length, dim, bm, bn, causal, warps):
    return {"name": f"attention {heads}x{length}x{dim} {bm}x{bn} {warps}w{' causal' if causal else ''}", "source": "attention.tlx",
            "kernel": "attention", "defines": {"BM": bm, "BN": bn, "DIM": dim, "CAUSAL": causal}, "warps": warps, "types": {"length": "i32:16"},
            "grid": [-(-length // bm), heads], "flops": 4 * heads * length ** 2 * dim // (2 if causal else 1),
            "tensors": {f"{x}_ptr": ["fp16", [heads, length, dim]] for x in ("q", "k", "v", "out")},
            "numbers": {"length": length, "scale": dim ** -0.5}, "out": "out_ptr", "expect": "attention causal" if causal else "attention"}


def persistent(size, bm, bn, bk, warps, stages):
    return {"name": f"persistent {size}x{size}x{size} {bm}x{bn}x{bk} {warps}w {stages}s", "source": "matmul_persistent.tlx",
            "kernel": "matmul_persistent", "defines": {"BM": bm, "BN": bn, "BK": bk, "STAGES": stages}, "warps": warps, "types": ALIGNED,
            "grid": [min(132, -(-size // bm) * -(-size // bn))], "flops": 2 * size ** 3,
            "tensors": {f"{x}_desc": ["fp16", [size, size]] for x in "abc"},
            "blocks": {"a_desc": [bm, bk], "b_desc": [bn, bk], "c_desc": [bm, bn]},
            "numbers": {"M": size, "N": size, "K": size}, "out": "c_desc", "expect": "a_desc @ b_desc.T"}


def attention_descriptor(heads, length, dim, bm, bn, causal, warps):
    case = attention(heads, length, dim, bm, bn, causal, warps)
    return {**case, "name": case["name"].replace("attention", "attention descriptor"), "source": "attention_descriptor.tlx",
            "kernel": "attention_descriptor", "tensors": {f"{x}_desc": ["fp16", [heads, length, dim]] for x in ("q", "k", "v", "out")},
            "blocks": {f"{x}_desc": [1, bn if x in "kv" else bm, dim] for x in ("q", "k", "v", "out")}, "out": "out_desc"}


def softmax(rows, columns):
    return {"name": f"softmax {rows}x{columns}", "source": "softmax.tlx", "kernel": "softmax", "defines": {"BLOCK": columns}, "warps": 8,
            "types": {"columns": "i32:16", "stride": "i32:16"}, "grid": [rows], "bytes": 8 * rows * columns,
            "tensors": {"x_ptr": ["fp32", [rows, columns]], "out_ptr": ["fp32", [rows, columns]]},
            "numbers": {"rows": rows, "columns": columns, "stride": columns}, "out": "out_ptr", "expect": "softmax"}


def layer_norm(rows, columns):
    return {"name": f"layer norm {rows}x{columns}", "source": "layer_norm.tlx", "kernel": "layer_norm_forward", "defines": {"BLOCK": columns},
            "warps": 8, "types": {"columns": "i32:16"}, "grid": [rows], "bytes": 8 * rows * columns,
            "tensors": {"x_ptr": ["fp32", [rows, columns]], "weight_ptr": ["fp32", [columns]], "bias_ptr": ["fp32", [columns]],
                        "y_ptr": ["fp32", [rows, columns]], "mean_ptr": ["fp32", [rows]], "scale_ptr": ["fp32", [rows]]},
            "numbers": {"columns": columns, "eps": 1e-5}, "out": "y_ptr", "expect": "layer norm"}


def small_matmul(m, size, bm, bn, bk, warps, stages):
    """Few rows: what a layer of a language model multiplies for a few tokens."""
    case = matmul(size, bm, bn, bk, warps, stages)
    return case | {"name": f"matmul {m}x{size}x{size} {bm}x{bn}x{bk} {warps}w {stages}s", "grid": [-(-m // bm) * -(-size // bn)], "flops": 2 * m * size ** 2,
                   "tensors": case["tensors"] | {"a_ptr": ["fp16", [m, size]], "c_ptr": ["fp16", [m, size]]}, "numbers": {"M": m, "N": size, "K": size}}


def decode_attention(heads, group, length, dim, bn, warps, stages):
    """One new token against the keys of `heads` heads, `group` query heads each; bytes of keys and values."""
    return {"name": f"decode attention {heads}x{group}x{length}x{dim} {bn} {warps}w {stages}s", "source": "decode_attention.tlx", "kernel": "decode_attention",
            "defines": {"HEADS": group, "BN": bn, "DIM": dim, "SPLITS": 1, "STAGES": stages}, "warps": warps, "types": {"length": "i32:16"},
            "grid": [heads, 1], "bytes": 4 * heads * length * dim,
            "tensors": {"q_ptr": ["fp16", [heads, group, dim]], "k_ptr": ["fp16", [heads, length, dim]], "v_ptr": ["fp16", [heads, length, dim]],
                        "out_ptr": ["fp16", [heads, group, dim]], "part_ptr": ["fp32", [4]], "weight_ptr": ["fp32", [4]]},
            "numbers": {"length": length, "scale": dim ** -0.5}, "out": "out_ptr", "expect": "attention"}


CASES = [matmul(size, *block) for size in (8192, 4096, 2048)
         for block in ((128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 4, 3), (128, 128, 64, 8, 4), (64, 128, 64, 4, 4))]
CASES += [strided(size, *block) for size in (8192, 2048) for block in ((128, 256, 64, 8, 3), (128, 128, 64, 4, 3))]
CASES += [attention(128, 4096, dim, *block, causal, warps) for dim, block in ((64, (128, 64)), (64, (64, 64)), (128, (128, 64)))
          for causal in (False, True) for warps in ((4, 8) if block[0] == 128 else (4,))]
CASES += [small_matmul(16, 4096, *block) for block in ((16, 32, 256, 4, 3), (16, 64, 128, 4, 4), (16, 32, 128, 2, 5))]
CASES += [decode_attention(heads, group, 4096, 128, 64, warps, 3) for heads, group in ((528, 8), (528, 16)) for warps in (1, 2, 4)]
CASES += [persistent(size, *block) for size in (8192, 4096, 2048)
          for block in ((128, 256, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 64, 8, 4), (64, 128, 64, 4, 4))]
CASES += [attention_descriptor(128, 4096, dim, 128, 64, causal, warps) for dim in (64, 128) for causal in (False, True) for warps in (4, 8)]
CASES += [softmax(8192, 4096), softmax(32768, 1024), layer_norm(8192, 4096)]


def folder(out, case):
    return pathlib.Path(out) / re.sub(r"\W+", "_", case["name"])


def build(options):
    failed = 0
    for case in CASES:
        command = [options.tlxc, str(SAMPLES / case["source"]), "-k", case["kernel"], "--target=sm_90a", f"--num-warps={case['warps']}",
                   "-o", str(folder(options.out, case)), "--signature", ", ".join(f"{name}={type}" for name, type in case["types"].items())]
        for name, value in case["defines"].items():
            command += ["-D", f"{name}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        failed += done.returncode != 0
        print(f"{case['name']}: {'built' if done.returncode == 0 else 'FAILED'} {done.stderr.splitlines()[0] if done.stderr else ''}", flush=True)
    return failed


def triton_function(case, scratch):
    """The sample as Triton takes it: it reads the types of parameters from the arguments."""
    text = re.sub(r'(\w+): "[^"]*"', r"\1", (SAMPLES / case["source"]).read_text())
    path = pathlib.Path(scratch) / (case["source"].replace(".tlx", "") + "_plain.py")
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, case["kernel"])


def expected(case, tensors):
    import torch
    if case["expect"] == "a_ptr @ b_ptr":
        return tensors["a_ptr"] @ tensors["b_ptr"]
    if case["expect"] == "a_desc @ b_desc.T":
        return tensors["a_desc"] @ tensors["b_desc"].T
    if case["expect"].startswith("attention"):
        q, k, v = list(tensors.values())[:3]
        q, k, v = q[None], k[None], v[None]
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal="causal" in case["expect"])[0]
    if case["expect"] == "softmax":
        return torch.softmax(tensors["x_ptr"], -1)
    x = tensors["x_ptr"]
    return torch.nn.functional.layer_norm(x, x.shape[-1:], tensors["weight_ptr"], tensors["bias_ptr"])


def descriptor(tensor, block):
    from triton.tools.tensor_descriptor import TensorDescriptor
    return TensorDescriptor.from_tensor(tensor, block)


def run(options):
    import torch

    import measure
    import tlxrt
    types = {"fp16": torch.float16, "fp32": torch.float32}
    library, rows, scratch = tlxrt.Library(options.library), [], tempfile.mkdtemp()
    print(f"{'case':52} {'ours':>8} {'Triton':>8} {'ratio':>6}  error")
    for case in CASES:
        manifest = list(folder(options.out, case).glob("*.json"))
        if options.only not in case["name"] or not manifest:
            continue
        torch.manual_seed(1)
        tensors = {name: torch.randn(shape, device="cuda").to(types[dtype]) for name, (dtype, shape) in case["tensors"].items()}
        out = tensors[case["out"]]
        reference = expected(case, tensors).double()
        launch = tlxrt.Kernel(library, manifest[0]).bind(case["grid"], {**tensors, **case["numbers"]})
        function = triton_function(case, scratch)
        inputs = [descriptor(tensor, case["blocks"][name]) if "blocks" in case else tensor for name, tensor in tensors.items()]
        peer_function = lambda: function[tuple(case["grid"])](*inputs, *case["numbers"].values(), **case["defines"],
                                                             num_warps=case["warps"], num_stages=case["defines"].get("STAGES", 3))
        errors = []
        ours = measure.Contestant("ours", lambda: launch(torch.cuda.current_stream().cuda_stream))
        try:
            for contestant in (ours, peer := measure.Contestant("Triton", peer_function)):
                out.fill_(float("nan"))
                contestant.run(1)
                torch.cuda.synchronize()
                errors.append(measure.relative_error(out, reference))
        except Exception as error:
            print(f"{case['name']:52} {type(error).__name__}: {str(error)[:60]}", flush=True)
            continue
        measure.interleave([ours, peer], 11, 2.0)
        ratio = sorted(p / o for o, p in zip(ours.samples, peer.samples))[len(ours.samples) // 2]
        work, unit = (case["flops"] / 1e9, "TFLOP/s") if "flops" in case else (case["bytes"] / 1e6, "GB/s")
        rows.append({"case": case["name"], "ours": work / ours.median(), "triton": work / peer.median(), "unit": unit, "ratio": ratio, "errors": errors})
        print(f"{case['name']:52} {work / ours.median():8.0f} {work / peer.median():8.0f} {ratio:6.3f}  {errors[0]:.1e} {errors[1]:.1e}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    return 0 if rows and all(row["errors"][0] <= max(2e-3, 2 * row["errors"][1]) for row in rows) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["build", "run"])
    parser.add_argument("-o", "--out", default="build/plain-kernels")
    parser.add_argument("--tlxc", default="build/bin/tlxc")
    parser.add_argument("--library", default="build/lib/libtlxrt.so")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    options = parser.parse_args()
    return build(options) if options.command == "build" else run(options)


if __name__ == "__main__":
    sys.exit(main())
