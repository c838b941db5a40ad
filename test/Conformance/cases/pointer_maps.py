"""Loops of loads through pointers that become loads by tensor map where that reads the same, and stay where it does not."""
import numpy as np
from case import Out, case, random

ROWS, WIDTH, COLUMNS = 80, 144, 72
A = random(ROWS, WIDTH, seed=1, dtype=np.float16, low=-2, high=3)
B = random(WIDTH, COLUMNS, seed=2, dtype=np.float16, low=-2, high=3)
EXACT = A.astype(np.float32) @ B.astype(np.float32)
PLACES = ("row = tl.program_id(0) * 64 + tl.arange(0, 64)\ncolumn = tl.program_id(1) * 64 + tl.arange(0, 64)\nk = tl.arange(0, 32)\n"
          "acc = tl.zeros((64, 64), tl.float32)\n")
STORE = "tl.store(OUT + row[:, None] * N + column[None, :], acc, mask=(row[:, None] < M) & (column[None, :] < N))\n"
SIZES = {"M": ROWS, "N": COLUMNS, "K": WIDTH}


def loop(name, header, body, before="", A=A, B=B, expected=EXACT, **options):
    text = PLACES + before + header + "".join(f"    {line}\n" for line in body.split("\n") if line) + STORE
    case(f"mapped-{name}", text, A=A, B=B, OUT=Out(expected), _grid=(2, 2), _seeds=3, **{**SIZES, **options})


# Strides are numbers, so that their divisibility is known; the bounds are parameters.
MASKED = ("left = K - s\na = tl.load(A + row[:, None] * 144 + s + k[None, :], mask=(row[:, None] < M) & (k[None, :] < left), other=0.0)\n"
          "b = tl.load(B + (s + k[:, None]) * 72 + column[None, :], mask=(k[:, None] < left) & (column[None, :] < N), other=0.0)\nacc = tl.dot(a, b, acc)")
loop("masked", "for s in range(0, K, 32):\n", MASKED)
loop("masked-stages", "for s in tl.range(0, K, 32, num_stages=2):\n", MASKED, _warps=8)
# Nothing to multiply: the tensors may be empty, and what comes out is zeros.
loop("empty", "for s in range(0, K, 32):\n", MASKED, K=0, expected=np.zeros_like(EXACT))
# Fewer columns than the tensor has: the bound is the mask's, not the tensor's.
SHORT = A[:, :100].astype(np.float32) @ B[:100].astype(np.float32)
loop("short", "for s in range(0, K, 32):\n", MASKED, K=100, expected=SHORT)
# Pointers that the loop carries, the tile of the mask counted by iterations.
CARRIED = ("a = tl.load(ap, mask=(row[:, None] < M) & (k[None, :] < K - s * 32), other=0.0)\n"
           "b = tl.load(bp, mask=(k[:, None] < K - s * 32) & (column[None, :] < N), other=0.0)\nacc = tl.dot(a, b, acc)\nap += 32\nbp += 32 * 72")
loop("carried", "for s in range(0, tl.cdiv(K, 32)):\n", CARRIED,
     before="ap = A + row[:, None] * 144 + k[None, :]\nbp = B + k[:, None] * 72 + column[None, :]\n")
# Comparisons the other way round, with the end included, and a bound from below.
loop("comparisons", "for s in range(0, K, 32):\n", MASKED.replace("row[:, None] < M", "M > row[:, None]").replace(
    "column[None, :] < N", "column[None, :] <= N - 1").replace("k[None, :] < left", "s + k[None, :] < K").replace(
        "(k[:, None] < left)", "(k[:, None] + s >= 0) & (k[:, None] < left)"))
# A bound from below is what lets a tile begin in front of the matrix: it is filled with zeros there.
BEFORE = "at = s - 16\n" + MASKED.replace("left = K - s", "left = K - at").replace("+ s + k[None, :]", "+ at + k[None, :]").replace("(s + k[:, None])", "(at + k[:, None])")
BELOW = BEFORE.replace("(k[None, :] < left)", "(at + k[None, :] >= 0) & (k[None, :] < left)").replace(
    "(k[:, None] < left)", "(at + k[:, None] >= 0) & (k[:, None] < left)")
loop("from-below", "for s in range(0, K + 16, 32):\n", BELOW)
# A is given transposed, B with columns in rows: loaded across, multiplied as they lie.
ACROSS = ("a = tl.load(A + (s + k[None, :]) * 80 + row[:, None], mask=(row[:, None] < 80) & (k[None, :] < 144 - s), other=0.0)\n"
          "b = tl.load(B + column[None, :] * 144 + s + k[:, None], mask=(k[:, None] < 144 - s) & (column[None, :] < 72), other=0.0)\nacc = tl.dot(a, b, acc)")
loop("across", "for s in range(0, K, 32):\n", ACROSS, A=np.ascontiguousarray(A.T), B=np.ascontiguousarray(B.T))
# Rows and columns that wrap: what they wrap to is stored nowhere, so that zeros do as well.
WRAPPED = ("a = tl.load(ap, mask=k[None, :] < K - s * 32, other=0.0)\nb = tl.load(bp, mask=k[:, None] < K - s * 32, other=0.0)\n"
           "acc = tl.dot(a, b, acc)\nap += 32\nbp += 32 * 72")
WRAPPING = ("ap = A + ((row % M)[:, None] * 144 + k[None, :])\nbp = B + (k[:, None] * 72 + (column % N)[None, :])\n")
loop("wrapping", "for s in range(0, tl.cdiv(K, 32)):\n", WRAPPED, before=WRAPPING)
# Somebody sees them: they are what they wrap to.
OVER = np.vstack([A, A])[:128].astype(np.float32) @ B.astype(np.float32)
case("mapped-wrapping-seen", PLACES + WRAPPING + "for s in range(0, tl.cdiv(K, 32)):\n" + "".join(f"    {line}\n" for line in WRAPPED.split("\n"))
     + "tl.store(OUT + row[:, None] * N + column[None, :], acc, mask=column[None, :] < N)\n", A=A, B=B, OUT=Out(OVER), _grid=(2, 2), _seeds=3, **SIZES)
case("mapped-wrapping-summed", PLACES + WRAPPING + "for s in range(0, tl.cdiv(K, 32)):\n" + "".join(f"    {line}\n" for line in WRAPPED.split("\n"))
     + "tl.store(OUT + tl.program_id(1) * 64 + tl.arange(0, 64), tl.sum(acc, 0), mask=tl.program_id(0) == 1)\n", A=A, B=B,
     OUT=Out((np.vstack([A, A])[64:128].astype(np.float32) @ np.hstack([B, B])[:, :128].astype(np.float32)).sum(0)), _grid=(2, 2), _seeds=3, **SIZES)
# What is loaded outside of the mask is not zero, a mask cuts a corner off: the threads load.
OTHER = MASKED.replace("(k[None, :] < left), other=0.0", "(k[None, :] < left), other=1.0")
loop("other", "for s in range(0, K, 32):\n", OTHER)
TRIANGLE = A.astype(np.float32).copy()
for r in range(ROWS):
    TRIANGLE[r, r:] = 0
loop("triangle", "for s in range(0, K, 32):\n", MASKED.replace("(k[None, :] < left), other", "(k[None, :] < left) & (s + k[None, :] < row[:, None]), other"),
     expected=TRIANGLE @ B.astype(np.float32))
# A batch of matrices, one for each program of the second axis: an axis of its own, with a stride that only the launch knows.
BATCH = random(3, 64, 96, seed=3, dtype=np.float16, low=-2, high=3)
KEYS = random(3, 96, 64, seed=4, dtype=np.float16, low=-2, high=3)
case("mapped-batch", "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\nacc = tl.zeros((64, 64), tl.float32)\nhead = tl.program_id(0)\nfor s in range(0, K, 32):\n"
     "    a = tl.load(A + head * K * 64 + i[:, None] * 96 + s + k[None, :])\n    b = tl.load(B + head * K * 64 + (s + k[:, None]) * 64 + i[None, :], mask=s + k[:, None] < K, other=0.0)\n"
     "    acc = tl.dot(a, b, acc)\ntl.store(OUT + head * 64 * 64 + i[:, None] * 64 + i[None, :], acc)\n", A=BATCH, B=KEYS,
     OUT=Out(BATCH.astype(np.float32) @ KEYS.astype(np.float32)), K=96, _grid=(3,), _seeds=3)
# The kernel writes what it loads, or another block waits for it: nothing runs ahead.
case("mapped-written", "i = tl.arange(0, 64)\nacc = tl.zeros((64, 64), tl.float32)\nfor s in range(0, 3):\n    a = tl.load(OUT + s * 4096 + i[:, None] * 64 + i[None, :])\n"
     "    b = tl.load(B + i[:, None] * 64 + i[None, :])\n    acc = tl.dot(a.to(tl.float16), b, acc)\n    tl.store(OUT + (s + 1) * 4096 + i[:, None] * 64 + i[None, :], acc.to(tl.float16))\n",
     B=np.eye(64, dtype=np.float16), OUT=Out(np.stack([np.full((64, 64), value, np.float16) for value in (1, 1, 2, 4)]), before=np.stack([np.full((64, 64), value, np.float16) for value in (1, 7, 7, 7)])))
# A tile that outlives the iteration in which its rows wrapped: the store's bound is that of another iteration.
TURNS = "T = 2\nfor t in range(0, T):\n    row = tl.maximum(T - 1 - t, 0) * 64 + tl.arange(0, 64)\n    for s in range(0, K, 32):\n" + "".join(f"        {line}\n" for line in (
    "left = K - s", "a = tl.load(A + (row % M)[:, None] * 144 + s + k[None, :], mask=k[None, :] < left, other=0.0)",
    "b = tl.load(B + (s + k[:, None]) * 72 + i[None, :], mask=k[:, None] < left, other=0.0)", "acc = tl.dot(a, b, acc)")) \
    + "    tl.store(OUT + row[:, None] * 64 + i[None, :], acc, mask=row[:, None] < M)\n"
FIRST, SECOND = A[:64].astype(np.float32) @ B[:, :64].astype(np.float32), np.vstack([A, A])[64:128].astype(np.float32) @ B[:, :64].astype(np.float32)
case("mapped-other-iteration", "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\nacc = tl.zeros((64, 64), tl.float32)\n" + TURNS, A=A, B=B,
     OUT=Out(np.vstack([FIRST + SECOND, SECOND[:ROWS - 64]])), M=ROWS, K=WIDTH, _seeds=2)
# Which tensor is written changes from iteration to iteration.
SQUARE = random(64, 64, seed=5, dtype=np.float16, low=-1, high=2)
ONCE = SQUARE.astype(np.float32) @ SQUARE.astype(np.float32)
case("mapped-swapped", "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\np = OUT\nq = A\nfor t in range(2):\n    acc = tl.zeros((64, 64), tl.float32)\n    for s in range(0, 64, 32):\n"
     "        a = tl.load(A + i[:, None] * 64 + s + k[None, :])\n        b = tl.load(B + (s + k[:, None]) * 64 + i[None, :])\n        acc = tl.dot(a, b, acc)\n    tl.debug_barrier()\n"
     "    tl.store(p + i[:, None] * 64 + i[None, :], acc.to(tl.float16) + t)\n    tl.debug_barrier()\n    p, q = q, p\n", A=SQUARE, B=SQUARE, OUT=Out(ONCE.astype(np.float16)), _seeds=2)
# Rows that only 64 bits can count; a step in 64 bits between matrices.
case("mapped-64-bits", "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\nacc = tl.zeros((64, 64), tl.float32)\nhead = tl.program_id(0)\nrow = head.to(tl.int64) * 4294967296 + i\nfor s in range(0, K, 32):\n"
     "    a = tl.load(A + row[:, None] * 144 + s + k[None, :], mask=(row[:, None] < M) & (s + k[None, :] < K), other=0.0)\n    b = tl.load(B + (s + k[:, None]) * 72 + i[None, :], mask=s + k[:, None] < K, other=0.0)\n"
     "    acc = tl.dot(a, b, acc)\ntl.store(OUT + head * 4096 + i[:, None] * 64 + i[None, :], acc)\n", A=A, B=B, OUT=Out(np.stack([FIRST, np.zeros_like(FIRST)])), M=ROWS, K=WIDTH, _grid=(2,))
case("mapped-64-bit-batch", "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\nacc = tl.zeros((64, 64), tl.float32)\nhead = tl.program_id(0).to(tl.int64)\nfor s in range(0, 96, 32):\n"
     "    a = tl.load(A + head * 6144 + i[:, None] * 96 + s + k[None, :], mask=i[:, None] < M, other=0.0)\n    b = tl.load(B + head * 6144 + (s + k[:, None]) * 64 + i[None, :], mask=s + k[:, None] < 96, other=0.0)\n"
     "    acc = tl.dot(a, b, acc)\ntl.store(OUT + head * 4096 + i[:, None] * 64 + i[None, :], acc)\n", A=BATCH, B=KEYS, OUT=Out(BATCH.astype(np.float32) @ KEYS.astype(np.float32)), M=64, _grid=(3,))
# Numbers of fewer bits are what they have wrapped to.
case("mapped-16-bits", "i = tl.arange(0, 64)\nk = tl.arange(0, 32)\nacc = tl.zeros((64, 64), tl.float32)\nshort = (tl.program_id(0) * 32767).to(tl.int16)\nstep = (short + short).to(tl.int32) + 2 * tl.program_id(0)\nfor s in range(0, 96, 32):\n"
     "    a = tl.load(A + i[:, None] * 96 + s * (1 + tl.maximum(step, 0)) + k[None, :])\n    b = tl.load(B + (s + k[:, None]) * 64 + i[None, :])\n    acc = tl.dot(a, b, acc)\n"
     "tl.store(OUT + i[:, None] * 64 + i[None, :], acc, mask=i[:, None] < 64 * tl.program_id(0))\n", A=BATCH[0], B=KEYS[0], OUT=Out((BATCH.astype(np.float32) @ KEYS.astype(np.float32))[0]), _grid=(2,))
# No rows at all, and yet a program: everything it loads is left out by the mask.
case("mapped-no-rows", PLACES + "for s in range(0, K, 32):\n" + "".join(f"    {line}\n" for line in MASKED.split("\n")) + "tl.store(OUT + row[:, None] * 64 + column[None, :], acc)\n",
     A=A, B=B, OUT=Out(np.zeros((64, 64), np.float32)), M=0, N=COLUMNS, K=WIDTH)
case("mapped-negative-rows", PLACES + "for s in range(0, K, 32):\n" + "".join(f"    {line}\n" for line in MASKED.split("\n")) + "tl.store(OUT + row[:, None] * 64 + column[None, :], acc)\n",
     A=A, B=B, OUT=Out(np.zeros((64, 64), np.float32)), M=-5, N=COLUMNS, K=WIDTH)
