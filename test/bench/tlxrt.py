"""libtlxrt for Python: load a manifest, launch with torch tensors and numbers. Needs torch only for torch tensors."""

import ctypes
import json
import pathlib

DTYPES = {"i1": 0, "i8": 1, "i16": 2, "i32": 3, "i64": 4, "u8": 5, "u16": 6, "u32": 7, "u64": 8, "fp16": 9, "bf16": 10,
          "fp32": 11, "fp64": 12, "fp8e4nv": 13, "fp8e5": 14}
TORCH_DTYPES = {"float16": 9, "bfloat16": 10, "float32": 11, "float64": 12, "int8": 1, "int16": 2, "int32": 3,
                "int64": 4, "uint8": 5, "float8_e4m3fn": 13, "float8_e5m2": 14}
FIRST_FLOAT = 9
ARG_TENSOR, ARG_POINTER, ARG_I64, ARG_F64 = range(4)
POINTER, SCALAR, TENSOR_MAP = range(3)


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("sizes", ctypes.c_int64 * 5), ("strides", ctypes.c_int64 * 5)]


class Value(ctypes.Union):
    _fields_ = [("tensor", ctypes.POINTER(Tensor)), ("pointer", ctypes.c_void_p), ("i64", ctypes.c_int64),
                ("f64", ctypes.c_double)]


class Arg(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("value", Value)]


class Error(RuntimeError):
    """A call of libtlxrt failed; the text has the parameter, both numbers and the rule."""


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        self.lib.tlxrt_last_error.restype = ctypes.c_char_p
        self.lib.tlxrt_status_string.restype = ctypes.c_char_p
        self.lib.tlxrt_kernel_parameter_name.restype = ctypes.c_char_p
        for name in ("tlxrt_kernel_parameter_name", "tlxrt_kernel_parameter_kind", "tlxrt_kernel_parameter_dtype"):
            getattr(self.lib, name).argtypes = [ctypes.c_void_p, ctypes.c_int]
        self.lib.tlxrt_kernel_parameter_count.argtypes = [ctypes.c_void_p]
        self.lib.tlxrt_kernel_load.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
        self.lib.tlxrt_kernel_free.argtypes = [ctypes.c_void_p]
        self.lib.tlxrt_launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int),
                                          ctypes.POINTER(Arg), ctypes.c_int]
        self.lib.tlxrt_max_active_clusters.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]

    def check(self, status):
        if status:
            raise Error(f"{self.lib.tlxrt_status_string(status).decode()}: {self.lib.tlxrt_last_error().decode()}")

    def multiprocessors(self):
        count = ctypes.c_int()
        self.check(self.lib.tlxrt_multiprocessor_count(ctypes.byref(count)))
        return count.value


class Kernel:
    def __init__(self, library, manifest_path):
        self.library = library
        self.handle = ctypes.c_void_p()
        self.manifest = json.loads(pathlib.Path(manifest_path).read_text())
        library.check(library.lib.tlxrt_kernel_load(str(manifest_path).encode(), ctypes.byref(self.handle)))
        count = library.lib.tlxrt_kernel_parameter_count(self.handle)
        self.params = [(library.lib.tlxrt_kernel_parameter_name(self.handle, i).decode(),
                        library.lib.tlxrt_kernel_parameter_kind(self.handle, i),
                        library.lib.tlxrt_kernel_parameter_dtype(self.handle, i)) for i in range(count)]

    def __del__(self):
        if getattr(self, "handle", None):
            self.library.lib.tlxrt_kernel_free(self.handle)

    def max_active_clusters(self):
        count = ctypes.c_int()
        self.library.check(self.library.lib.tlxrt_max_active_clusters(self.handle, ctypes.byref(count)))
        return count.value

    def bind(self, grid, values):
        """A function launch(stream) with all else prepared. `values` maps parameter names to tensors and numbers."""
        return Launch(self, grid, values)


class Launch:
    def __init__(self, kernel, grid, values):
        missing = [name for name, _, _ in kernel.params if name not in values]
        if missing:
            raise Error(f"no value for {', '.join(missing)} of {kernel.manifest['kernel']}")
        self.kernel = kernel
        self.function = kernel.library.lib.tlxrt_launch
        self.grid = (ctypes.c_int * 3)(*(list(grid) + [1, 1])[:3])
        # Tensors must outlive the launch, and so must the structures that point to them.
        self.kept = [values[name] for name, _, _ in kernel.params]
        self.tensors = []
        self.args = (Arg * max(1, len(kernel.params)))()
        for arg, (_, kind, dtype), value in zip(self.args, kernel.params, self.kept):
            self.fill(arg, kind, dtype, value)

    def fill(self, arg, kind, dtype, value):
        if value is None:
            arg.kind, arg.value.pointer = ARG_POINTER, None
        elif hasattr(value, "data_ptr"):
            self.tensors.append(describe(value))
            arg.kind, arg.value.tensor = ARG_TENSOR, ctypes.pointer(self.tensors[-1])
        elif kind == SCALAR and dtype >= FIRST_FLOAT:
            arg.kind, arg.value.f64 = ARG_F64, float(value)
        elif kind == SCALAR:
            arg.kind, arg.value.i64 = ARG_I64, int(value)
        else:
            arg.kind, arg.value.pointer = ARG_POINTER, int(value)

    def __call__(self, stream):
        status = self.function(self.kernel.handle, stream, self.grid, self.args, len(self.kept))
        if status:
            self.kernel.library.check(status)


def describe(tensor):
    """A torch tensor as libtlxrt sees it."""
    result = Tensor(data=tensor.data_ptr(), dtype=TORCH_DTYPES[str(tensor.dtype).removeprefix("torch.")],
                    rank=tensor.dim())
    if tensor.dim() > 5:
        raise Error(f"a tensor of rank {tensor.dim()}; at most 5 can be passed")
    for axis in range(tensor.dim()):
        result.sizes[axis], result.strides[axis] = tensor.size(axis), tensor.stride(axis)
    return result
