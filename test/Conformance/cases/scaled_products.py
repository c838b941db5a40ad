"""Block-scaled products of Blackwell's tensor cores: every format, scales from shared and from tensor memory."""

import numpy as np

from case import Out, case, refused
from cases.samples import codes as any_codes, DECODE

generator = np.random.default_rng(57)
BLACKWELL = ("sm_100a",)


def packed(scales):
    """Blocks of 512 bytes for 128 rows and four blocks of K: byte 16 (r mod 32) + 4 (r / 32) + k."""
    rows, depth = scales.shape
    whole = np.zeros((-(-rows // 128) * 128, -(-depth // 4) * 4), np.uint8)
    whole[:rows, :depth] = scales
    parts = whole.reshape(whole.shape[0] // 128, 4, 32, whole.shape[1] // 4, 4)
    return np.ascontiguousarray(parts.transpose(0, 3, 2, 1, 4)).reshape(whole.shape[0] // 128, -1)


def factors(rows, depth, low=120, high=135):
    return generator.integers(low, high, (rows, depth)).astype(np.uint8)


def widened(values, scales, form, block=32):
    factor = DECODE["e4m3"](scales) if block == 16 else 2.0 ** (scales.astype(np.float64) - 127)
    return DECODE[form](values) * np.repeat(factor, block, 1)


LOADS = ("m = tl.arange(0, 128)\nn = tl.arange(0, {n})\nka = tl.arange(0, {bytes})\n"
         "sa = tlx.local_alloc((128, {bytes}), {ta}, 1)\nsb = tlx.local_alloc(({n}, {bytes}), {tb}, 1)\n"
         "tlx.local_store(sa[0], tl.load(A + m[:, None] * {bytes} + ka[None, :]){casta})\n"
         "tlx.local_store(sb[0], tl.load(B + n[:, None] * {bytes} + ka[None, :]){castb})\n"
         "za = tlx.local_alloc((1, {za}), {tz}, 1)\nzb = tlx.local_alloc(({rb}, {zb}), {tz}, 1)\n"
         "tlx.local_store(za[0], tl.load(SA + tl.arange(0, 1)[:, None] * {za} + tl.arange(0, {za})[None, :]){castz})\n"
         "tlx.local_store(zb[0], tl.load(SB + tl.arange(0, {rb})[:, None] * {zb} + tl.arange(0, {zb})[None, :]){castz})\n"
         "acc = tlx.local_alloc((128, {n}), tl.float32, 1, tlx.storage_kind.tmem)\n")
STORE = "tl.store(OUT + m[:, None] * {n} + n[None, :], tlx.local_load(acc[0]))\n"
DOT = "tlx.async_dot_scaled(sa[0], tlx.local_trans(sb[0]), acc[0], {sa}, '{fa}', {sb}, '{fb}', use_acc={use})\n"
TYPES = {"e4m3": "tl.float8e4nv", "e5m2": "tl.float8e5", "e2m1": "tl.uint8"}


def scaled(name, form_a, form_b, n, k, block=32, tmem=False, as_bytes=False, seeds=4):
    per_byte = 2 if form_a == "e2m1" else 1
    a, b = any_codes(128, k, form_a), any_codes(n, k, form_b)
    low, high = (0x20, 0x50) if block == 16 else (120, 135)
    sa, sb = factors(128, k // block, low, high), factors(n, k // block, low, high)
    pa, pb = packed(sa), packed(sb)
    cast = lambda form: "" if as_bytes or form == "e2m1" else f".to({TYPES[form]}, bitcast=True)"
    values = dict(n=n, bytes=k // per_byte, za=pa.shape[1], zb=pb.shape[1], rb=pb.shape[0], fa=form_a, fb=form_b,
                  ta="tl.uint8" if as_bytes else TYPES[form_a], tb="tl.uint8" if as_bytes else TYPES[form_b], casta=cast(form_a), castb=cast(form_b),
                  tz="tl.float8e4nv" if block == 16 else "tl.uint8", castz=".to(tl.float8e4nv, bitcast=True)" if block == 16 else "",
                  sa="ta[0]" if tmem else "za[0]", sb="tb[0]" if tmem else "zb[0]", use="False")
    body = LOADS
    if tmem:
        body += (f"ta = tlx.local_alloc((128, {k // block}), tl.uint8, 1, tlx.storage_kind.tmem)\n"
                 f"tb = tlx.local_alloc(({n}, {k // block}), tl.uint8, 1, tlx.storage_kind.tmem)\n"
                 "tlx.tmem_copy(za[0], ta[0])\ntlx.tmem_copy(zb[0], tb[0])\n")
    expected = widened(a, sa, form_a, block) @ widened(b, sb, form_b, block).T
    case(name, (body + DOT + STORE).format(**values), A=a, B=b, SA=pa, SB=pb, OUT=Out(expected.astype(np.float32), rtol=1e-5), _seeds=seeds, _targets=BLACKWELL)


for form_a, form_b in (("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e5m2")):
    scaled(f"scaled-{form_a}-{form_b}", form_a, form_b, 64, 128)
scaled("scaled-tmem", "e4m3", "e4m3", 128, 128, tmem=True)
scaled("scaled-tmem-wide", "e4m3", "e5m2", 256, 256, tmem=True)
scaled("scaled-short", "e4m3", "e4m3", 16, 32, as_bytes=True)
scaled("scaled-deep", "e4m3", "e4m3", 32, 512, as_bytes=True)
scaled("scaled-mxfp4", "e2m1", "e2m1", 64, 256)
scaled("scaled-mxfp4-short", "e2m1", "e2m1", 128, 64)
scaled("scaled-nvfp4", "e2m1", "e2m1", 64, 128, block=16)

# Bytes of either sign into 32-bit integers.
BYTES = ("m = tl.arange(0, {m})\nn = tl.arange(0, {n})\nk = tl.arange(0, {k})\n"
         "sa = tlx.local_alloc(({m}, {k}), tl.{a}, 1)\nsb = tlx.local_alloc({shape}, tl.{b}, 1)\nacc = tlx.local_alloc(({m}, {n}), tl.int32, 1, tlx.storage_kind.tmem)\n"
         "tlx.local_store(sa[0], tl.load(A + m[:, None] * {k} + k[None, :]))\n"
         "tlx.local_store(sb[0], tl.load(B + {rows}[:, None] * {pitch} + {columns}[None, :]))\n"
         "for i in range(3):\n    tlx.async_dot(sa[0], {right}, acc[0], use_acc=i > 0)\n"
         "tl.store(OUT + m[:, None] * {n} + n[None, :], tlx.local_load(acc[0]))\n")
LIMITS = {np.uint8: (0, 256), np.int8: (-128, 128)}
for left, right, m, n, k, across in ((np.int8, np.int8, 128, 64, 64, False), (np.uint8, np.uint8, 128, 32, 128, False), (np.uint8, np.int8, 64, 8, 32, False),
                                     (np.int8, np.uint8, 64, 16, 64, False), (np.int8, np.int8, 128, 64, 64, True)):
    a = generator.integers(*LIMITS[left], (m, k)).astype(left)
    b = generator.integers(*LIMITS[right], (k, n)).astype(right)
    stored = b if across else np.ascontiguousarray(b.T)
    form = dict(m=m, n=n, k=k, a=a.dtype.name, b=b.dtype.name, shape=stored.shape, pitch=stored.shape[1], rows="k" if across else "n", columns="n" if across else "k",
                right="sb[0]" if across else "tlx.local_trans(sb[0])")
    case(f"tensor-memory-{a.dtype.name}-{b.dtype.name}-{m}x{n}{'-across' if across else ''}", BYTES.format(**form), A=a, B=stored,
         OUT=Out(3 * (a.astype(np.int32) @ b.astype(np.int32))), _targets=BLACKWELL, _seeds=4)
refused("refuse-scales-twice", "s = tlx.local_alloc((128, 4), tl.uint8, 1, tlx.storage_kind.tmem)\ntlx.tmem_copy(s[0], s[0])\n", "argument-type", 2,
        OUT=np.zeros(1, np.float32), _targets=BLACKWELL)
refused("refuse-scales-and-registers", "x = tlx.async_dot_scaled(1, 2, 3, 4, 'e4m3', 5, 'e4m3')\n", "argument-type", 1, OUT=np.zeros(1, np.float32), _targets=BLACKWELL)
