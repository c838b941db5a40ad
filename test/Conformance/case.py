"""What a conformance case is made of: the text of a kernel's body, its arguments, and what must come out.

A case is data. `case(name, body, X=array, OUT=Out(expected))` declares a kernel whose parameters are the keywords, in their
order: arrays are pointers to their elements, numbers are scalars. `Out` is a tensor that the kernel fills, compared with an
array that was computed without the compiler. `refused(name, body, kind, line)` is a kernel that must not compile.
"""

import re

import numpy as np

CASES = []

TARGETS = ("sm_90a", "sm_100a", "gfx942", "gfx950")
NVIDIA, AMD = TARGETS[:2], TARGETS[2:]
# What a kernel uses that only NVIDIA's machines have, or that is only made for them.
FOR_NVIDIA = (r"alloc_(warp_)?barrier|named_barrier|async_tasks|descriptor|bulk=|cluster_|remote_|gdc_|vote_ballot|device_print|device_assert"
              r"|tlx\.async_store|fence_async|fence\('async|globaltimer")

TYPE_NAMES = {"float16": "fp16", "float32": "fp32", "float64": "fp64", "int8": "i8", "int16": "i16", "int32": "i32",
              "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64"}


class Tensor:
    """An array under an element type that numpy may lack: bf16 and 8-bit floats are given as float32."""

    def __init__(self, values, dtype=None):
        self.values = np.ascontiguousarray(values)
        self.dtype = dtype or TYPE_NAMES[str(self.values.dtype)]
        if self.dtype in ("bf16", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16"):
            self.values = self.values.astype(np.float32)


class Out(Tensor):
    """What the kernel writes. `before` is what the tensor holds first: a number, or an array."""

    def __init__(self, expected, dtype=None, before=None, rtol=0.0, atol=None):
        super().__init__(expected, dtype)
        self.before, self.rtol, self.atol = before, rtol, atol


class Descriptor(Tensor):
    """A tensor that reaches the kernel as a tensor map with this block."""

    def __init__(self, values, block, dtype=None):
        super().__init__(values, dtype)
        self.block = block


class OutDescriptor(Out):
    def __init__(self, expected, block, **options):
        super().__init__(expected, **options)
        self.block = block


class Case:
    def __init__(self, name, body, arguments, expected_kind=None, expected_line=None, warps=4, grid=(1, 1, 1), cluster=None,
                 helpers="", defines=(), options=(), seeds=1, finding=None, prints=None, source=None, kernel="kernel",
                 emulated=True, targets=TARGETS):
        self.name, self.body, self.arguments = name, body, arguments
        self.expected_kind, self.expected_line = expected_kind, expected_line
        self.warps, self.grid, self.cluster = warps, (tuple(grid) + (1, 1, 1))[:3], cluster
        self.helpers, self.defines, self.options, self.seeds = helpers, defines, options, seeds
        self.finding, self.prints = finding, prints
        self.source, self.kernel, self.emulated, self.targets = source, kernel, emulated, targets

    def is_for_nvidia(self):
        """Whether it uses what AMD's machines lack."""
        has_maps = any(isinstance(value, (Descriptor, OutDescriptor)) for value in self.arguments.values())
        return not self.expected_kind and bool(has_maps or self.cluster or re.search(FOR_NVIDIA, self.helpers + self.body))


def case(name, body, *, _warps=4, _grid=(1,), _cluster=None, _helpers="", _defines=(), _options=(), _seeds=1, _finding=None,
         _prints=None, _emulated=True, _targets=TARGETS, **arguments):
    """`_options`: of the compiler. `_emulated=False`: compiled all the way here, and run on GPUs only. `_prints`: lines that the kernel prints.
    `_finding`: what the emulator must find."""
    arguments = {key: value if isinstance(value, (Tensor, int, float)) else Tensor(value)
                 for key, value in arguments.items()}
    CASES.append(Case(name, body, arguments, warps=_warps, grid=_grid, cluster=_cluster, helpers=_helpers,
                      defines=_defines, options=_options, seeds=_seeds, finding=_finding, prints=_prints, emulated=_emulated, targets=_targets))


def refused(name, body, kind, line, *, _warps=4, _helpers="", _cluster=None, _targets=TARGETS, **arguments):
    """`line` counts from 1 in the body."""
    arguments = {key: value if isinstance(value, (Tensor, int, float)) else Tensor(value)
                 for key, value in arguments.items()}
    CASES.append(Case(name, body, arguments, expected_kind=kind, expected_line=line, warps=_warps, helpers=_helpers,
                      cluster=_cluster, targets=_targets))


def sample(name, source, kernel, *, grid, defines=(), seeds=20, warps=4, cluster=None, targets=TARGETS, **arguments):
    """A kernel of samples/plain, which says the types of its parameters itself. `targets`: those that it compiles for."""
    arguments = {key: value if isinstance(value, (Tensor, int, float)) else Tensor(value)
                 for key, value in arguments.items()}
    CASES.append(Case(name, "", arguments, grid=grid, warps=warps, cluster=cluster, defines=defines, seeds=seeds, source=source, kernel=kernel,
                      targets=targets))


# Values that cases share.

def f32(*values):
    return np.array(values, dtype=np.float32)


def i32(*values):
    return np.array(values, dtype=np.int32)


def arange(count, dtype=np.int32):
    return np.arange(count, dtype=dtype)


def random(*shape, seed=1, dtype=np.float32, low=-4, high=5):
    """Small integers: sums and products of them are exact in every float type."""
    return np.random.default_rng(seed).integers(low, high, size=shape).astype(dtype)


def normal(*shape, seed=1, dtype=np.float32, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype)
