// Loads that go straight to shared memory stay in flight over barriers, and over reads of the other slot of a ring: LLVM puts no
// full wait before a read that the scopes say is of other bytes. Without scopes it does, in every step of the loop.

// RUN: split-file %s %t.in
// RUN: sed -e 's/LOADSCOPES/{noalias_scopes = [#other], alias_scopes = [#mine]}/' -e 's/READSCOPES/alias_scopes = [#other], noalias_scopes = [#mine],/' %t.in/ring.mlir > %t.in/scoped.mlir
// RUN: sed -e 's/LOADSCOPES//' -e 's/READSCOPES//' %t.in/ring.mlir > %t.in/bare.mlir

// RUN: tlxc %t.in/scoped.mlir --target=gfx950 --emit=hsaco -o %t
// RUN: llvm-objdump -d %t/ring.gfx950.hsaco | FileCheck %s
// CHECK: <ring>:
// CHECK-COUNT-2: buffer_load_dwordx4 {{.*}} lds
// CHECK-NOT: vmcnt(0)
// CHECK: s_waitcnt vmcnt(1)
// CHECK: s_barrier
// CHECK-NOT: vmcnt(0)
// CHECK: ds_read_b128
// CHECK: lgkmcnt(0)
// CHECK: s_barrier
// CHECK-NOT: vmcnt(0)
// CHECK: s_cbranch_

// RUN: tlxc %t.in/bare.mlir --target=gfx950 --emit=hsaco -o %t
// RUN: llvm-objdump -d %t/ring.gfx950.hsaco | FileCheck %s --check-prefix=BARE
// BARE-COUNT-2: buffer_load_dwordx4 {{.*}} lds
// BARE: s_barrier
// BARE: s_waitcnt vmcnt(0)
// BARE-NEXT: ds_read_b128

//--- ring.mlir
#domain = #llvm.alias_scope_domain<id = distinct[0]<>, description = "slots">
#mine = #llvm.alias_scope<id = distinct[1]<>, domain = #domain, description = "filled">
#other = #llvm.alias_scope<id = distinct[2]<>, domain = #domain, description = "read">
module attributes {tlx.gate = "lowered"} {
  llvm.mlir.global external @tlx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @ring(%p: !llvm.ptr<1>, %n: i32)
      attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256", tlx.shared_bytes = 2048 : i32,
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}, {tlx.name = "n", tlx.type = "i32"}]} {
    %base = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %slot = llvm.mlir.constant(1024 : i32) : i32
    %stride = llvm.mlir.constant(0 : i16) : i16
    %bytes = llvm.mlir.constant(65536 : i64) : i64
    %flags = llvm.mlir.constant(159744 : i32) : i32
    %rsrc = rocdl.make.buffer.rsrc %p, %stride, %bytes, %flags : <1> to <8>
    %tid = rocdl.workitem.id.x : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %lane = llvm.shl %tid, %four : i32
    %first = llvm.getelementptr %base[%zero] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %size = llvm.mlir.constant(16 : i32) : i32
    rocdl.raw.ptr.buffer.load.lds %rsrc, %first, %size, %lane, %zero, %zero, %zero LOADSCOPES
    %none = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
    llvm.br ^step(%zero, %none : i32, vector<4xf32>)
  ^step(%i: i32, %sum: vector<4xf32>):
    %next = llvm.add %i, %one : i32
    %odd = llvm.and %next, %one : i32
    %fill = llvm.mul %odd, %slot : i32
    %to = llvm.getelementptr %base[%fill] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %from = llvm.mul %next, %slot : i32
    rocdl.raw.ptr.buffer.load.lds %rsrc, %to, %size, %lane, %from, %zero, %zero LOADSCOPES
    rocdl.s.waitcnt 3953
    llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire
    %even = llvm.and %i, %one : i32
    %read = llvm.mul %even, %slot : i32
    %place = llvm.add %read, %lane : i32
    %at = llvm.getelementptr %base[%place] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %x = llvm.load %at {READSCOPES alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    %more = llvm.fadd %sum, %x : vector<4xf32>
    llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire
    %again = llvm.icmp "slt" %next, %n : i32
    llvm.cond_br %again, ^step(%next, %more : i32, vector<4xf32>), ^end
  ^end:
    %out = llvm.getelementptr %p[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    llvm.store %more, %out : vector<4xf32>, !llvm.ptr<1>
    llvm.return
  }
}
