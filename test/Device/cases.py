#!/usr/bin/env python3
"""The samples on many shapes, as launch files that the emulator and a GPU run alike.

  cases.py build --tlxc build/bin/tlxc -o DIR      compiles every case and writes its launch file (no GPU needed)
  cases.py run -o DIR --runner build/bin/tlx-run   runs them on a GPU; with --runner "build/bin/tlxc sim" on the CPU
Options: --small keeps the cases that the emulator runs in seconds; --only TEXT keeps the cases with that text in the name.
"""

import argparse
import json
import pathlib
import random
import shlex
import subprocess
import sys

SAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "samples"
MULTIPROCESSORS = 132


def cdiv(a, b):
    return -(-a // b)


def tensor(dtype, shape, init="randn", seed=1):
    return {"dtype": dtype, "shape": shape, "init": init, "seed": seed}


def gemm_ws(m, n, k, dtype="fp16", layout="NT", config=0, init="randn", grid=None, repeat=1):
    rows, columns, ctas_m, ctas_n = [(128, 256, 2, 1), (128, 256, 1, 1), (128, 128, 1, 1), (128, 256, 2, 2), (64, 128, 2, 1), (256, 160, 1, 2)][config]
    ctas = ctas_m * ctas_n
    tiles = cdiv(m, rows * ctas_m) * cdiv(n, columns * ctas_n)
    blocks = grid or min(MULTIPROCESSORS // ctas, tiles) * ctas
    a_shape = [m, k] if layout[0] == "N" else [k, m]
    b_shape = [k, n] if layout[1] == "N" else [n, k]
    expect = {"matmul": ["a", "b"], "rtol": 2e-3 if init == "randn" else 0}
    if layout[0] == "T":
        expect["trans_a"] = True
    if layout[1] == "T":
        expect["trans_b"] = True
    return {
        "name": f"gemm_ws.{config}.{dtype}.{layout}.{m}x{n}x{k}" + ("" if init == "randn" else ".int"),
        "sample": "gemm_ws.tlx", "weight": m * n * k,
        "options": ["--config", str(config), "-D", f"DTYPE={dtype}", "-D", f"A_ROW_MAJOR={layout[0] == 'N'}",
                    "-D", f"B_ROW_MAJOR={layout[1] == 'N'}"],
        "launch": {"grid": [blocks, 1, 1], "repeat": repeat,
                   "tensors": {"a": tensor(dtype, a_shape, init, 1), "b": tensor(dtype, b_shape, init, 2),
                               "c": tensor(dtype, [m, n], "nan")},
                   "args": {"a_desc": {"descriptor": "a"}, "b_desc": {"descriptor": "b"}, "c_desc": {"descriptor": "c"},
                            "M": m, "N": n, "K": k},
                   "expect": {"c": expect}, "flops": 2 * m * n * k}}


def gemm_stream_k(m, n, k, config, grid, dtype="fp16", layout="NT", init="randn", repeat=1):
    """As gemm_ws, with room for `grid` programs' sums and flags."""
    case = gemm_ws(m, n, k, dtype, layout, 0, init, grid, repeat)
    rows, columns, groups = [(128, 128, 2), (64, 128, 1)][config]
    case["options"][:2] = ["--config", str(config)]
    launch = case["launch"]
    launch["tensors"].update(partial=tensor("fp32", [grid, rows, columns], "nan"), flag=tensor("i32", [grid * groups], "zeros"))
    launch["args"].update(partial_ptr="partial", flag_ptr="flag")
    return {**case, "name": case["name"].replace("gemm_ws.0", f"gemm_stream_k.{config}") + f".on{grid}",
            "sample": "gemm_stream_k.tlx"}


def pointers_gemm(sample, m, n, k, extra_args, tile, seed_types=None, defines=()):
    rows, columns = tile
    args = {"a_ptr": "a", "b_ptr": "b", "c_ptr": "c", "M": m, "N": n, "K": k} if not seed_types else \
        {"A_ptr": "a", "B_ptr": "b", "C_ptr": "c", "M": m, "N": n, "K": k}
    args.update(extra_args)
    options = [word for define in defines for word in ("-D", define)]
    if seed_types:
        options += ["--signature", seed_types]
    return {"name": f"{sample}.{m}x{n}x{k}", "sample": sample + ".tlx", "weight": m * n * k, "options": options,
            "launch": {"grid": [cdiv(m, rows) * cdiv(n, columns), 1, 1],
                       "tensors": {"a": tensor("fp16", [m, k], "randn", 1), "b": tensor("fp16", [k, n], "randn", 2),
                                   "c": tensor("fp16", [m, n], "nan")},
                       "args": args, "expect": {"c": {"matmul": ["a", "b"], "rtol": 2e-3}}, "flops": 2 * m * n * k}}


def strides(k, n):
    return {"stride_am": k, "stride_ak": 1, "stride_bk": n, "stride_bn": 1, "stride_cm": n}


def founding(m, n, k):
    return pointers_gemm("warp_specialized_gemm", m, n, k, {**strides(k, n), "stride_cn": 1}, (128, 128),
                         "A_ptr=*fp16:16, B_ptr=*fp16:16, C_ptr=*fp16:16, M=i32, N=i32, K=i32",
                         ["BLOCK_M=128", "BLOCK_N=128", "BLOCK_K=64", "NUM_STAGES=4"])


def attention(bh, n, d, causal=False, dtype="bf16", scale=None, spread=None, grid=None, repeat=1, keys=None):
    keys = keys or n
    config = {128: 0, 64: 1, 256: 2}[d]
    shape, key_shape = [bh, n, d], [bh, keys, d]
    init = {"randint": [-spread, spread]} if spread else "randn"
    scale = scale if scale is not None else d ** -0.5
    mask = "bottom-right" if causal else False
    expect = {"attention": ["q", "k", "v"], "causal": mask, "scale": scale, "rtol": 4e-3}
    return {
        "name": f"attention.{dtype}.{bh}x{n}{'' if keys == n else f'on{keys}'}x{d}.{'causal' if causal else 'full'}" + (f".spread{spread}" if spread else ""),
        "sample": "attention_ws.tlx", "weight": bh * n * keys * d * 2,
        "options": ["--config", str(config), "-D", f"CAUSAL={causal}", "-D", f"DTYPE={dtype}"],
        "launch": {"grid": [grid or min(MULTIPROCESSORS, cdiv(n, 128) * bh), 1, 1], "repeat": repeat,
                   "tensors": {"q": tensor(dtype, shape, init, 1), "k": tensor(dtype, key_shape, init, 2),
                               "v": tensor(dtype, key_shape, "randn", 3), "o": tensor(dtype, shape, "nan"),
                               "lse": tensor("fp32", [bh, n], "nan")},
                   "args": {"q_desc": {"descriptor": "q"}, "k_desc": {"descriptor": "k"}, "v_desc": {"descriptor": "v"},
                            "o_desc": {"descriptor": "o"}, "lse_ptr": "lse", "N_CTX": n, "N_KV": keys, "BH": bh, "scale": scale},
                   "expect": {"o": expect,
                              "lse": {"attention_lse": ["q", "k"], "causal": mask, "scale": scale, "rtol": 1e-4}},
                   "flops": 4 * bh * n * keys * d // (2 if causal else 1)}}


def vector_add(n):
    return {"name": f"vector_add.{n}", "sample": "vector_add.tlx", "weight": n, "options": [],
            "launch": {"grid": [cdiv(n, 1024), 1, 1],
                       "tensors": {"x": tensor("fp32", [n]), "y": tensor("fp32", [n], seed=2), "out": tensor("fp32", [n], "nan")},
                       "args": {"x_ptr": "x", "y_ptr": "y", "out_ptr": "out", "n": n},
                       "expect": {"out": {"sum": ["x", "y"], "rtol": 1e-6}}}}


def gemm_blackwell(m, n, k, dtype="fp16", layout="NT", config=0, out="fp16", grid=1, init="randn", defines=()):
    ctas = 2 if config == 3 else 1
    a_shape = [m, k] if layout[0] == "N" else [k, m]
    b_shape = [k, n] if layout[1] == "N" else [n, k]
    expect = {"matmul": ["a", "b"], "rtol": 1e-2 if out == "bf16" else 2e-3, "trans_a": layout[0] == "T", "trans_b": layout[1] == "T"}
    words = {"DTYPE": dtype, "OUT_DTYPE": out, "A_ROW_MAJOR": layout[0] == "N", "B_ROW_MAJOR": layout[1] == "N", **dict(defines)}
    return {
        "name": f"gemm_blackwell.{config}.{dtype}.{layout}.{m}x{n}x{k}", "sample": "gemm_blackwell.tlx",
        "weight": m * n * k,
        "options": ["--config", str(config), *(word for name, value in words.items() for word in ("-D", f"{name}={value}"))],
        "launch": {"grid": [grid * ctas, 1, 1],
                   "tensors": {"a": tensor(dtype, a_shape, init, 1), "b": tensor(dtype, b_shape, init, 2),
                               "c": tensor(out, [m, n], "nan")},
                   "args": {"a_desc": {"descriptor": "a"}, "b_desc": {"descriptor": "b"}, "c_desc": {"descriptor": "c"},
                            "M": m, "N": n, "K": k},
                   "expect": {"c": expect}, "flops": 2 * m * n * k}}


def gemm_mxfp8_blackwell(m, n, k, a="fp8e4nv", b="fp8e4nv", config=0, grid=1):
    scales = {"randint": [122, 133]}
    return {
        "name": f"gemm_mxfp8_blackwell.{config}.{a}.{b}.{m}x{n}x{k}", "sample": "gemm_mxfp8_blackwell.tlx", "weight": m * n * k,
        "options": ["--config", str(config), "-D", f"A_TYPE={a}", "-D", f"B_TYPE={b}"],
        "launch": {"grid": [grid, 1, 1],
                   "tensors": {"a": tensor(a, [m, k], seed=1), "b": tensor(b, [n, k], seed=2), "c": tensor("fp16", [m, n], "nan"),
                               "a_scale": tensor("u8", [cdiv(m, 128), cdiv(k, 128), 2, 256], scales, 3),
                               "b_scale": tensor("u8", [cdiv(n, 128), cdiv(k, 128), 2, 256], scales, 4)},
                   "args": {"a_desc": {"descriptor": "a"}, "b_desc": {"descriptor": "b"}, "a_scale_desc": {"descriptor": "a_scale"},
                            "b_scale_desc": {"descriptor": "b_scale"}, "c_desc": {"descriptor": "c"}, "M": m, "N": n, "K": k},
                   "expect": {"c": {"matmul": ["a", "b"], "trans_b": True, "scales": ["a_scale", "b_scale"], "rtol": 2e-3}},
                   "flops": 2 * m * n * k}}


def gemm_launch_control(m, n, k):
    return {"name": f"gemm_launch_control.{m}x{n}x{k}", "sample": "gemm_launch_control.tlx",
            "weight": m * n * k, "options": [],
            "launch": {"grid": [cdiv(m, 128) * cdiv(n, 128), 1, 1],
                       "tensors": {"a": tensor("fp16", [m, k]), "b": tensor("fp16", [n, k], seed=2), "c": tensor("fp16", [m, n], "nan")},
                       "args": {"a_desc": {"descriptor": "a"}, "b_desc": {"descriptor": "b"}, "c_desc": {"descriptor": "c"},
                                "M": m, "N": n, "K": k},
                       "expect": {"c": {"matmul": ["a", "b"], "trans_b": True, "rtol": 2e-3}}, "flops": 2 * m * n * k}}


def gemm_amd(kernel, config, m, n, k, tile):
    return {"name": f"{kernel}.{config}.{m}x{n}x{k}", "sample": "gemm_amd.tlx", "weight": m * n * k,
            "options": ["-k", kernel, "--config", str(config)],
            "launch": {"grid": [cdiv(m, tile[0]) * cdiv(n, tile[1]), 1, 1],
                       "tensors": {"a": tensor("fp16", [m, k]), "b": tensor("fp16", [n, k], seed=2), "c": tensor("fp16", [m, n], "nan")},
                       "args": {"a_ptr": "a", "b_ptr": "b", "c_ptr": "c", "M": m, "N": n, "K": k},
                       "expect": {"c": {"matmul": ["a", "b"], "trans_b": True, "rtol": 2e-3}}, "flops": 2 * m * n * k}}


def blackwell_cases():
    """Small enough for the emulator at 20 seeds: K of one stage, rings that go round, several tiles for each CTA, sizes that
    fill no tile, every operand order and type that the tensor cores have."""
    for config in range(4):
        yield gemm_blackwell(264, 264, 456, "fp16", ("NT", "TN", "NN", "TT")[config], config)
        yield gemm_blackwell(128, 256, 64, "bf16", ("TT", "NN", "NT", "NT")[config], config, "bf16")
        yield gemm_blackwell(208, 272, 208, "fp8e4nv", ("NT", "NN", "TT", "NN")[config], config)
        yield gemm_blackwell(136, 264, 136, "fp16", "NT", config, init={"randint": [-3, 3]}, grid=2)
    yield gemm_blackwell(8, 16, 16, "fp8e5", "NT", 1)
    yield gemm_blackwell(140, 136, 100, "fp32", "NT", 1, defines={"BK": 32})
    yield gemm_mxfp8_blackwell(264, 264, 800)
    yield gemm_mxfp8_blackwell(136, 264, 416, "fp8e5", "fp8e4nv", grid=2)
    yield gemm_mxfp8_blackwell(136, 528, 672, "fp8e4nv", "fp8e5", config=1)
    yield gemm_mxfp8_blackwell(8, 16, 32, config=1)
    yield gemm_launch_control(300, 400, 392)
    yield gemm_launch_control(100, 40, 64)


def random_shapes(count, seed=7):
    generator = random.Random(seed)
    for _ in range(count):
        yield generator.randint(1, 150) * 8, generator.randint(1, 150) * 8, generator.randint(1, 100) * 8


def all_cases():
    small_integers = {"randint": [-2, 2]}
    for n in (1, 1000, 4096):
        yield vector_add(n)
    # One tile, K of one stage, fewer stages than NUM_STAGES, several tiles for each CTA, every operand order.
    for config in range(6):
        for layout in ("NT", "NN", "TN", "TT"):
            yield gemm_ws(256, 256, 64, "fp16", layout, config, small_integers)
            yield gemm_ws(320, 520, 200, "bf16", layout, config)
        yield gemm_ws(8, 8, 8, "fp16", "NT", config)
        yield gemm_ws(512, 768, 512, "fp16", "NN", config, grid=4)
    for m, n, k in random_shapes(20):
        yield gemm_ws(m, n, k)
    # Shares of part of a tile, of two tiles' parts, of several steps for one tile; none left over; one program.
    for config, grid in ((0, 3), (0, 5), (0, 1), (1, 7)):
        yield gemm_stream_k(320, 520, 328, config, grid)
        yield gemm_stream_k(256, 512, 192, config, grid, "bf16", "NN", small_integers)
    yield gemm_stream_k(64, 128, 1024, 1, 8, "fp16", "TN", small_integers)
    for shape in ((256, 512, 256), (200, 264, 136)):
        yield pointers_gemm("gemm_pipelined", *shape, {}, (128, 256))
    # The shorthand's loads have no mask: whole tiles only.
    for shape in ((256, 512, 256), (128, 256, 64), (384, 768, 320)):
        yield pointers_gemm("gemm_roles", *shape, strides(shape[2], shape[1]), (128, 256))
    yield founding(256, 256, 256)
    for n in (1, 127, 129, 300):
        for causal in (False, True):
            yield attention(2, n, 128, causal)
    for d in (64, 256):
        for causal in (False, True):
            yield attention(3, 260, d, causal, "fp16")
    # More keys than queries; fewer, so that the first queries (whole tiles of them, too) see no key at all.
    for d in (64, 128, 256):
        yield attention(2, 130, d, True, "fp16", keys=333)
        yield attention(2, 300, d, True, "fp16", keys=70)
        yield attention(1, 200, d, False, "fp16", keys=70)
    yield attention(5, 384, 128, True, grid=2)
    # Scores of some thousands: exp would overflow without the maximum.
    yield attention(1, 256, 128, False, spread=8, scale=1.0)
    # Beyond what the emulator does in seconds.
    for shape in ((4096, 4096, 4096), (3000, 5000, 4104), (1024, 32768, 1152), (384, 3072, 64512), (128, 8192, 8192),
                  (8192, 8192, 8192)):
        for layout in ("NT", "NN"):
            yield gemm_ws(*shape, "bf16", layout, repeat=50)
    for shape in ((3000, 5000, 4104), (1024, 1024, 1024), (64, 4096, 16384)):
        yield gemm_stream_k(*shape, 1, 132, "bf16", repeat=50)
    yield pointers_gemm("gemm_pipelined", 4096, 4096, 4096, {}, (128, 256))
    yield pointers_gemm("gemm_roles", 4096, 4096, 4096, strides(4096, 4096), (128, 256))
    for n in (1000, 4097, 8192):
        for causal in (False, True):
            yield attention(2 * 16 if n == 8192 else 3, n, 128, causal, repeat=50)


def with_defines(case, *defines):
    return {**case, "options": [*case["options"], *(word for define in defines for word in ("-D", define))]}


def hopper_seed_cases():
    yield vector_add(3000)
    for config in range(6):
        yield gemm_ws(384, 264, 72 + 64 * (8 if config == 4 else 6), "fp16", ("NT", "TN", "NN", "TT", "NT", "TT")[config], config,
                      grid=(2, 1, 1, 4, 2, 2)[config])
    # Shares of several programs for a tile, and of parts of two tiles.
    yield gemm_stream_k(128, 264, 328, 0, 5)
    yield gemm_stream_k(64, 384, 520, 1, 5, layout="TN")
    yield pointers_gemm("gemm_pipelined", 200, 264, 264, {}, (128, 256))
    yield pointers_gemm("gemm_roles", 128, 512, 320, strides(320, 512), (128, 256))
    yield founding(128, 256, 256)
    for d in (64, 128, 256):
        yield attention(1, 200, d, d != 128, grid=1)


def blackwell_seed_cases():
    """What was written for others, unchanged; blackwell_cases() has its own samples."""
    yield vector_add(3000)
    yield gemm_ws(264, 264, 328, "fp16", "TT", 0, grid=2)
    yield gemm_ws(264, 136, 456, "fp16", "TN", 2, grid=1)
    yield with_defines(gemm_ws(136, 136, 264, "fp16", "NN", 4, grid=2), "NUM_STAGES=2")
    yield gemm_ws(264, 168, 136, "fp16", "NT", 5, grid=2)
    yield gemm_stream_k(64, 264, 328, 1, 3, layout="TN")
    yield pointers_gemm("gemm_pipelined", 100, 200, 200, {}, (128, 256))
    yield pointers_gemm("gemm_roles", 128, 256, 320, strides(320, 256), (128, 256))
    yield founding(128, 256, 256)
    yield attention(1, 200, 64, True, grid=1)
    yield attention(1, 200, 128, False, grid=1)
    yield gemm_amd("gemm_amd", 0, 100, 120, 136, (128, 128))


def amd_seed_cases(target):
    large = target == "gfx950"
    yield vector_add(3000)
    pipelined = pointers_gemm("gemm_pipelined", 100, 200, 200, {}, (128, 256))
    # Where shared memory is small the tiles are.
    yield pipelined if large else with_defines(pipelined, "NUM_STAGES=2", "BK=32")
    yield gemm_amd("gemm_amd", 0, 100, 136, 200, (128, 128))
    yield gemm_amd("gemm_amd_turns", 1, 100, 120, 200, (128, 128))
    if large:
        yield gemm_amd("gemm_amd", 1, 200, 120, 200, (256, 128))
        yield gemm_amd("gemm_amd_turns", 0, 200, 120, 264, (256, 128))


def seed_cases(target):
    """Every configuration of every sample that compiles for the target, so small that 20 seeds are run in every test: rings
    go round more than once, blocks take more than one tile, tiles reach past the edges."""
    if target.startswith("gfx"):
        return amd_seed_cases(target)
    return blackwell_seed_cases() if target.startswith("sm_10") else hopper_seed_cases()


def chosen(options):
    cases = (seed_cases(options.target) if options.seeds_set
             else blackwell_cases() if options.target.startswith("sm_10") else all_cases())
    for case in cases:
        if options.only in case["name"] and (not options.small or case["weight"] < 1.2e8):
            yield case


def build(options):
    failed = 0
    for case in chosen(options):
        folder = options.out / case["name"]
        folder.mkdir(parents=True, exist_ok=True)
        line = [*shlex.split(options.tlxc), str(SAMPLES / case["sample"]), f"--target={options.target}", "-o", str(folder), *shlex.split(options.tlxc_options),
                *case["options"]]
        result = subprocess.run(line, capture_output=True, text=True)
        manifests = [file for file in folder.glob("*.json") if file.name != "launch.json"]
        if result.returncode or len(manifests) != 1:
            failed += 1
            print("FAILED", shlex.join(line), result.stderr[:1000], sep="\n", flush=True)
            continue
        launch = {"manifest": manifests[0].name, **case["launch"]}
        (folder / "launch.json").write_text(json.dumps(launch, indent=1))
    return failed


def run(options):
    passed, failed = 0, 0
    for case in chosen(options):
        line = [*shlex.split(options.runner), str(options.out / case["name"] / "launch.json"), *shlex.split(options.runner_options)]
        try:
            result = subprocess.run(line, capture_output=True, text=True, timeout=options.timeout)
            code, text = result.returncode, result.stdout + result.stderr
        except subprocess.TimeoutExpired:
            code, text = "timeout", ""
        passed, failed = passed + (code == 0), failed + (code != 0)
        if code != 0 or options.verbose:
            print(f"{'ok' if code == 0 else 'FAILED'} {case['name']} ({code})\n{text[:600]}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["build", "run", "list"])
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/device-cases"))
    parser.add_argument("--tlxc", default="build/bin/tlxc")
    parser.add_argument("--runner", default="build/bin/tlx-run")
    parser.add_argument("--runner-options", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--target", default="sm_90a", help="sm_100a: the samples for Blackwell; with --seeds-set any target")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seeds-set", action="store_true", help="every configuration of every sample once, as small as can be")
    parser.add_argument("--tlxc-options", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    if options.action == "list":
        return print("\n".join(case["name"] for case in chosen(options)))
    return 1 if (build if options.action == "build" else run)(options) else 0


if __name__ == "__main__":
    sys.exit(main())
