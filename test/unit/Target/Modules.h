// Hand-written kernels of the LLVM and NVVM dialects.
#ifndef TLX_TEST_UNIT_TARGET_MODULES_H
#define TLX_TEST_UNIT_TARGET_MODULES_H

namespace tlx::test {

/// Doubles n floats.
inline constexpr const char *doubleKernel = R"mlir(
llvm.func @scale(%p: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %n: i32)
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
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

/// Writes through dynamic shared memory.
inline constexpr const char *sharedKernel = R"mlir(
llvm.mlir.global external @tlx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @exchange(%p: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %base = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %other = llvm.mlir.constant(127 : i32) : i32
  %mirror = llvm.sub %other, %tid : i32
  %mine = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %theirs = llvm.getelementptr %base[%mirror] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %source = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %source : !llvm.ptr<1> -> f32
  llvm.store %x, %mine : f32, !llvm.ptr<3>
  nvvm.barrier0
  %y = llvm.load %theirs : !llvm.ptr<3> -> f32
  llvm.store %y, %source : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

/// Asks for more registers; `minctasm` decides whether the assembler can know the count at entry.
inline constexpr const char *registerKernel = R"mlir(
llvm.func @grow(%p: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384>ATTRIBUTES} {
  nvvm.setmaxregister increase 232
  %x = llvm.mlir.constant(1.0 : f32) : f32
  llvm.store %x, %p : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

/// LLVM has no instruction for a run-time sine without `afn`.
inline constexpr const char *sineKernel = R"mlir(
llvm.func @sine(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  %y = llvm.intr.sin(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr<1>
  llvm.return
}
)mlir";

/// Keeps a counted loop of eight iterations.
inline constexpr const char *loopKernel = R"mlir(
llvm.func @loop(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %count = llvm.mlir.constant(8 : i32) : i32
  llvm.br ^head(%zero : i32)
^head(%i: i32):
  llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 1, 128;", "" : () -> ()
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %count : i32
  llvm.cond_br %more, ^head(%next : i32), ^end
^end:
  llvm.return
}
)mlir";

} // namespace tlx::test

#endif
