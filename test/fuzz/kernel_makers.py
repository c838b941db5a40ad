"""Random kernels that are valid by construction, each with the values that it must compute."""

import math
import pathlib
import sys

from tile_values import (COMPARISONS, FLOAT_BINARY, FLOATS, INTEGER_BINARY, INTEGER_BITS, NAMES, Tile, broadcast, permuted,
                         reduced, rounded, truncated_quotient)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Device"))
from operation_cases import uniform

HEADER = """import triton
import triton.language as tl
import triton.language.extra.tlx as tlx

"""
LIMIT = {"fp32": 1 << 20, "fp16": 1 << 10, "bf16": 1 << 7}


class Kernel:
    """What a maker makes: source text, launch file, options of the compiler."""

    def __init__(self):
        self.parameters, self.body, self.tensors, self.args, self.expected = [], [], {}, {}, {}
        self.grid, self.options, self.warps = 1, [], [4]

    def input(self, name, dtype, count, low, high, seed, shape=None):
        self.tensors[name] = {"dtype": dtype, "shape": shape or [count], "init": {"randint": [low, high]}, "seed": seed}
        return [uniform(seed, i, low, high) for i in range(count)]

    def output(self, name, dtype, values, shape=None):
        self.tensors[name] = {"dtype": dtype, "shape": shape or [len(values)], "init": "zeros" if dtype[0] == "i" else "nan"}
        self.expected[name] = values

    def pointer(self, name, dtype):
        self.parameters.append(f'{name}_ptr: "*{dtype}:16"')
        self.args[f"{name}_ptr"] = name

    def descriptor(self, name, dtype, block):
        self.parameters.append(f'{name}_desc: "tensordesc<{dtype}[{",".join(map(str, block))}]>"')
        self.args[f"{name}_desc"] = {"descriptor": name}

    def scalar(self, name, value):
        self.parameters.append(f'{name}: "i32"')
        self.args[name] = value

    def source(self):
        return HEADER + "\n@triton.jit\ndef kernel(" + ", ".join(self.parameters) + "):\n" + \
            "".join(f"    {line}\n" for line in self.body)


def offsets(shape):
    """The expression of each element's number in row-major order."""
    terms, stride = [], math.prod(shape)
    for axis, extent in enumerate(shape):
        stride //= extent
        index = "".join("[" + ", ".join(":" if k == axis else "None" for k in range(len(shape))) + "]") if len(shape) > 1 else ""
        terms.append(f"tl.arange(0, {extent}){index}" + (f" * {stride}" if stride > 1 else ""))
    return " + ".join(terms)


class Dataflow:
    """Grows a graph of tiles; every step adds one line to the body and one tile."""

    def __init__(self, random, kernel, indent=""):
        self.random, self.kernel, self.indent, self.count, self.tiles = random, kernel, indent, 0, []

    def line(self, text):
        self.kernel.body.append(self.indent + text)

    def add(self, expression, dtype, shape, values, keep=True):
        name = f"v{self.count}"
        self.count += 1
        self.line(f"{name} = {expression}")
        tile = Tile(name, dtype, shape, [rounded(dtype, value) for value in values])
        if keep:
            self.tiles.append(tile)
        return tile

    def pick(self, accept=lambda tile: True):
        found = [tile for tile in self.tiles if accept(tile)]
        # Later tiles are deeper.
        return found[max(self.random.randrange(len(found)), self.random.randrange(len(found)))] if found else None

    def partner(self, tile):
        alike = lambda other: other.dtype == tile.dtype and other.shape == tile.shape
        return self.pick(lambda other: alike(other) and other is not tile) or tile

    def load(self, name, dtype, shape, seed):
        count = math.prod(shape)
        low, high = (-8, 9) if dtype in FLOATS else (-100, 100)
        values = self.kernel.input(name, dtype, count, low, high, seed)
        self.kernel.pointer(name, dtype)
        at = offsets(shape)
        if self.random.random() < 0.5:
            return self.add(f"tl.load({name}_ptr + {at})", dtype, shape, values)
        limit, other = self.random.randrange(1, count + 1), self.random.randrange(-5, 6)
        self.kernel.scalar(f"{name}_n", limit)
        return self.add(f"tl.load({name}_ptr + {at}, mask={at} < {name}_n, other={other})", dtype, shape,
                        [value if i < limit else other for i, value in enumerate(values)])

    def binary(self):
        a = self.pick(lambda tile: tile.dtype != "i1")
        b = self.partner(a)
        text, meaning = self.random.choice(list((FLOAT_BINARY if a.is_float() else INTEGER_BINARY).items()))
        values = [meaning(x, y) for x, y in zip(a.values, b.values)]
        if a.is_float() and max(map(abs, values)) > LIMIT[a.dtype]:
            return
        self.add(text.format(a.text, b.text), a.dtype, a.shape, values)

    def with_constant(self):
        a = self.pick(lambda tile: tile.dtype in INTEGER_BITS)
        if not a:
            return
        bits, constant = INTEGER_BITS[a.dtype], self.random.randrange(1, 100)
        shift = self.random.randrange(0, bits)
        text, meaning = self.random.choice([
            (f"{{}} << {shift}", lambda x: x << shift), (f"{{}} >> {shift}", lambda x: x >> shift),
            (f"{{}} // {constant}", lambda x: truncated_quotient(x, constant)),
            (f"{{}} % {constant}", lambda x: x - constant * truncated_quotient(x, constant)),
            (f"{{}} + {constant}", lambda x: x + constant), (f"{constant} - {{}}", lambda x: constant - x),
            (f"{{}} * {constant}", lambda x: x * constant), (f"~{{}}", lambda x: ~x), ("-{}", lambda x: -x),
            ("tl.abs({})", abs)])
        self.add(text.format(a.text), a.dtype, a.shape, [meaning(x) for x in a.values])

    def choose(self):
        a = self.pick(lambda tile: tile.dtype != "i1")
        b, text = self.partner(a), self.random.choice(list(COMPARISONS))
        c = self.pick(lambda tile: tile.shape == a.shape and tile.dtype != "i1")
        d = self.partner(c)
        truth = [COMPARISONS[text](x, y) for x, y in zip(a.values, b.values)]
        self.add(f"tl.where({text.format(a.text, b.text)}, {c.text}, {d.text})", c.dtype, c.shape,
                 [x if yes else y for yes, x, y in zip(truth, c.values, d.values)])

    def cast(self):
        a = self.pick(lambda tile: tile.dtype != "i1")
        to = self.random.choice([dtype for dtype in NAMES if dtype != "i1" and dtype != a.dtype])
        if to in FLOATS and a.largest() > LIMIT[to]:
            return
        if a.is_float() and a.largest() >= 1 << (INTEGER_BITS.get(to, 64) - 1):
            return
        # int() truncates towards zero, as the conversion does.
        self.add(f"{a.text}.to({NAMES[to]})", to, a.shape, [int(x) if to in INTEGER_BITS else x for x in a.values])

    def reduce(self):
        a = self.pick(lambda tile: tile.dtype in ("i32", "i64", "fp32") and len(tile.shape) > 0)
        if not a:
            return
        axis = self.random.randrange(len(a.shape))
        ways = [("max", max), ("min", min)]
        if a.sums_exactly():
            ways.append(("sum", lambda x, y: rounded(a.dtype, x + y)))
        if a.dtype == "i32":
            ways.append(("xor_sum", lambda x, y: x ^ y))
        name, combine = self.random.choice(ways)
        rest, values = reduced(a.values, a.shape, axis, combine)
        if not rest:
            # A scalar comes back as a tile of the shape that it had.
            full = self.add(f"tl.{name}({a.text}, axis={axis}) + {a.text} * 0", a.dtype, a.shape, values * len(a.values))
            return full
        keep = self.random.random() < 0.5
        tile = self.add(f"tl.{name}({a.text}, axis={axis}{', keep_dims=True' if keep else ''})", a.dtype,
                        a.shape[:axis] + (1,) + a.shape[axis + 1:] if keep else rest, values, keep=False)
        grown = tile.text if keep else f"tl.expand_dims({tile.text}, {axis})"
        self.add(f"tl.broadcast_to({grown}, {a.shape})", a.dtype, a.shape,
                 broadcast(values, a.shape[:axis] + (1,) + a.shape[axis + 1:], a.shape))

    def rearrange(self):
        a = self.pick(lambda tile: len(tile.shape) >= 2 and tile.dtype != "i1")
        if not a:
            return
        way = self.random.randrange(3)
        if way == 0:
            order = list(range(len(a.shape)))
            self.random.shuffle(order)
            shape, values = permuted(a.values, a.shape, order)
            self.add(f"tl.permute({a.text}, {tuple(order)})", a.dtype, shape, values)
        elif way == 1:
            extents, rest = [], math.prod(a.shape)
            while rest > 1 and len(extents) < 3:
                extent = 1 << self.random.randrange(1, rest.bit_length())
                extents.append(extent)
                rest //= extent
            extents[-1] *= rest
            self.add(f"tl.reshape({a.text}, {tuple(extents) if len(extents) > 1 else f'({extents[0]},)'})", a.dtype, extents, a.values)
        elif a.shape[-1] == 2:
            left, right = f"v{self.count}", f"v{self.count + 1}"
            self.count += 2
            self.line(f"{left}, {right} = tl.split({a.text})")
            for name, first in ((left, 0), (right, 1)):
                self.tiles.append(Tile(name, a.dtype, a.shape[:-1], a.values[first::2]))
        else:
            b = self.partner(a)
            if len(a.values) <= 2048:
                self.add(f"tl.join({a.text}, {b.text})", a.dtype, a.shape + (2,), [v for pair in zip(a.values, b.values) for v in pair])

    def through_shared(self):
        a = self.pick(lambda tile: len(tile.shape) == 2 and tile.dtype in ("i32", "fp32", "fp16", "i8", "i16"))
        if not a:
            return
        buffer = f"b{self.count}"
        self.line(f"{buffer} = tlx.local_alloc({a.shape}, {NAMES[a.dtype]}, 1)")
        self.line(f"tlx.local_store({buffer}[0], {a.text})")
        if self.random.random() < 0.5:
            shape, values = permuted(a.values, a.shape, [1, 0])
            self.add(f"tlx.local_load(tlx.local_trans({buffer}[0]))", a.dtype, shape, values)
        else:
            self.add(f"tlx.local_load({buffer}[0])", a.dtype, a.shape, a.values)

    def loop(self):
        a = self.pick(lambda tile: tile.dtype in ("i32", "i64"))
        if not a:
            return
        b, rounds, name = self.partner(a), self.random.randrange(0, 5), f"n{self.count}"
        self.kernel.scalar(name, rounds)
        text = self.random.choice(["{0} * 3 + {1}", "{0} ^ ({1} + i)", "tl.maximum({0}, {1} - i) + 1"])
        meaning = {"{0} * 3 + {1}": lambda x, y, i: x * 3 + y, "{0} ^ ({1} + i)": lambda x, y, i: x ^ (y + i),
                   "tl.maximum({0}, {1} - i) + 1": lambda x, y, i: max(x, y - i) + 1}[text]
        carried, values = f"v{self.count}", a.values
        self.count += 1
        self.line(f"{carried} = {a.text}")
        self.line(f"for i in tl.range(0, {name}):")
        self.line(f"    {carried} = " + text.format(carried, b.text))
        wrap = lambda value: rounded(a.dtype, value)
        for i in range(rounds):
            values = [wrap(meaning(x, wrap(y), i)) for x, y in zip(values, b.values)]
        self.tiles.append(Tile(carried, a.dtype, a.shape, values))

    def branch(self):
        a = self.pick(lambda tile: tile.dtype != "i1")
        b, name, chosen = self.partner(a), f"c{self.count}", self.random.random() < 0.5
        self.kernel.scalar(name, int(chosen))
        result = f"v{self.count}"
        self.count += 1
        self.line(f"if {name} > 0:")
        self.line(f"    {result} = {a.text}")
        self.line("else:")
        self.line(f"    {result} = {b.text}")
        self.tiles.append(Tile(result, a.dtype, a.shape, (a if chosen else b).values))

    def grow(self, steps):
        ways = [self.binary] * 5 + [self.with_constant] * 2 + [self.choose] * 2 + [self.cast] * 2 + [self.reduce] * 2 + \
            [self.rearrange] * 3 + [self.through_shared, self.loop, self.branch]
        for _ in range(steps):
            self.random.choice(ways)()

    def store(self, name, tile):
        at, values = offsets(tile.shape), tile.values
        self.kernel.pointer(name, tile.dtype)
        if self.random.random() < 0.5:
            self.line(f"tl.store({name}_ptr + {at}, {tile.text})")
        else:
            limit = self.random.randrange(1, len(values) + 1)
            self.kernel.scalar(f"{name}_n", limit)
            self.line(f"tl.store({name}_ptr + {at}, {tile.text}, mask={at} < {name}_n)")
            values = values[:limit]
        self.kernel.output(name, tile.dtype, values)


def make_elements(random):
    """A graph of operations on tiles of several shapes and types."""
    kernel = Kernel()
    flow = Dataflow(random, kernel)
    for number in range(random.randrange(1, 4)):
        rank = random.randrange(1, 4)
        shape = tuple(1 << random.randrange(1, {1: 11, 2: 7, 3: 5}[rank]) for _ in range(rank))
        flow.load(f"in{number}", random.choice(["i32", "i32", "fp32", "fp32", "fp16", "bf16", "i8", "i16", "i64"]), shape, number + 1)
    flow.grow(random.randrange(2, 14))
    for number in range(random.randrange(1, 4)):
        tile = flow.tiles[-1 - number] if number < len(flow.tiles) else None
        if tile and tile.dtype != "i1":
            flow.store(f"out{number}", tile)
    kernel.warps = random.sample([1, 2, 4, 8], 2)
    return kernel


def make_ring(random):
    """A chain of tasks that hand tiles on through rings of slots; each adds its part."""
    kernel = Kernel()
    rows, columns = random.choice([8, 16, 32]), random.choice([16, 32, 64])
    dtype, count = random.choice(["i32", "fp16", "fp32"]), rows * columns
    steps, links = random.randrange(1, 7), random.randrange(1, 4)
    by_map = random.random() < 0.5
    shape = [rows * steps, columns]
    values = kernel.input("x", dtype, count * steps, -8, 9, 1, shape)
    if by_map:
        kernel.descriptor("x", dtype, [rows, columns])
    else:
        kernel.pointer("x", dtype)
    kernel.pointer("out", dtype)
    kernel.scalar("steps", steps)
    size, slots = {"i32": 4, "fp32": 4, "fp16": 2}[dtype], [random.randrange(1, 5) for _ in range(links)]
    line = kernel.body.append
    for link in range(links):
        line(f"b{link} = tlx.local_alloc(({rows}, {columns}), {NAMES[dtype]}, {slots[link]})")
        line(f"full{link} = tlx.alloc_barriers({slots[link]}, arrive_count=1)")
        line(f"empty{link} = tlx.alloc_barriers({slots[link]}, arrive_count=1)")
    at = f"tl.arange(0, {rows})[:, None] * {columns} + tl.arange(0, {columns})[None, :]"
    added = [random.randrange(-3, 4) for _ in range(links + 1)]
    line("with tlx.async_tasks():")
    for task in range(links + 1):
        line('    with tlx.async_task("default"):' if task == 0 else f"    with tlx.async_task(num_warps={random.choice([1, 2, 4])}):")
        line("        for k in tl.range(0, steps):")
        if task > 0:
            line(f"            s, p = tlx.get_bufidx_phase(k, {slots[task - 1]})")
            line(f"            tlx.barrier_wait(full{task - 1}[s], p)")
            line(f"            tile = tlx.local_load(b{task - 1}[s])")
            line(f"            tlx.barrier_arrive(empty{task - 1}[s])")
        elif not by_map:
            line(f"            tile = tl.load(x_ptr + k * {count} + {at})")
        if task < links:
            line(f"            t, q = tlx.get_bufidx_phase(k, {slots[task]})")
            line(f"            tlx.barrier_wait(empty{task}[t], q ^ 1)")
            if task == 0 and by_map:
                added[0] = 0
                line(f"            tlx.barrier_expect_bytes(full0[t], {count * size})")
                line(f"            tlx.async_descriptor_load(x_desc, b0[t], [k * {rows}, 0], full0[t])")
            else:
                line(f"            tlx.local_store(b{task}[t], tile + {added[task]})")
                line(f"            tlx.barrier_arrive(full{task}[t])")
        else:
            line(f"            tl.store(out_ptr + k * {count} + {at}, tile + {added[task]})")
    kernel.output("out", dtype, [rounded(dtype, value + sum(added)) for value in values])
    return kernel


def make_product(random):
    """One product of small integers from shared memory, with some arithmetic on the result."""
    kernel = Kernel()
    dtype = random.choice(["fp16", "bf16"])
    m, n, k = random.choice([64, 128]), random.choice([8, 16, 32, 64, 128]), random.choice([16, 32, 64, 128])
    a_trans, b_trans = random.random() < 0.4, random.random() < 0.5 or n < 16
    in_registers = not a_trans and random.random() < 0.3
    a = kernel.input("a", dtype, m * k, -3, 4, 1)
    b = kernel.input("b", dtype, k * n, -3, 4, 2)
    kernel.pointer("a", dtype)
    kernel.pointer("b", dtype)
    line = kernel.body.append
    a_shape, b_shape = (k, m) if a_trans else (m, k), (n, k) if b_trans else (k, n)
    for name, shape in (("a", a_shape), ("b", b_shape)):
        line(f"{name} = tlx.local_alloc({shape}, {NAMES[dtype]}, 1)")
        line(f"tlx.local_store({name}[0], tl.load({name}_ptr + {offsets(shape)}))")
    left = "tlx.local_load(a[0])" if in_registers else "tlx.local_trans(a[0])" if a_trans else "a[0]"
    right = "tlx.local_trans(b[0])" if b_trans else "b[0]"
    line(f"acc = tlx.async_dot({left}, {right})")
    line("acc = tlx.async_dot_wait(0, acc)")
    at_a = lambda row, inner: a[inner * m + row] if a_trans else a[row * k + inner]
    at_b = lambda inner, column: b[column * k + inner] if b_trans else b[inner * n + column]
    b_columns = [[at_b(inner, column) for inner in range(k)] for column in range(n)]
    values = []
    for row in range(m):
        line_a = [at_a(row, inner) for inner in range(k)]
        values += [sum(x * y for x, y in zip(line_a, column)) for column in b_columns]
    flow = Dataflow(random, kernel)
    flow.tiles.append(Tile("acc", "fp32", (m, n), [float(value) for value in values]))
    flow.grow(random.randrange(0, 5))
    flow.store("out0", flow.tiles[-1])
    kernel.warps = [4, 8] if m == 128 else [4]
    return kernel


def make_dot_loop(random):
    """Loops of loads and tl.dot, as the source leaves them to the compiler: by pointers or by descriptors, one tile after another."""
    kernel = Kernel()
    dtype = random.choice(["fp16", "bf16"])
    m, n, depth = random.choice([16, 32, 64, 128]), random.choice([8, 16, 32, 64]), random.choice([16, 32, 64])
    steps, tiles = random.randrange(0, 6), random.choice([1, 1, 2, 3])
    inner = max(1, steps) * depth
    b_trans, stages = random.random() < 0.6, random.choice([None, 1, 2, 3, 4])
    a = kernel.input("a", dtype, tiles * m * inner, -2, 3, 1, [tiles * m, inner])
    b_shape = [n, inner] if b_trans else [inner, n]
    b = kernel.input("b", dtype, n * inner, -2, 3, 2, b_shape)
    places = {"a": ("t * BM", "s"), "b": ("0", "s") if b_trans else ("s", "0")}
    blocks = {"a": (m, depth), "b": (n, depth) if b_trans else (depth, n)}
    loads = {}
    # What masks leave out is zero: from column `end` of A and row `end` of B on, from row `last` of A on.
    masks, last, end = random.choice(["", "", "k", "rows", "wrap"]), random.randrange(1, tiles * m + 1), random.randrange(0, inner + 1)
    is_limited = False
    for name in "ab":
        rows, columns = blocks[name]
        width = inner if name == "a" or b_trans else n
        if random.random() < 0.6 and columns * 2 >= 16:
            kernel.descriptor(name, dtype, [rows, columns])
            loads[name] = f"{name}_desc.load([{places[name][0]}, {places[name][1]}])"
        else:
            kernel.pointer(name, dtype)
            row, column = f"({places[name][0]} + tl.arange(0, {rows})[:, None])", f"tl.arange(0, {columns})[None, :]"
            along = f"s + {column}" if places[name][1] == "s" else row
            mask = f"{along} < end" if masks else ""
            if name == "a" and masks == "rows":
                mask = f"({row} < last) & ({mask})"
            if name == "a" and masks == "wrap":
                row = f"({row} % last)"
            is_limited |= bool(masks)
            loads[name] = (f"tl.load({name}_ptr + {row} * {width} + {places[name][1]} + {column}" + (f", mask={mask}, other=0.0)" if mask else ")"))
    kernel.pointer("out", "fp32")
    kernel.scalar("steps", steps)
    kernel.scalar("last", last)
    kernel.scalar("end", end)
    has_rows = masks in ("rows", "wrap") and "a_ptr" in loads["a"]
    wraps = has_rows and masks == "wrap"
    # The rows that wrap are stored as they are, or left out.
    stored = not wraps or random.random() < 0.5
    line = kernel.body.append
    doubles, adds = random.random() < 0.2, depth == n and random.random() < 0.4
    line(f"BM: tl.constexpr = {m}")
    line(f"for t in tl.range(0, {tiles}):")
    line(f"    acc = tl.zeros(({m}, {n}), dtype=tl.float32)")
    line(f"    for s in tl.range(0, steps * {depth}, {depth}" + (f", num_stages={stages})" if stages else ")") + ":")
    line(f"        a = {loads['a']}")
    line(f"        b = {loads['b']}")
    line("        acc = tl.dot(a, b.T, acc)" if b_trans else "        acc = tl.dot(a, b, acc)")
    if adds:
        line("        acc += a.to(tl.float32)")
    if doubles:
        line("        acc = acc * 2.0")
    line(f"    tl.store(out_ptr + (t * BM + tl.arange(0, {m})[:, None]) * {n} + tl.arange(0, {n})[None, :], acc"
         + ("" if stored else f", mask=t * BM + tl.arange(0, {m})[:, None] < last") + ")")
    columns = [[b[column * inner + k] if b_trans else b[k * n + column] for k in range(inner)] for column in range(n)]
    values = []
    for row in range(tiles * m):
        source = row % last if wraps else row
        left = a[source * inner:(source + 1) * inner]
        if has_rows and not wraps and row >= last:
            left = [0.0] * inner
        if is_limited:
            # Where A is masked it adds zeros, too; B's mask makes the products zero.
            left = left[:end] + [0.0] * (inner - end) if "a_ptr" in loads["a"] else left
        for column in range(n):
            total = 0.0
            for step in range(steps):
                at = slice(step * depth, (step + 1) * depth)
                right = columns[column][at]
                if is_limited and "b_ptr" in loads["b"]:
                    right = [value if step * depth + k < end else 0.0 for k, value in enumerate(right)]
                total += sum(x * y for x, y in zip(left[at], right))
                total += left[step * depth + column] if adds else 0
                total *= 2 if doubles else 1
            values.append(total if stored or row < last else 0.0)
    kernel.output("out", "fp32", values)
    if not stored:
        kernel.tensors["out"]["init"] = "zeros"
    kernel.warps = [random.choice([1, 2]), 4, 8]
    return kernel


MAKERS = {"dot_loop": make_dot_loop, "elements": make_elements, "ring": make_ring, "product": make_product}
