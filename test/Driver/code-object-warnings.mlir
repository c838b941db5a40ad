// Registers that do not fit are a warning of the source; too much shared memory and calls of nobody are errors.

// RUN: split-file %s %t.in
// RUN: tlxc %t.in/spill.mlir --target=gfx942 -o %t 2>&1 | FileCheck %s --check-prefix=SPILL
// SPILL: spill.mlir:2:3: warning: `crowded` spills: {{[1-9][0-9]*}} vector registers, {{[1-9][0-9]*}} bytes of scratch memory for each lane, with 64 registers [register-spill]

// RUN: tlxc %t.in/roomy.mlir --target=gfx942 -o %t 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// QUIET-NOT: warning

// RUN: not tlxc %t.in/shared.mlir --target=gfx942 -o %t 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: local memory (65540) exceeds limit (65536)
// RUN: tlxc %t.in/shared.mlir --target=gfx950 -o %t

// RUN: not tlxc %t.in/open.mlir --target=gfx942 -o %t 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: open.mlir:5:{{[0-9]+}}: `erff` is called, and no library on the device defines it

//--- spill.mlir
module attributes {tlx.gate = "lowered"} {
  llvm.func @crowded(%p: !llvm.ptr<1>)
      attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256", rocdl.waves_per_eu = 8 : i32,
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    %x = llvm.load volatile %p : !llvm.ptr<1> -> vector<128xf32>
    rocdl.s.barrier
    %y = llvm.fmul %x, %x : vector<128xf32>
    rocdl.s.barrier
    %z = llvm.fadd %x, %y : vector<128xf32>
    llvm.store volatile %z, %p : vector<128xf32>, !llvm.ptr<1>
    llvm.return
  }
}
//--- roomy.mlir
module attributes {tlx.gate = "lowered"} {
  llvm.func @roomy(%p: !llvm.ptr<1>)
      attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256", rocdl.waves_per_eu = 8 : i32,
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    %x = llvm.load volatile %p : !llvm.ptr<1> -> vector<16xf32>
    rocdl.s.barrier
    llvm.store volatile %x, %p : vector<16xf32>, !llvm.ptr<1>
    llvm.return
  }
}
//--- shared.mlir
module attributes {tlx.gate = "lowered"} {
  llvm.mlir.global external @tlx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @shared(%p: !llvm.ptr<1>)
      attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64", tlx.shared_bytes = 65540 : i32,
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    %base = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %tid = rocdl.workitem.id.x : i32
    %place = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %x = llvm.load volatile %p : !llvm.ptr<1> -> f32
    llvm.store volatile %x, %place : f32, !llvm.ptr<3>
    llvm.return
  }
}
//--- open.mlir
module attributes {tlx.gate = "lowered"} {
  llvm.func @erff(f32) -> f32
  llvm.func @gauss(%p: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64", tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.call @erff(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
