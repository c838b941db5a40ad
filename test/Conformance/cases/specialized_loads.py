"""Loops of descriptor loads: a warp of its own loads ahead of them, whatever the loops look like."""
import numpy as np
from case import NVIDIA, Descriptor, Out, OutDescriptor, case, random

A = random(128, 192, seed=1, dtype=np.float16, low=-2, high=3)
B = random(64, 192, seed=2, dtype=np.float16, low=-2, high=3)
A32, B32 = A.astype(np.float32), B.astype(np.float32)
STORE = "i = tl.arange(0, 64)\ntl.store(OUT + i[:, None] * 64 + i[None, :], acc)\n"
ZEROS = "acc = tl.zeros((64, 64), tl.float32)\n"


def a_tiles(rows=64, depth=32):
    return Descriptor(A, (rows, depth))


def b_tiles(depth=32):
    return Descriptor(B, (64, depth))


def loop(name, text, expected, after=STORE, before=ZEROS, **options):
    options = {"_seeds": 6, "_targets": NVIDIA, **options}
    inputs = {"A": a_tiles(), "B": b_tiles()}
    inputs.update({key: options.pop(key) for key in list(options) if not key.startswith("_")})
    case(f"ahead-{name}", before + text + after, **inputs, OUT=expected, **options)


def product(depth=192, row=0):
    return Out(np.ascontiguousarray(A32[row:row + 64, :depth] @ B32[:, :depth].T))


BODY = "    acc = tl.dot(A.load([0, s]), B.load([0, s]).T, acc)\n"
for stages in (1, 2, 3, 5, 9):
    loop(f"stages-{stages}", f"for s in tl.range(0, 192, 32, num_stages={stages}):\n" + BODY, product())
for steps in (0, 1, 2, 6):
    loop(f"steps-{steps}", "for s in range(0, N, 32):\n" + BODY, product(32 * steps), N=32 * steps)
for warps in (1, 2, 8):
    loop(f"warps-{warps}", "for s in range(0, 192, 32):\n" + BODY, product(), _warps=warps)
loop("step-down", "for s in range(160, -32, -32):\n" + BODY, product())
loop("carried-place", "at = 0\nfor s in range(6):\n    acc = tl.dot(A.load([0, at]), B.load([0, at]).T, acc)\n    at += 32\n", product())
# Rings run on from one tile to the next; the last product of a tile is done before its slot is filled again.
TILES = ("for tile in range(2):\n    acc = tl.zeros((64, 64), tl.float32)\n    for s in range(0, N, 32):\n        acc = tl.dot(A.load([tile * 64, s]), B.load([0, s]).T, acc)\n"
         "    OUT.store([tile * 64, 0], acc.to(tl.float16))\n")
for steps in (0, 1, 6):
    whole = (A32[:, :32 * steps] @ B32[:, :32 * steps].T).astype(np.float16)
    loop(f"tiles-{steps}", TILES, OutDescriptor(whole, (64, 64)), after="", before="", N=32 * steps, _seeds=8)
# A tile may be skipped, and a loop left to a condition.
loop("branch", "for tile in range(3):\n    if tile != SKIPPED:\n        for s in range(0, 192, 64):\n            acc = tl.dot(A.load([0, s + tile * 32]), B.load([0, s + tile * 32]).T, acc)\n",
     product(), SKIPPED=2)
loop("while", "tile = 0\nwhile tile < N:\n    for s in range(0, 192, 32):\n        acc = tl.dot(A.load([tile * 64, s]), B.load([0, s]).T, acc)\n    tile += 1\n",
     Out((A32[:64] + A32[64:]) @ B32.T), N=2)
loop("break", "for s in range(0, 192, 32):\n" + BODY + "    if s == LAST:\n        break\n", product(96), LAST=64)
# Tiles that are computed with, alone and beside a product; tiles that two products read.
loop("elementwise", "for s in range(0, 192, 64):\n    acc += A.load([0, s]).to(tl.float32) - B.load([0, s])\n",
     Out((A32[:64] - B32).reshape(64, 3, 64).sum(1)), A=a_tiles(depth=64), B=b_tiles(64))
loop("both", "for s in range(0, 192, 64):\n    a = A.load([0, s])\n    acc = tl.dot(a, B.load([0, s]).T, acc)\n    acc += a\n",
     Out(A32[:64] @ B32.T + A32[:64].reshape(64, 3, 64).sum(1)), A=a_tiles(depth=64), B=b_tiles(64))
loop("two-products", "other = tl.zeros((64, 64), tl.float32)\nfor s in range(0, 192, 64):\n    b = B.load([0, s]).T\n    acc = tl.dot(A.load([0, s]), b, acc)\n    other = tl.dot(A.load([64, s]), b, other)\n",
     Out((A32[:64] - A32[64:]) @ B32.T), after="acc -= other\n" + STORE, A=a_tiles(depth=64), B=b_tiles(64))
loop("chained", "for s in range(0, 128, 64):\n    p = tl.dot(A.load([0, s]), B.load([0, s]).T)\n    acc = tl.dot(p.to(tl.float16), A.load([64, s]), acc)\n",
     Out(sum(((A32[:64, s:s + 64] @ B32[:, s:s + 64].T).astype(np.float16).astype(np.float32) @ A32[64:, s:s + 64]) for s in (0, 64))), A=a_tiles(depth=64), B=b_tiles(64))
# Two loops one after the other; the second's place follows from the first's end.
loop("two-loops", "for s in range(0, 96, 32):\n" + BODY + "for s in range(96, 192, 32):\n" + BODY, product())
# Blocks of three axes, and descriptors that the kernel makes itself.
loop("three-axes", "for s in range(0, 192, 32):\n    acc = tl.dot(A.load([1, 0, s]).reshape(64, 32), B.load([0, s]).T, acc)\n", product(row=64),
     A=Descriptor(A.reshape(2, 64, 192), (1, 64, 32)))
loop("made-here", "da = tl.make_tensor_descriptor(A, [128, 192], [192, 1], [64, 32])\ndb = tl.make_tensor_descriptor(B, [64, 192], [192, 1], [64, 32])\nfor s in range(0, 192, 32):\n"
     "    acc = tl.dot(da.load([0, s]), db.load([0, s]).T, acc)\n", product(), A=A, B=B)
# What is written and loaded again is not overtaken.
loop("written", "for s in range(0, 128, 64):\n    x = OUT.load([0, s])\n    OUT.store([0, s + 64], x + 1.0)\n", OutDescriptor(np.concatenate([np.full((64, 64), v, np.float16) for v in (3, 4, 5)], 1), (64, 64), before=3),
     after="", before="", A=A, B=B)
# An operand in registers that is the same in each iteration, of the compiler's products and of the source's.
KEPT = "q = (A.load([0, 0]).to(tl.float32) + 1.0).to(tl.float16)\nfor s in range(0, 192, 64):\n    p = tl.dot(q, B.load([0, s]).T)\n    acc = tl.dot(p.to(tl.float16), B.load([0, s]), acc)\n"
Q = A32[:64, :64] + 1
loop("kept-operand", KEPT, Out(sum(((Q @ B32[:, s:s + 64].T).astype(np.float16).astype(np.float32) @ B32[:, s:s + 64]) for s in (0, 64, 128))), A=a_tiles(depth=64), B=b_tiles(64))
WRITTEN_OUT = ("keys = tlx.local_alloc((64, 64), tl.float16, 1)\nfull = tlx.alloc_barriers(1)\nq = (A.load([0, 0]).to(tl.float32) + 1.0).to(tl.float16)\nphase = 0\nfor s in range(0, 192, 64):\n"
               "    tlx.barrier_expect_bytes(full[0], 8192)\n    tlx.async_descriptor_load(B, keys[0], [0, s], full[0])\n    tlx.barrier_wait(full[0], phase)\n    phase ^= 1\n"
               "    p = tlx.async_dot_wait(0, tlx.async_dot(q, tlx.local_trans(keys[0])))\n    acc = tlx.async_dot_wait(0, tlx.async_dot(p.to(tl.float16), keys[0], acc))\n    tl.debug_barrier()\n")
loop("kept-operand-of-source", WRITTEN_OUT, Out(sum(((Q @ B32[:, s:s + 64].T).astype(np.float16).astype(np.float32) @ B32[:, s:s + 64]) for s in (0, 64, 128))), A=a_tiles(depth=64), B=b_tiles(64),
     _targets=("sm_90a",))
# One operand comes ahead, the other is stored by the threads in each iteration: two groups must not outrun each other.
loop("other-by-threads", "r = tl.arange(0, 64)[:, None]\nc = tl.arange(0, 32)[None, :]\nacc = tl.zeros((128, 64), tl.float32)\nfor s in range(0, 192, 32):\n    b = (tl.load(B + r * 192 + s + c).to(tl.float32) + 1.0).to(tl.float16)\n"
     "    acc = tl.dot(A.load([0, s]), b.T, acc)\n", Out(A32 @ (B32 + 1).T), before="", after="i = tl.arange(0, 128)\nj = tl.arange(0, 64)\ntl.store(OUT + i[:, None] * 64 + j[None, :], acc)\n",
     A=a_tiles(128), B=B, _warps=8, _seeds=10)
# Two groups of which each has the whole product: only one stores the tile that both hold.
loop("copies", "k = tl.arange(0, 16)\nacc = tl.zeros((64, 16), tl.float32)\nfor s in range(0, 192, 16):\n    a = tl.load(A + tl.arange(0, 64)[:, None] * 192 + s + k[None, :])\n    acc = tl.dot(a, B.load([0, s]).T, acc)\n"
     "    acc += a.to(tl.float32)\n", Out(A32[:64] @ B32[:16].T + A32[:64].reshape(64, 12, 16).sum(1)), before="", after="tl.store(OUT + tl.arange(0, 64)[:, None] * 16 + k[None, :], acc)\n", A=A,
     B=Descriptor(B, (16, 16)), _warps=8)
# A map that is made anew in each trip waits for the store that reads it; what threads wrote is seen by tensor maps.
G = random(3, 64, 64, seed=5, dtype=np.float16, low=-3, high=4)
GRID = "r = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]\n"
loop("map-made-in-loop", GRID + "for g in tl.range(0, N):\n    d = tl.make_tensor_descriptor(OUT + g * 4096, [64, 64], [64, 1], [64, 64])\n    d.store([0, 0], tl.load(A + g * 4096 + r))\n",
     Out(G), before="", after="", A=G, B=B, N=3)
loop("written-by-threads", GRID + "d = tl.make_tensor_descriptor(A, [192, 64], [64, 1], [64, 64])\nfor g in tl.range(0, 2):\n    x = d.load([g * 64, 0])\n    tl.store(A + (g + 1) * 4096 + r, x + 1.0)\n    tl.store(OUT + g * 4096 + r, x)\n",
     Out(np.stack([G[0], G[0] + 1])), before="", after="", A=G.copy(), B=B)
