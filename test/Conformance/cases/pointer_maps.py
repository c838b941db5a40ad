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
