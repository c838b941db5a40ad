"""The cases of operations.py: one small kernel each, with inputs of small integers and an expectation.

An expectation is a reference of the launch file, or a list of numbers computed here.
"""

import math
import struct

MASK = (1 << 64) - 1


def uniform(seed, index, low, high):
    """What `{"randint": [low, high]}` puts at `index` (lib/Launch/LaunchFile.md)."""
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return low + (((z ^ (z >> 31)) * (high - low)) >> 64)


class Tensor:
    """A tensor of the launch file that this program knows the values of."""

    def __init__(self, dtype, shape, low=-4, high=4, seed=1):
        self.dtype, self.shape, self.low, self.high, self.seed = dtype, shape, low, high, seed

    def declaration(self):
        return {"dtype": self.dtype, "shape": self.shape, "init": {"randint": [self.low, self.high]}, "seed": self.seed}

    def values(self):
        return [uniform(self.seed, i, self.low, self.high) for i in range(math.prod(self.shape))]


def output(dtype, shape, value=None):
    init = value if value is not None else "zeros" if dtype[0] in "iu" else "nan"
    return {"dtype": dtype, "shape": shape, "init": init}


def case(group, name, source, kernel, tensors, args, expect, defines=None, grid=1, cluster=None, exact=True, out="out"):
    options = ["-k", kernel]
    for key, value in (defines or {}).items():
        options += ["-D", f"{key}={value}"]
    if cluster:
        options += ["--cluster", f"{cluster},1,1"]
    declared = {key: value.declaration() if isinstance(value, Tensor) else value for key, value in tensors.items()}
    return {"group": group, "name": name, "source": source, "options": options, "exact": exact, "out": out, "expect": expect,
            "launch": {"grid": [grid, 1, 1], "tensors": declared, "args": args}}


def product(m, n, k, dtype, a_trans=False, b_trans=False, in_registers=False, b_dtype=None, warps=None):
    size = {"fp16": 2, "bf16": 2, "fp32": 4}.get(dtype, 1)
    swizzle = lambda columns: next((span for span in (128, 64, 32) if columns * size % span == 0), 0)
    a_text = "registers" if in_registers else f"{'M' if a_trans else 'K'}-major, swizzle {swizzle(m if a_trans else k)}"
    b_text = f"{'K' if b_trans else 'N'}-major, swizzle {swizzle(k if b_trans else n)}"
    a = Tensor(dtype, [k, m] if a_trans else [m, k], seed=1)
    b = Tensor(b_dtype or dtype, [n, k] if b_trans else [k, n], seed=2)
    types = dtype if not b_dtype else f"{dtype} and {b_dtype}"
    made = case("wgmma", f"{types} {m}x{n}x{k}, A {a_text}, B {b_text}", "products", "product",
                {"a": a, "b": b, "out": output("fp32", [m, n])},
                {"a_desc": {"descriptor": "a"}, "b_desc": {"descriptor": "b"}, "c_ptr": "out"},
                {"matmul": ["a", "b"], "trans_a": a_trans, "trans_b": b_trans, "alpha": 2},
                {"M": m, "N": n, "K": k, "DTYPE": dtype, "B_DTYPE": b_dtype or dtype, "A_TRANS": a_trans, "B_TRANS": b_trans,
                 "IN_REGISTERS": in_registers})
    if warps:
        made["options"] += ["--num-warps", str(warps)]
    return made


def products():
    for dtype in ("fp16", "bf16"):
        for k in (16, 32, 64):
            yield product(64, 64, k, dtype, b_trans=True)
        yield product(64, 128, 64, dtype, a_trans=True)
        yield product(64, 64, 64, dtype, b_trans=True, in_registers=True)
    for n in (16, 32, 64, 256):
        yield product(64, n, 64, "fp16")
    for k in (16, 32, 64):
        yield product(64, 32, k, "fp16", a_trans=True, b_trans=True)
    yield product(64, 8, 64, "fp16", b_trans=True)
    yield product(64, 64, 128, "fp16", b_trans=True)
    yield product(128, 256, 64, "fp16", a_trans=True)
    yield product(128, 64, 64, "fp16", b_trans=True, warps=8)
    yield product(64, 32, 64, "fp16", in_registers=True)
    for k in (8, 16, 32, 64):
        yield product(64, 64, k, "fp32", b_trans=True)
    for dtype in ("fp8e4nv", "fp8e5"):
        for k in (32, 64, 128):
            yield product(64, 64, k, dtype, b_trans=True)


def box_values(tensor, position, box):
    """The box at `position`; zeros outside."""
    values, result = tensor.values(), []
    for index in range(math.prod(box)):
        flat, rest = 0, index
        coordinates = []
        for extent in reversed(box):
            coordinates.insert(0, rest % extent)
            rest //= extent
        inside = True
        for axis, extent in enumerate(tensor.shape):
            at = position[axis] + coordinates[axis]
            inside &= 0 <= at < extent
            flat = flat * extent + at
        result.append(values[flat] if inside else 0)
    return result


def map_load(shape, box, position, dtype, what):
    tensor, rank = Tensor(dtype, shape, 0 if dtype[0] == "u" else -4, 100 if dtype[0] in "iu" else 4), len(box)
    args = {"desc": {"descriptor": "x"}, "out_ptr": "out", **dict(zip("xyzwv", position))}
    return case("tensor-map load", what, "tensor_maps", f"load{rank}", {"x": tensor, "out": output(dtype, [math.prod(box)])},
                args, box_values(tensor, position, box), {**dict(zip("ABCDE", box)), "DTYPE": dtype})


def map_loads():
    for dtype, size in (("i8", 1), ("fp16", 2), ("i32", 4)):
        for span in (16, 32, 64, 128, 256):
            swizzle = f"swizzle {min(span, 128)}" if span >= 32 else "no swizzle"
            columns = span // size
            yield map_load([40, 2 * columns], [16, columns], [8, columns], dtype, f"{dtype}, rows of {span} bytes, {swizzle}")
    yield map_load([500], [128], [64], "fp16", "1 axis")
    yield map_load([6, 20, 64], [2, 16, 32], [3, 4, 32], "fp16", "3 axes")
    yield map_load([3, 4, 12, 32], [2, 2, 8, 32], [1, 2, 4, 0], "fp16", "4 axes")
    yield map_load([3, 4, 3, 12, 32], [2, 2, 2, 8, 16], [1, 2, 1, 4, 16], "fp16", "5 axes")
    yield map_load([20, 40], [16, 64], [10, 8], "fp16", "past the upper edges")
    yield map_load([20, 40], [16, 64], [-3, -8], "fp16", "before the lower edges")
    yield map_load([20, 40], [16, 64], [32, 64], "fp16", "wholly outside")
    yield map_load([5, 20, 40], [2, 16, 32], [4, 10, 16], "i32", "3 axes, past the upper edges")


def combine(reduce, dtype, old, new):
    if dtype[0] == "i":
        return {"add": old + new, "min": min(old, new), "max": max(old, new), "and": old & new, "or": old | new,
                "xor": old ^ new}[reduce]
    return {"add": old + new, "min": min(old, new), "max": max(old, new)}[reduce]


def map_store(box, position, dtype, what, reduce="", shape=None):
    low, high = (0, 100) if dtype[0] in "iu" else (-4, 4)
    source = Tensor(dtype, [math.prod(box)], low, high, seed=3)
    target = Tensor(dtype, shape or [2 * extent for extent in box], low, high, seed=4)
    expected, values = target.values(), source.values()
    for index, value in enumerate(values):
        flat, rest, inside, coordinates = 0, index, True, []
        for extent in reversed(box):
            coordinates.insert(0, rest % extent)
            rest //= extent
        for axis, extent in enumerate(target.shape):
            at = position[axis] + coordinates[axis]
            inside &= 0 <= at < extent
            flat = flat * extent + at
        if inside:
            expected[flat] = combine(reduce, dtype, expected[flat], value) if reduce else value
    args = {"x_ptr": "x", "desc": {"descriptor": "out"}, **dict(zip("xyz", position))}
    defines = {**dict(zip("ABC", box)), "DTYPE": dtype}
    if reduce:
        defines["REDUCE"] = f'"{reduce}"'
    return case("tensor-map reduction" if reduce else "tensor-map store", what, "tensor_maps", f"store{len(box)}",
                {"x": source, "out": target}, args, expected, defines)


def map_stores():
    for dtype, size in (("i8", 1), ("fp16", 2), ("i32", 4)):
        for span in (16, 32, 64, 128):
            swizzle = f"swizzle {span}" if span >= 32 else "no swizzle"
            yield map_store([16, span // size], [8, span // size], dtype, f"{dtype}, rows of {span} bytes, {swizzle}")
    yield map_store([2, 16, 32], [1, 8, 16], "fp16", "3 axes")
    yield map_store([16, 64], [10, 24], "fp16", "past the upper edges", shape=[20, 40])
    for reduce in ("add", "min", "max", "and", "or", "xor"):
        yield map_store([16, 32], [8, 16], "i32", f"i32 {reduce}", reduce)
    for dtype, reduces in (("fp32", ("add",)), ("fp16", ("add", "min", "max")), ("bf16", ("add", "min", "max"))):
        for reduce in reduces:
            yield map_store([16, 32], [8, 16], dtype, f"{dtype} {reduce}", reduce)


def clusters():
    for ctas in (2, 4):
        x = Tensor("fp16", [ctas * 32, 64])
        yield case("cluster", f"multicast among {ctas} CTAs", "tensor_maps", "multicast",
                   {"x": x, "out": output("fp16", [ctas * ctas * 2048])}, {"desc": {"descriptor": "x"}, "out_ptr": "out"},
                   x.values() * ctas, {"CTAS": ctas, "TARGETS": list(range(ctas))}, grid=ctas, cluster=ctas)
    x = Tensor("fp32", [256])
    yield case("cluster", "arrivals at the peer's barrier", "synchronised", "remote_arrive",
               {"x": x, "out": output("fp32", [256])}, {"x_ptr": "x", "out_ptr": "out"},
               [value + (i // 128) for i, value in enumerate(x.values())], grid=2, cluster=2)


def barriers():
    same = {"x_ptr": "x", "out_ptr": "out"}
    for kernel, what in (("named", "named barrier, arrive and wait"), ("warp_barriers", "mbarrier with an arrival of each thread")):
        yield case("barrier", what, "synchronised", kernel, {"x": Tensor("fp32", [1024]), "out": output("fp32", [1024])}, same,
                   {"equal": "x"})
    yield case("barrier", "mbarrier ring of two slots, seven rounds", "synchronised", "ring",
               {"x": Tensor("fp32", [7168]), "out": output("fp32", [7168])}, {**same, "rounds": 7}, {"equal": "x"})
    yield case("fence", "global memory, generic writes before a tensor-map load", "synchronised", "fence_global",
               {"x": Tensor("fp16", [64, 64]), "work": output("fp16", [64, 64], "zeros"), "out": output("fp16", [64, 64])},
               {**same, "work_ptr": "work", "work_desc": {"descriptor": "work"}}, {"equal": "x"})


def copies():
    for dtype, align, elements, what in (("fp32", 4, 1, "4"), ("fp32", 8, 2, "8"), ("fp16", 16, 8, "16")):
        x, n = Tensor(dtype, [16 * 64]), 1000
        made = case("cp.async", f"{what} bytes for each thread, with a mask", "elements", "copy_async",
                    {"x": x, "out": output(dtype, [1024])}, {"x_ptr": "x", "out_ptr": "out", "n": n},
                    [value if i < n else 0 for i, value in enumerate(x.values())], {"A": 16, "B": 64, "DTYPE": dtype})
        # The pointer and the mask's end are divisible by what one thread copies.
        made["options"] += ["--signature", f"x_ptr=*{dtype}:{align}, n=i32:{elements}"]
        yield made


def folded(which, values):
    result = values[0]
    for value in values[1:]:
        result = {"sum": result + value, "max": max(result, value), "min": min(result, value),
                  "xor": result ^ value if which == "xor" else 0}[which]
    return result


def reductions():
    for which, dtype in (("sum", "fp32"), ("max", "fp16"), ("min", "fp32"), ("sum", "i32"), ("xor", "i32")):
        for axis in (0, 1):
            a, b = 32, 128
            x = Tensor(dtype, [a, b])
            values = x.values()
            lines = [values[i * b:(i + 1) * b] for i in range(a)] if axis == 1 else [values[j::b] for j in range(b)]
            yield case("reduction", f"{which} of {dtype} along axis {axis}", "elements", "reduce_axis",
                       {"x": x, "out": output(dtype, [len(lines)])}, {"x_ptr": "x", "out_ptr": "out"},
                       [folded(which, line) for line in lines],
                       {"A": a, "B": b, "AXIS": axis, "WHICH": f'"{which}"', "DTYPE": dtype})


def shapes():
    x = Tensor("fp16", [4096])
    values = x.values()
    expected = {"transpose": [values[j * 64 + i] for i in range(64) for j in range(64)],
                "halves": [values[i * 64 + half * 32 + j] for half in range(2) for i in range(64) for j in range(32)],
                "turned": [values[k * 1024 + i * 64 + j] for i in range(16) for j in range(64) for k in range(4)]}
    for which, numbers in expected.items():
        yield case("layout", which, "elements", "reshaped", {"x": x, "out": output("fp16", [4096])},
                   {"x_ptr": "x", "out_ptr": "out"}, numbers, {"WHICH": f'"{which}"'})


def atomics():
    for which, dtype in (("add", "i32"), ("max", "i32"), ("min", "i32"), ("and", "i32"), ("or", "i32"), ("xor", "i32"),
                         ("xchg", "i32"), ("add", "fp32"), ("add", "fp16")):
        x, old = Tensor(dtype, [256], 0 if dtype == "i32" else -4, 100 if dtype == "i32" else 4), Tensor(dtype, [256], -4, 4, seed=9)
        expected = old.values()
        for i, value in enumerate(x.values()):
            expected[i if which == "xchg" else i % 64] = value if which == "xchg" else combine(which, dtype, expected[i % 64], value)
        yield case("atomic", f"{which} of {dtype}", "elements", "atomics", {"x": x, "out": old},
                   {"x_ptr": "x", "out_ptr": "out"}, expected, {"WHICH": f'"{which}"', "DTYPE": dtype})


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def conversions():
    for source, target in (("fp32", "fp16"), ("fp32", "bf16"), ("fp32", "fp8e4nv"), ("fp32", "fp8e5"), ("fp32", "i32"),
                           ("i32", "fp32"), ("i32", "fp16"), ("fp16", "fp32"), ("bf16", "fp32"), ("fp8e4nv", "fp16"),
                           ("fp8e5", "fp32"), ("i8", "fp16")):
        # Rounding too where a float becomes narrower: the bits are compared, not the numbers known here.
        rounds = source == "fp32"
        x = {"dtype": source, "shape": [256], "init": {"randn": [0, 30]}, "seed": 5} if rounds else Tensor(source, [256])
        yield case("conversion", f"{source} to {target}", "elements", "convert", {"x": x, "out": output(target, [256])},
                   {"x_ptr": "x", "out_ptr": "out"}, None if rounds else {"equal": "x"}, {"FROM": source, "TO": target})


def functions():
    for which in ("exp2", "exp", "log2", "log", "rsqrt", "sqrt", "sin", "cos", "sigmoid", "divide", "fma", "round"):
        yield case("function", which, "elements", "function",
                   {"x": {"dtype": "fp32", "shape": [256], "init": {"randn": [0, 3]}, "seed": 6}, "out": output("fp32", [256])},
                   {"x_ptr": "x", "out_ptr": "out"}, None, {"WHICH": f'"{which}"'}, exact=which in ("fma", "round"))
    x, y = Tensor("i32", [256], -1000, 1000), Tensor("i32", [256], 1, 50, seed=2)
    pairs = list(zip(x.values(), y.values()))
    wrap = lambda value: (value + (1 << 31)) % (1 << 32) - (1 << 31)
    quotient = [abs(a) // b * (1 if a >= 0 else -1) for a, b in pairs]
    expected = quotient + [a - q * b for (a, b), q in zip(pairs, quotient)] + [wrap(wrap(a << 3) ^ (a >> 2)) for a, b in pairs] + \
        [wrap(a * b * 1103515245) for a, b in pairs]
    yield case("integer", "quotient, remainder, shifts, products", "elements", "integers",
               {"x": x, "y": y, "out": output("i32", [1024])}, {"x_ptr": "x", "y_ptr": "y", "out_ptr": "out"}, expected)


def all_cases():
    for make in (products, map_loads, map_stores, clusters, barriers, copies, reductions, shapes, atomics, conversions,
                 functions):
        yield from make()
