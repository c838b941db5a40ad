#!/usr/bin/env python3
"""hot_loop.py on listings that are small enough to count by hand."""
import unittest

import hot_loop

GCN = """
gemm:                                   ; @gemm
\ts_load_dwordx2 s[0:1], s[4:5], 0x0
.LBB0_1:                                ; outer
\ts_add_i32 s2, s2, 1
.LBB0_2:                                ; inner
\tbuffer_load_dword v1, s[0:3], 0 offen lds
\ts_waitcnt vmcnt(4)
\ts_barrier
\tds_read_b128 v[0:3], v4
\ts_waitcnt lgkmcnt(0)
\tv_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
\tv_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]
\ts_cbranch_scc1 .LBB0_2
\ts_cbranch_scc1 .LBB0_1
\ts_endpgm
"""

PTX = """
.visible .entry k(
)
{
$L__BB0_2:
$L__BB0_1:
\tmbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;
\t@!%p1 bra $L__BB0_1;
\t@%p2 tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r3, %p3;
\ttcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r4];
\tadd.s32 %r5, %r5, 1;
\t@%p4 bra $L__BB0_2;
\tret;
}
"""


class HotLoop(unittest.TestCase):
    def test_the_innermost_loop_of_amd_text(self):
        (loop,) = hot_loop.describe(GCN, True)
        self.assertEqual(loop["instructions"], 8)
        self.assertEqual(loop["counts"], {"copy": 1, "wait": 2, "barrier": 1, "shared load": 1, "matrix": 2, "branch": 1})
        self.assertEqual(loop["operations"], 2 * 32 * 32 * 8 + 2 * 16 * 16 * 16)
        self.assertEqual(loop["waits"], [4])

    def test_a_loop_that_waits_belongs_to_the_one_around_it(self):
        (loop,) = hot_loop.describe(PTX, False)
        self.assertEqual(loop["counts"], {"barrier": 1, "matrix": 1, "commit": 1, "other": 1, "branch": 2})

    def test_roofline(self):
        manifest = {"target": "gfx942", "constexprs": {"BM": 256, "BN": 256, "BK": 64}, "launch": {}}
        text = hot_loop.roofline(manifest)
        self.assertIn("65536 bytes and 8388608 operations a K step, 128 for each byte", text)
        self.assertIn("678 of 1307 TFLOP/s", text)
        self.assertEqual(hot_loop.roofline({"target": "gfx942", "constexprs": {}, "launch": {}}), "")


if __name__ == "__main__":
    unittest.main()
