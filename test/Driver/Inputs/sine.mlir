module attributes {tlx.gate = "lowered"} {
  llvm.func @sine(%p: !llvm.ptr<1>)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, tlx.params = [{tlx.name = "p", tlx.type = "*fp32"}]} {
    %x = llvm.load %p : !llvm.ptr<1> -> f32
    %y = llvm.intr.sin(%x) : (f32) -> f32
    llvm.store %y, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
