#!/usr/bin/env python3
"""Checks the benchmark without a GPU: stand-ins for torch's clock and for the driver; libtlxrt is the real one.

Usage: test_bench.py LIBTLXRT STAND_IN_DRIVER
"""

import contextlib
import ctypes
import hashlib
import io
import json
import os
import pathlib
import stat
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


class Clock:
    """Time that passes only when a stand-in kernel runs."""

    now = 0.0


class Event:
    def __init__(self, enable_timing):
        self.at = 0.0

    def record(self):
        self.at = Clock.now

    def elapsed_time(self, end):
        return end.at - self.at


class Graph:
    recording = None

    def __init__(self):
        self.cost = 0.0

    def replay(self):
        Clock.now += self.cost


@contextlib.contextmanager
def capture(graph):
    before = Clock.now
    yield
    graph.cost, Clock.now = Clock.now - before, before


def fake_torch():
    torch = types.ModuleType("torch")
    torch.__version__, torch.float16, torch.bfloat16 = "fake", "torch.float16", "torch.bfloat16"
    properties = types.SimpleNamespace(name="no device", multi_processor_count=132)
    torch.cuda = types.SimpleNamespace(
        Event=Event, CUDAGraph=Graph, graph=capture, synchronize=lambda: None, _sleep=lambda cycles: None,
        init=lambda: None, current_stream=lambda: types.SimpleNamespace(cuda_stream=7),
        get_device_properties=lambda index: properties)
    torch.version = types.SimpleNamespace(cuda="none")
    torch.backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 0))
    functional, attention = types.ModuleType("torch.nn.functional"), types.ModuleType("torch.nn.attention")
    attention.SDPBackend, attention.sdpa_kernel = types.SimpleNamespace(CUDNN_ATTENTION=0), contextlib.nullcontext
    nn = types.ModuleType("torch.nn")
    nn.functional, nn.attention = functional, attention
    torch.nn = nn
    sys.modules.update({"torch": torch, "torch.nn": nn, "torch.nn.functional": functional,
                        "torch.nn.attention": attention})


class FakeTensor:
    def __init__(self, address, shape, dtype="torch.float16"):
        self.address, self.shape, self.dtype = address, shape, dtype

    def data_ptr(self):
        return self.address

    def dim(self):
        return len(self.shape)

    def size(self, axis):
        return self.shape[axis]

    def stride(self, axis):
        result = 1
        for size in self.shape[axis + 1:]:
            result *= size
        return result

    def fill_(self, value):
        return self


class FakeProblem:
    """Ours takes 2 ms, the peer 3 ms."""

    error = 1e-4

    def __init__(self, case):
        self.tensors = {name: FakeTensor(0x1000 * (i + 1), (128, 64)) for i, name in enumerate(["a", "b", "c", "partial", "flag"])}
        self.outputs = [self.tensors["c"]]

    def peer(self):
        import measure

        return measure.Contestant("peer", lambda: tick(3.0))

    def errors(self):
        return {"error": self.error, "peer_error": 1e-4, "difference_to_peer": 1e-4}


def tick(milliseconds):
    Clock.now += milliseconds


def tensor_map(name, offset):
    return {"name": name, "kind": "tensor_map", "offset": offset, "size": 128, "align": 64,
            "tensor_map": {"dtype": "fp16", "rank": 2, "box": [64, 64], "swizzle": 128}}


def manifest():
    scalars = [{"name": name, "kind": "scalar", "type": "i32", "offset": 384 + 4 * i, "size": 4}
               for i, name in enumerate("MNK")]
    return {"schema": 1, "kernel": "gemm_ws", "entry": "gemm", "target": "sm_90a", "devices": ["sm_90"],
            "constexprs": {"BM": 128, "BN": 256, "CTAS_M": 2, "CTAS_N": 1},
            "image": {"file": "k.cubin", "kind": "cubin", "bytes": 5, "sha256": hashlib.sha256(b"image").hexdigest()},
            "params": [tensor_map("a_desc", 0), tensor_map("b_desc", 128), tensor_map("c_desc", 256)] + scalars,
            "launch": {"threads": 384, "cluster": [2, 1, 1]}}


# Stands for tlxc: writes a manifest and an image, and keeps its command line.
FAKE_COMPILER = """#!{python}
import json, pathlib, sys
out = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
(out / "gemm_ws.sm_90a.json").write_text({manifest!r})
(out / "k.cubin").write_bytes(b"image")
(out / "command").write_text(json.dumps(sys.argv[1:]))
"""


class Benchmark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import build_kernels

        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        compiler = cls.root / "tlxc"
        compiler.write_text(FAKE_COMPILER.format(python=sys.executable, manifest=json.dumps(manifest())))
        compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
        code, text = cls.call(build_kernels, "--tlxc", compiler, "-o", cls.root / "kernels", "--only", "gemm")
        if code:
            raise RuntimeError(text)

    @staticmethod
    def call(module, *arguments):
        old = sys.argv
        sys.argv = [module.__name__] + [str(argument) for argument in arguments]
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                code = module.main()
        finally:
            sys.argv = old
        return code, out.getvalue()

    def bench(self, *arguments, kernels="kernels"):
        import bench

        bench.KINDS["gemm"].Problem = FakeProblem
        original = bench.measure.Contestant

        class Ours(original):
            def __init__(self, name, function, context=contextlib.nullcontext):
                timed = function if name == "peer" else lambda: (function(), tick(2.0))
                super().__init__(name, timed, context)

        bench.measure.Contestant = Ours
        try:
            return self.call(bench, "gemm", "--kernels", self.root / kernels, "--library", LIBRARY, "--out",
                             self.root / "out.json", "--only", "8192, 8192, 8192 fp16 N", *arguments)
        finally:
            bench.measure.Contestant = original

    def test_build_passes_the_case_to_the_compiler(self):
        command = json.loads((self.root / "kernels/gemm/pair.bf16.NT/command").read_text())
        for text in ("DTYPE=bf16", "A_ROW_MAJOR=True", "B_ROW_MAJOR=False", "--config", "--target=sm_90a"):
            self.assertIn(text, command)
        self.assertEqual(len(list((self.root / "kernels/gemm").iterdir())), 28)

    def test_measures_interleaved_and_writes_ratios(self):
        code, text = self.bench()
        self.assertEqual(code, 0, text)
        result = json.loads((self.root / "out.json").read_text())
        self.assertEqual([row["case"] for row in result["rows"]],
                         ["gemm 8192, 8192, 8192 fp16 NN", "gemm 8192, 8192, 8192 fp16 NT"])
        row = result["rows"][0]
        self.assertAlmostEqual(row["ms"], 2.0)
        self.assertAlmostEqual(row["ratio"], 1.5)
        self.assertEqual(len(row["samples"]), 15)
        self.assertEqual(row["variant"], "pair")
        self.assertEqual(row["grid"], [132, 1, 1])
        self.assertAlmostEqual(result["summary"]["gemm"]["geometric_mean"], 1.5)
        self.assertEqual(result["summary"]["gemm fp16 NN"]["cases"], 1)

    def test_all_variants(self):
        code, text = self.bench("--check-only", "--all-variants")
        self.assertEqual(code, 0, text)
        self.assertIn("14 rows, 0 wrong", text)

    def test_wrong_results_fail(self):
        for error in (0.1, float("nan")):
            FakeProblem.error = error
            self.addCleanup(setattr, FakeProblem, "error", 1e-4)
            code, text = self.bench("--check-only")
            self.assertEqual(code, 1)
            self.assertIn("WRONG", text)

    def test_what_was_not_built_is_named(self):
        code, text = self.bench(kernels="absent")
        self.assertEqual(code, 1)
        self.assertIn("not built", text)

    def test_the_rule_chooses(self):
        import variants

        family = variants.load(HERE / "variants.json")
        choose = lambda kind, **names: variants.chosen(family[kind], {"SMS": 132, **names})
        gemm = lambda m, n, k, layout="NT": choose("gemm", M=m, N=n, K=k, layout=layout)
        self.assertEqual(gemm(8192, 8192, 8192), "pair")
        self.assertEqual(gemm(3000, 5000, 4104), "wide")
        self.assertEqual(gemm(3000, 5000, 4104, "NN"), "quad")
        self.assertEqual(gemm(1024, 1024, 1024), "cut")
        self.assertEqual(gemm(128, 65536, 8192), "single")
        self.assertEqual(choose("attention", D=256), "n64")
        self.assertEqual(choose("attention", D=128), "n128")

    def test_errors_of_the_runtime_have_their_text(self):
        import tlxrt

        kernel = tlxrt.Kernel(tlxrt.Library(LIBRARY), self.root / "kernels/gemm/pair.fp16.NT/gemm_ws.sm_90a.json")
        tensor = FakeTensor(0x1000, (128, 60))
        values = {"a_desc": tensor, "b_desc": tensor, "c_desc": tensor, "M": 1, "N": 1, "K": 1}
        with self.assertRaisesRegex(tlxrt.Error, "`a_desc`: stride of axis 0 is 120 bytes, no multiple of 16"):
            kernel.bind([2], values)(None)
        with self.assertRaisesRegex(tlxrt.Error, "grid x is 3, no multiple of the cluster's 2"):
            kernel.bind([3], values)(None)
        with self.assertRaisesRegex(tlxrt.Error, "no value for K"):
            kernel.bind([2], {name: values[name] for name in values if name != "K"})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    LIBRARY, os.environ["TLXRT_DRIVER"] = sys.argv[1], sys.argv[2]
    fake_torch()
    places = [number for param in manifest()["params"] for number in (param["offset"], param["size"])]
    ctypes.CDLL(sys.argv[2]).standInPlaces((ctypes.c_size_t * len(places))(*places), len(places) // 2)
    unittest.main(argv=sys.argv[:1])
