"""Program ids, loops, compile-time functions, hints, queries."""
import numpy as np
from case import Out, arange, case, f32, i32, random

case("program-ids", "p = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0) + tl.program_id(axis=2) * tl.num_programs(0) * tl.num_programs(1)\n"
     "tl.store(OUT + p, p)\n", OUT=Out(arange(24)), _grid=(2, 3, 4))
case("python-range", "s = 0\nfor k in range(2, 20, 3):\n    s += k\ntl.store(OUT, s)\n", OUT=Out(i32(sum(range(2, 20, 3)))))
case("tile-range", "n = tl.load(X)\ns = tl.zeros((16,), tl.int32)\nfor k in tl.range(0, n, num_stages=1):\n    s += tl.arange(0, 16) * k\n"
     "tl.store(OUT + tl.arange(0, 16), s)\n", X=i32(7), OUT=Out(arange(16) * 21))
case("static-range", "s = 0\nfor k in tl.static_range(8, 0, -2):\n    s = s * 10 + k\ntl.store(OUT, s)\n", OUT=Out(i32(8642)))
case("while-loop", "n = tl.load(X)\nc = 0\nwhile n > 1:\n    n = tl.where(n % 2 == 0, n // 2, 3 * n + 1)\n    c += 1\ntl.store(OUT, c)\n", X=i32(27), OUT=Out(i32(111)))
case("constexpr-function", "a: tl.constexpr = tl.constexpr(5)\nb: tl.constexpr = triton.next_power_of_2(9)\ntl.store(OUT, a + b)\n", OUT=Out(i32(21)))
case("static-assert-print", "tl.static_assert(1 < 2, 'order')\ntl.static_print('three', 3)\ntl.store(OUT, 1)\n", OUT=Out(i32(1)))
case("hints", "n = tl.load(X)\ntl.assume(n > 0)\nn = tl.multiple_of(n, 4)\ni = tl.max_contiguous(tl.arange(0, 16), 16)\n"
     "i = tl.max_constancy(i, 1)\ntl.store(OUT + i, i + n)\n", X=i32(8), OUT=Out(arange(16) + 8))
case("debug-barrier", "i = tl.arange(0, 128)\ntl.store(OUT + i, i)\ntl.debug_barrier()\nx = tl.load(OUT + (i + 1) % 128)\ntl.debug_barrier()\ntl.store(OUT + i, x)\n",
     OUT=Out(((arange(128) + 1) % 128).astype(np.int32)))
case("assume-uniform", "n = tlx.assume_uniform(tl.load(X))\ntl.store(OUT, n + 1)\n", X=i32(8), OUT=Out(i32(9)))
case("queries", "i = tl.arange(0, 16)\nx = tl.load(X + i)\ntl.static_assert(tlx.dtype_of(X) == tl.float16)\ntl.static_assert(tlx.size_of(x.dtype) == 2)\n"
     "tl.static_assert(tlx.get_fp8_format_name(tl.float8e5) == 'e5m2')\ntl.static_assert(x.dtype.is_floating() and not x.dtype.is_int())\n"
     "tl.static_assert(x.dtype.is_fp16() and not x.dtype.is_bf16() and not x.dtype.is_fp32() and not x.dtype.is_fp64())\n"
     "tl.static_assert(i.dtype.is_int_signed() and not i.dtype.is_int_unsigned() and (i > 0).dtype.is_bool())\n"
     "tl.static_assert(tl.float8e4nv.is_fp8() and not x.dtype.is_ptr())\ntl.static_assert(tl.pointer_type(tl.float16).is_ptr())\n"
     "tl.static_assert(x.dtype.primitive_bitwidth == 16)\ntl.store(OUT + i, x)\n", X=random(16, dtype=np.float16), OUT=Out(random(16, dtype=np.float16)))
case("bufidx-phase", "n = tl.load(X)\nb, p = tlx.get_bufidx_phase(n, 3)\ntl.store(OUT + 0, b)\ntl.store(OUT + 1, p)\n", X=i32(10), OUT=Out(i32(1, 1)))
case("helper-functions", "tl.store(OUT, fib(9) + twice(tl.load(X), f=add))\n", X=i32(4), OUT=Out(i32(34 + 8)),
     _helpers="@triton.jit\ndef fib(n: tl.constexpr):\n    if n < 2:\n        return n\n    return fib(n - 1) + fib(n - 2)\n\n\n"
     "@triton.jit\ndef add(a, b):\n    return a + b\n\n\n@triton.jit\ndef twice(x, f):\n    return f(x, x)\n")
case("thread-id", "t = tlx.thread_id(0)\ntl.store(OUT, t // 1000)\n", OUT=Out(i32(0)))
case("clock", "a = tlx.clock64()\ntl.debug_barrier()\nb = tlx.clock64()\ntl.store(OUT, (b >= a).to(tl.int32))\n", OUT=Out(i32(1)))
case("ballot", "i = tl.arange(0, 32)\nv = tlx.vote_ballot_sync(0xFFFFFFFF, i % 3 == 0)\ntl.store(OUT + i, v.to(tl.uint32, bitcast=True))\n",
     OUT=Out(np.full(32, sum(1 << k for k in range(0, 32, 3)), np.uint32)), _warps=1)
case("device-assert-holds", "i = tl.arange(0, 64)\ntl.device_assert(i >= 0, 'negative')\ntl.device_assert(i < 32, 'large', mask=i < 16)\ntl.store(OUT + i, i)\n", OUT=Out(arange(64)))
case("device-assert-fails", "i = tl.arange(0, 64)\ntl.device_assert(i < 63, 'too large')\n", OUT=Out(i32(77)), _finding="too large [assertion-failed]")
case("device-print", "n = tl.load(X)\ntl.device_print('n is', n)\ntl.device_print('hex ', n, hex=True)\ni = tl.arange(0, 4)\ntl.device_print('half 100%', i * 0.5)\n", X=i32(42), OUT=Out(i32(77)),
     _prints=["pid (0, 0, 0) idx () n is42", "pid (0, 0, 0) idx () hex 0x2a", "pid (0, 0, 0) idx (3) half 100%1.500000"])
case("dependent-launch", "tl.extra.cuda.gdc_wait()\ntl.store(OUT, 4)\ntl.extra.cuda.gdc_launch_dependents()\n", OUT=Out(i32(4)))
case("layouts", "i = tl.arange(0, 64)\nx = tl.load(X + i)\ntlx.dump_layout(x)\ntl.store(OUT + i, tlx.release_layout(x))\n", X=random(64), OUT=Out(random(64)))
# The text is PTX.
case("inline-assembly", "i = tl.arange(0, 128)\nx = tl.load(X + i)\ny = tl.inline_asm_elementwise('fma.rn.f32 $0, $1, $1, $2;', '=f,f,f', [x, 1.0], dtype=tl.float32, is_pure=True, pack=1)\n"
     "tl.store(OUT + i, y)\n", X=random(128), OUT=Out(random(128) ** 2 + 1), _emulated=False, _targets=("sm_90a",))
case("inline-assembly-packed", "i = tl.arange(0, 512)\nx = tl.load(X + i)\ny = tl.inline_asm_elementwise('lop3.b32 $0, $1, 0x01010101, 0, 0xc0;', '=r,r', [x], dtype=tl.int8, is_pure=True, pack=4)\n"
     "tl.store(OUT + i, y)\n", X=random(512, dtype=np.int8), OUT=Out(random(512, dtype=np.int8) & 1), _emulated=False, _targets=("sm_90a",))
case("inline-assembly-two-results", "i = tl.arange(0, 128)\na, b = tl.inline_asm_elementwise('{ add.s32 $0, $2, 1; shl.b32 $1, $2, 1; }', '=&r,=r,r', [i], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)\n"
     "tl.store(OUT + i, a + b)\n", OUT=Out(3 * arange(128) + 1), _emulated=False, _targets=("sm_90a",))
# Blocks that will meet at an atomic later do not know of each other before it.
case("race-before-atomic", "i = tl.arange(0, 64)\ntl.store(OUT + i, tl.program_id(0))\ntl.atomic_add(COUNT, 1)\n", OUT=Out(np.zeros(64, np.int32)), COUNT=i32(0), _grid=(2,), _finding="of CTA 0", _emulated=True, _targets=("sm_90a",))
