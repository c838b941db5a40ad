// A plain target becomes its accelerated form when the kernel needs it; a target without the feature is refused.

// RUN: tlxc %s --target=sm_90 --emit=ptx -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: features.mlir:[[#]]:{{[0-9]+}}: remark: the kernel uses register reallocation, so it is compiled for `sm_90a` instead of `sm_90` [target-accelerated]
// RUN: FileCheck %s --check-prefix=PTX < %t/grow.sm_90a.ptx
// PTX: .target sm_90a

// RUN: tlxc %s --target=sm_90a --emit=ptx -o %t 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: remark

// RUN: not tlxc %s --target=sm_120a --emit=ptx -o %t 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: features.mlir:[[#]]:{{[0-9]+}}: error: the kernel uses wgmma, which `sm_120a` does not have: it needs `sm_90a` [feature-missing]

// RUN: not tlxc %s --target=gfx942 -o %t 2>&1 | FileCheck %s --check-prefix=AMD
// AMD: features.mlir:[[#]]:{{[0-9]+}}: error: the kernel uses register reallocation, which `gfx942` does not have: it needs `sm_90a`, {{.*}} [feature-missing]
module attributes {tlx.gate = "lowered"} {
  llvm.func @grow(%p: !llvm.ptr<1>)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384>, nvvm.minctasm = 1 : i32,
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    nvvm.setmaxregister increase 232
    nvvm.wgmma.fence.aligned
    llvm.return
  }
}
