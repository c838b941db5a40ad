"""Writes sources that are far larger or deeper than any that a person writes: large_source.py FORM FILE."""
import sys

HEAD = "import triton\nimport triton.language as tl\n\n\n"
KERNEL = "@triton.jit\ndef {name}(p: \"*i32\", n: \"i32\"):\n"
DEPTH = 10_000


def lines_of_one_kernel():
    return KERNEL.format(name="k") + "    x = n\n" + "    x = x * 3 + 1\n" * 99_990 + "    tl.store(p, x)\n"


def lines_of_many_kernels():
    body = "    for i in range(n):\n        if i > 3:\n            tl.store(p + i, i)\n" * 5
    return "\n\n".join(KERNEL.format(name=f"k{i}") + body for i in range(6_000))


def lines_of_host_code():
    host = "class Bench{0}(object):\n    async def run(self, *args, **kwargs):\n        return [x for x in args if (y := x)]\n\n\n"
    return KERNEL.format(name="k") + "    tl.store(p, n)\n\n\n" + "".join(host.format(i) for i in range(20_000))


def one_expression(text):
    return KERNEL.format(name="k") + "    x = " + text + "\n"


def nested_blocks():
    return KERNEL.format(name="k") + "".join("    " + " " * i + "if n:\n" for i in range(DEPTH)) + "    " + " " * DEPTH + "pass\n"


def nested_loops():
    """Each level reads and writes shared memory."""
    body = "    b = tlx.local_alloc((64,), tl.int32, 1)\n    x = tl.arange(0, 64)\n"
    for level in range(24):
        body += "    " * (level + 1) + f"for i{level} in range(n):\n" + "    " * (level + 2) + "tlx.local_store(b[0], x)\n"
    return "import triton.language.extra.tlx as tlx\n" + KERNEL.format(name="k") + body + "    " * 25 + "x = tlx.local_load(b[0])\n" + \
        "    tl.store(p + tl.arange(0, 64), x)\n"


FORMS = {"one-kernel": lines_of_one_kernel, "many-kernels": lines_of_many_kernels, "host-code": lines_of_host_code,
         "brackets": lambda: one_expression("(" * DEPTH + "n" + ")" * DEPTH), "open-brackets": lambda: one_expression("[" * DEPTH),
         "calls": lambda: one_expression("tl.abs(" * DEPTH + "n" + ")" * DEPTH), "minus": lambda: one_expression("-" * DEPTH + "n"),
         "sum": lambda: one_expression(" + ".join(["n"] * DEPTH)), "not": lambda: one_expression("not " * DEPTH + "n"),
         "choices": lambda: one_expression("n if n else " * DEPTH + "n"), "powers": lambda: one_expression("n ** " * DEPTH + "n"),
         "lambdas": lambda: one_expression("lambda: " * DEPTH + "n"), "attributes": lambda: one_expression("n" + ".T" * DEPTH),
         "blocks": nested_blocks, "loops": nested_loops}

with open(sys.argv[2], "w") as file:
    file.write(HEAD + FORMS[sys.argv[1]]())
