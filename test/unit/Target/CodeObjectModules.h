// Hand-written kernels of the LLVM and ROCDL dialects.
#ifndef TLX_TEST_UNIT_TARGET_CODEOBJECTMODULES_H
#define TLX_TEST_UNIT_TARGET_CODEOBJECTMODULES_H

namespace tlx::test {

/// Doubles n floats.
inline constexpr const char *scaleKernel = R"mlir(
llvm.func @scale(%p: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %n: i32)
    attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256"} {
  %tid = rocdl.workitem.id.x : i32
  %inside = llvm.icmp "slt" %tid, %n : i32
  llvm.cond_br %inside, ^work, ^end
^work:
  %address = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %address : !llvm.ptr<1> -> f32 loc("scale.tlx":7:9)
  %y = llvm.fadd %x, %x : f32 loc("scale.tlx":8:9)
  llvm.store %y, %address : f32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
} loc("scale.tlx":3:1)
)mlir";

/// Reverses 256 floats through shared memory. SHARED bytes of it.
inline constexpr const char *reverseKernel = R"mlir(
llvm.mlir.global external @tlx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @reverse(%p: !llvm.ptr<1>)
    attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256", tlx.shared_bytes = SHARED : i64} {
  %base = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
  %tid = rocdl.workitem.id.x : i32
  %last = llvm.mlir.constant(255 : i32) : i32
  %mirror = llvm.sub %last, %tid : i32
  %mine = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %theirs = llvm.getelementptr %base[%mirror] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %source = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %source : !llvm.ptr<1> -> f32
  llvm.store %x, %mine : f32, !llvm.ptr<3>
  llvm.fence syncscope("workgroup") release
  rocdl.s.barrier
  llvm.fence syncscope("workgroup") acquire
  %y = llvm.load %theirs : !llvm.ptr<3> -> f32
  llvm.store %y, %source : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

/// Keeps VALUES floats alive across a barrier, where a lane has 64 registers.
inline constexpr const char *crowdedKernel = R"mlir(
llvm.func @crowded(%p: !llvm.ptr<1>)
    attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256", rocdl.waves_per_eu = 8 : i32} {
  %tid = rocdl.workitem.id.x : i32
  %row = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<VALUESxf32>
  %x = llvm.load volatile %row : !llvm.ptr<1> -> vector<VALUESxf32>
  rocdl.s.barrier
  %y = llvm.fmul %x, %x : vector<VALUESxf32>
  rocdl.s.barrier
  %z = llvm.fadd %x, %y : vector<VALUESxf32>
  llvm.store volatile %z, %row : vector<VALUESxf32>, !llvm.ptr<1>
  llvm.return
}
)mlir";

/// One product by the matrix unit: 16 x 16 x 16 of fp16 into fp32.
inline constexpr const char *productKernel = R"mlir(
llvm.func @product(%p: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64"} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %a = llvm.load %p : !llvm.ptr<1> -> vector<4xf16>
  %c = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
  %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero
      : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  llvm.store %d, %p : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}
)mlir";

/// Calls what no library on the device defines.
inline constexpr const char *openKernel = R"mlir(
llvm.func @erff(f32) -> f32
llvm.func @gauss(%p: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64"} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.call @erff(%x) : (f32) -> f32 loc("gauss.tlx":9:11)
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
} loc("gauss.tlx":3:1)
)mlir";

/// LLVM has neither an instruction nor a function for it.
inline constexpr const char *hyperbolicKernel = R"mlir(
llvm.func @hyperbolic(%p: !llvm.ptr<1>) attributes {rocdl.kernel, rocdl.flat_work_group_size = "64,64"} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.intr.tanh(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

} // namespace tlx::test

#endif
