// What the assembler says about speed becomes warnings of the source.
// REQUIRES: ptxas

// RUN: split-file %s %t.in
// RUN: tlxc %t.in/registers.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: registers.mlir:2:3: warning: `grow`: {{.*}}setmaxnreg{{.*}} (ptxas C7508) [registers-ignored]

// RUN: tlxc %t.in/spill.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=SPILL
// SPILL: spill.mlir:2:3: warning: `crowded` spills: {{[1-9][0-9]*}} bytes stored and {{[1-9][0-9]*}} bytes loaded, with {{[0-9]+}} registers [register-spill]

// RUN: tlxc %t.in/matrix.mlir --target=sm_90a -o %t 2>&1 | FileCheck %s --check-prefix=MATRIX
// MATRIX: matrix.mlir:2:3: warning: `product`: {{.*}}GMMA{{.*}} (ptxas C75{{[0-9]+}}) [matrix-serialized]

//--- registers.mlir
module attributes {tlx.gate = "lowered"} {
  llvm.func @grow(%p: !llvm.ptr<1>)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384>, tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    nvvm.setmaxregister increase 232
    llvm.return
  }
}
//--- spill.mlir
module attributes {tlx.gate = "lowered"} {
  llvm.func @crowded(%p: !llvm.ptr<1>)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, nvvm.maxnreg = 32 : i32,
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    %x = llvm.load volatile %p : !llvm.ptr<1> -> vector<64xf32>
    nvvm.barrier0
    %y = llvm.fmul %x, %x : vector<64xf32>
    llvm.store volatile %y, %p : vector<64xf32>, !llvm.ptr<1>
    llvm.return
  }
}
//--- matrix.mlir
module attributes {tlx.gate = "lowered"} {
  llvm.func @product(%p: !llvm.ptr<1>, %d: i64)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>,
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}, {tlx.name = "d", tlx.type = "i64"}]} {
    %c = llvm.load %p : !llvm.ptr<1> -> f32
    %r = llvm.inline_asm has_side_effects asm_dialect = att
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $8, 1, 1, 1, 0, 0;",
        "=f,=f,=f,=f,0,1,2,3,l" %c, %c, %c, %c, %d : (f32, f32, f32, f32, i64) -> !llvm.struct<(f32, f32, f32, f32)>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 0
    %first = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32)>
    llvm.store %first, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
