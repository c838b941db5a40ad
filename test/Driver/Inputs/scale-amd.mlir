// A kernel at the gate `lowered`, for AMD.
module attributes {tlx.gate = "lowered", tlx.target = "gfx942"} {
  llvm.func @scale(%p: !llvm.ptr<1>, %n: i32)
      attributes {rocdl.kernel, rocdl.flat_work_group_size = "256,256", tlx.constexprs = {BLOCK = 256 : i32},
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32:16", tlx.divisibility = 16 : i32},
                                {tlx.name = "n", tlx.type = "i32"}]} {
    %tid = rocdl.workitem.id.x : i32
    %inside = llvm.icmp "slt" %tid, %n : i32
    llvm.cond_br %inside, ^work, ^end
  ^work:
    %address = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %address : !llvm.ptr<1> -> f32
    %y = llvm.fadd %x, %x : f32
    llvm.store %y, %address : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
