"""Tiles with known values: what each operation of the language means, written down a second time, element by element."""

import math
import struct

INTEGER_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOATS = ("fp32", "fp16", "bf16")
NAMES = {"i1": "tl.int1", "i8": "tl.int8", "i16": "tl.int16", "i32": "tl.int32", "i64": "tl.int64", "fp32": "tl.float32",
         "fp16": "tl.float16", "bf16": "tl.bfloat16"}


def rounded(dtype, value):
    """The number as an element of that type: integers wrap, floats round to nearest even."""
    if dtype == "i1":
        return bool(value)
    if dtype in INTEGER_BITS:
        half = 1 << (INTEGER_BITS[dtype] - 1)
        return (int(value) + half) % (2 * half) - half
    if dtype == "fp32":
        return struct.unpack("<f", struct.pack("<f", value))[0]
    if dtype == "fp16":
        return struct.unpack("<e", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    bits += 0x7FFF + ((bits >> 16) & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


class Tile:
    """`text` is the variable that holds it in the kernel; values are in row-major order."""

    def __init__(self, text, dtype, shape, values):
        assert len(values) == math.prod(shape)
        self.text, self.dtype, self.shape, self.values = text, dtype, tuple(shape), values

    def is_float(self):
        return self.dtype in FLOATS

    def largest(self):
        return max(abs(value) for value in self.values)

    def sums_exactly(self):
        """No order of addition rounds."""
        if not self.is_float():
            return True
        places = {"fp32": 24, "fp16": 11, "bf16": 8}[self.dtype]
        return all(value == int(value) for value in self.values) and sum(map(abs, self.values)) < 1 << places


def coordinates(index, shape):
    result = []
    for extent in reversed(shape):
        result.append(index % extent)
        index //= extent
    return tuple(reversed(result))


def position(at, shape):
    index = 0
    for coordinate, extent in zip(at, shape):
        index = index * extent + coordinate
    return index


def permuted(values, shape, order):
    new = tuple(shape[axis] for axis in order)
    result = []
    for index in range(len(values)):
        at, source = coordinates(index, new), [0] * len(shape)
        for axis, coordinate in zip(order, at):
            source[axis] = coordinate
        result.append(values[position(source, shape)])
    return new, result


def reduced(values, shape, axis, combine):
    rest = shape[:axis] + shape[axis + 1:]
    result = []
    for index in range(math.prod(rest)):
        at = list(coordinates(index, rest))
        line = [values[position(at[:axis] + [k] + at[axis:], shape)] for k in range(shape[axis])]
        total = line[0]
        for value in line[1:]:
            total = combine(total, value)
        result.append(total)
    return rest, result


def broadcast(values, shape, target):
    """Repeats along the axes whose extent is 1."""
    result = []
    for index in range(math.prod(target)):
        at = [0 if extent == 1 else coordinate for coordinate, extent in zip(coordinates(index, target), shape)]
        result.append(values[position(at, shape)])
    return result


def truncated_quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# Operators by their text in the source; `{}` are the operands.
INTEGER_BINARY = {
    "{} + {}": lambda a, b: a + b, "{} - {}": lambda a, b: a - b, "{} * {}": lambda a, b: a * b,
    "{} & {}": lambda a, b: a & b, "{} | {}": lambda a, b: a | b, "{} ^ {}": lambda a, b: a ^ b,
    "tl.minimum({}, {})": min, "tl.maximum({}, {})": max,
}
FLOAT_BINARY = {
    "{} + {}": lambda a, b: a + b, "{} - {}": lambda a, b: a - b, "{} * {}": lambda a, b: a * b,
    "tl.minimum({}, {})": min, "tl.maximum({}, {})": max,
}
COMPARISONS = {
    "{} < {}": lambda a, b: a < b, "{} <= {}": lambda a, b: a <= b, "{} > {}": lambda a, b: a > b,
    "{} >= {}": lambda a, b: a >= b, "{} == {}": lambda a, b: a == b, "{} != {}": lambda a, b: a != b,
}
