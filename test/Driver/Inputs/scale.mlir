module attributes {tlx.gate = "lowered"} {
  llvm.func @scale(%p: !llvm.ptr<1> {llvm.align = 16 : i64}, %n: i32)
      attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, tlx.shared_bytes = 0 : i32,
                  tlx.constexprs = {BLOCK = 128 : i32, FAST = true},
                  tlx.params = [{tlx.name = "p", tlx.type = "*fp32:16", tlx.divisibility = 16 : i32},
                                {tlx.name = "n", tlx.type = "i32"}]} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
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
