// Meetings of kernels that copy past the registers: what is under way stays so.
// RUN: tlx-opt %s -tlx-expand-thread-ops | FileCheck %s

module attributes {tlx.target = "gfx950"} {
  // CHECK-LABEL: @copies
  // CHECK: llvm.fence syncscope("wavefront") release
  // CHECK-NEXT: rocdl.s.waitcnt 49279
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
  llvm.func @copies(%from: !llvm.ptr<1>, %to: !llvm.ptr<3>) attributes {rocdl.kernel} {
    rocdl.load.to.lds %from, %to, 16, 0, 0 : <1>
    llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire
    llvm.return
  }

  // CHECK-LABEL: @plain
  // CHECK: llvm.fence syncscope("workgroup") release
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK: %[[HIDDEN:.*]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
  // CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[HIDDEN]][1] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
  // CHECK: llvm.load %[[PLACE]]
  llvm.func @plain(%out: !llvm.ptr<1>) attributes {rocdl.kernel} {
    llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire
    %n = thread.group_count 1
    llvm.store %n, %out : i32, !llvm.ptr<1>
    llvm.return
  }
}
