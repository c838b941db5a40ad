"""Loops of loads and products: copies run ahead of them, whatever the loop looks like."""
import numpy as np
from case import Out, random
from case import case as plain_case

A = random(64, 160, seed=1, dtype=np.float16, low=-2, high=3)
B = random(160, 64, seed=2, dtype=np.float16, low=-2, high=3)
AT = np.ascontiguousarray(A.T)
PLACES = "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\nacc = tl.zeros((64, 64), tl.float32)\n"
STORE = "tl.store(OUT + i[:, None] * 64 + i[None, :], acc)\n"


def case(name, body, **options):
    """The threads copy, whether or not a tensor map could."""
    plain_case(name, body, _options=("--no-hidden-maps",), **options)


def product(steps):
    return Out(A[:, :32 * steps].astype(np.float32) @ B[:32 * steps].astype(np.float32))


def loop(name, header, body, steps=5, before="", after="", expected=None, **options):
    case(f"pipelined-{name}", PLACES + before + header + "".join(f"    {line}\n" for line in body.split("\n") if line) + after + STORE, A=A, B=B,
         OUT=expected or product(steps), **options)


CARRIED = "acc = tl.dot(tl.load(ap), tl.load(bp), acc)\nap += 32\nbp += 32 * 64"
POINTERS = "ap = A + i[:, None] * 160 + k[None, :]\nbp = B + k[:, None] * 64 + i[None, :]\n"
COMPUTED = "a = tl.load(A + i[:, None] * 160 + s + k[None, :])\nb = tl.load(B + (s + k[:, None]) * 64 + i[None, :])\nacc = tl.dot(a, b, acc)"
for stages in (1, 2, 3, 4, 7):
    loop(f"carried-{stages}", f"for s in tl.range(0, 160, 32, num_stages={stages}):\n", CARRIED, before=POINTERS, _seeds=4)
    loop(f"computed-{stages}", f"for s in tl.range(0, 160, 32, num_stages={stages}):\n", COMPUTED, _seeds=4)
for steps in (0, 1, 2, 5):
    loop(f"steps-{steps}", "for s in range(0, 32 * N, 32):\n", COMPUTED, steps=steps, N=steps, _seeds=4)
loop("eight-warps", "for s in range(0, 160, 32):\n", CARRIED, before=POINTERS, _warps=8, _seeds=4)
loop("two-warps", "for s in range(0, 160, 32):\n", CARRIED, before=POINTERS, _warps=2, _seeds=4)
loop("step-down", "for s in range(128, -32, -32):\n", COMPUTED, _seeds=2)
# What masks leave out is `other`, zero or not.
MASKED = "a = tl.load(A + i[:, None] * 160 + s + k[None, :], mask=s + k[None, :] < 136, other={other})\nb = tl.load(B + (s + k[:, None]) * 64 + i[None, :])\nacc = tl.dot(a, b, acc)"
WIDE = A.astype(np.float32).copy()
for other in (0.0, 2.0):
    WIDE[:, 136:] = other
    loop(f"masked-other-{other:.0f}", "for s in range(0, 160, 32):\n", MASKED.format(other=other), expected=Out(WIDE @ B.astype(np.float32)), _seeds=4)
# The loop runs more than once: its ring must be free before it is filled again.
loop("nested", "for turn in range(0, 3):\n", "for s in range(0, 160, 32):\n    a = tl.load(A + i[:, None] * 160 + s + k[None, :])\n"
     "    b = tl.load(B + (s + k[:, None]) * 64 + i[None, :])\n    acc = tl.dot(a, b, acc)", expected=Out(3 * (A.astype(np.float32) @ B.astype(np.float32))), _seeds=6)
# The accumulator is read in the loop, so that products end in their own iteration.
loop("scaled", "for s in range(0, 160, 32):\n", COMPUTED + "\nacc = acc * 2.0", after="acc = acc * 0.03125\n",
     expected=Out(sum(2.0 ** (5 - t) * (A[:, 32 * t:32 * t + 32].astype(np.float32) @ B[32 * t:32 * t + 32].astype(np.float32)) for t in range(5)) / 32), _seeds=4)
# Addresses that are loaded themselves, and a loop that writes what it reads, stay as they are.
loop("indirect", "for s in range(0, 5):\n", "at = tl.load(ORDER + s)\na = tl.load(A + i[:, None] * 160 + at + k[None, :])\nb = tl.load(B + (at + k[:, None]) * 64 + i[None, :])\nacc = tl.dot(a, b, acc)",
     ORDER=np.array([64, 0, 128, 32, 96], np.int32))
case("pipelined-writes", PLACES + "for s in range(0, 160, 32):\n    a = tl.load(A + i[:, None] * 160 + s + k[None, :])\n    b = tl.load(B + (s + k[:, None]) * 64 + i[None, :])\n"
     "    acc = tl.dot(a, b, acc)\n    tl.store(OUT + i[:, None] * 64 + i[None, :], acc)\n", A=A, B=B, OUT=product(5))
# A lies transposed; 8-bit integers; tf32.
case("pipelined-transposed", PLACES + "for s in range(0, 160, 32):\n    a = tl.trans(tl.load(A + (s + k[:, None]) * 64 + i[None, :]))\n    b = tl.load(B + (s + k[:, None]) * 64 + i[None, :])\n"
     "    acc = tl.dot(a, b, acc)\n" + STORE, A=AT, B=B, OUT=product(5), _seeds=4)
# The same without saying so: the addresses show along which axis it lies.
case("pipelined-across", PLACES + "for s in range(0, 160, 32):\n    a = tl.load(A + (s + k[None, :]) * 64 + i[:, None])\n    b = tl.load(B + i[None, :] * 160 + s + k[:, None])\n"
     "    acc = tl.dot(a, b, acc)\n" + STORE, A=AT, B=np.ascontiguousarray(B.T), OUT=product(5), _seeds=4)
for dtype in (np.int8, np.float32):
    a, b = A.astype(dtype), np.ascontiguousarray(B.T.astype(dtype))
    case(f"pipelined-{dtype.__name__}", PLACES.replace("tl.float32", "tl.int32" if dtype == np.int8 else "tl.float32") + "for s in range(0, 160, 32):\n    a = tl.load(A + i[:, None] * 160 + s + k[None, :])\n"
         "    b = tl.load(B + i[:, None] * 160 + s + k[None, :])\n    acc = tl.dot(a, tl.trans(b), acc)\n" + STORE, A=a, B=b,
         OUT=Out((a.astype(np.int64) @ b.astype(np.int64).T).astype(np.int32 if dtype == np.int8 else np.float32)), _seeds=4)
# Two loops in a row, whose rings fit only one after the other.
loop("two-in-a-row", "for s in tl.range(0, 160, 32, num_stages=16):\n", COMPUTED, after="for s in tl.range(0, 160, 32, num_stages=16):\n" + "".join(f"    {line}\n" for line in COMPUTED.split("\n")),
     expected=Out(2 * (A.astype(np.float32) @ B.astype(np.float32))), _seeds=6)
# A conversion after the loop takes the place of the ring.
loop("then-converted", "for s in range(0, 160, 32):\n", COMPUTED, after="acc = tl.trans(tl.trans(acc) + 1.0) - 1.0\n", _seeds=6)
# A tile of fewer than four bytes for each thread is loaded as it is written.
NARROW = B[:, :8].copy()
case("pipelined-few-bytes", "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\nj = tl.arange(0, 8)\nacc = tl.zeros((64, 8), tl.float32)\nfor s in range(0, 160, 32):\n    a = tl.load(A + i[:, None] * 160 + s + k[None, :])\n"
     "    b = tl.load(B + (s + k[:, None]) * 8 + j[None, :])\n    acc = tl.dot(a, b, acc)\ntl.store(OUT + i[:, None] * 8 + j[None, :], acc)\n", A=A, B=NARROW, OUT=Out(A.astype(np.float32) @ NARROW.astype(np.float32)), _warps=8)
