// C = A B^T on gfx942: tiles of 64 x 64, four waves of 32 x 32 each, steps of 16 along K, two slots of LDS that are loaded
// directly: while one is multiplied, the next is on its way. M and N are multiples of 64, K of 16.
module attributes {tlx.target = "gfx942"} {
  llvm.mlir.global external @tlx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @gemm(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %N: i32, %K: i32) attributes {
      rocdl.kernel, rocdl.flat_work_group_size = "256,256", tlx.shared_bytes = 8192 : i32,
      tlx.shared = [{name = "a", offset = 0 : i32, bytes = 2048 : i32, count = 2 : i32},
                    {name = "b", offset = 4096 : i32, bytes = 2048 : i32, count = 2 : i32}]} {
    %lds = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c6 = llvm.mlir.constant(6 : i32) : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c63 = llvm.mlir.constant(63 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %c256 = llvm.mlir.constant(256 : i32) : i32
    %c1024 = llvm.mlir.constant(1024 : i32) : i32
    %c2048 = llvm.mlir.constant(2048 : i32) : i32
    %c4096 = llvm.mlir.constant(4096 : i32) : i32
    %tid = rocdl.workitem.id.x : i32
    %lane = llvm.and %tid, %c63 : i32
    %waveOfLane = llvm.lshr %tid, %c6 : i32
    %wave = rocdl.readfirstlane %waveOfLane : i32
    %groupX = rocdl.workgroup.id.x : i32
    %groupY = rocdl.workgroup.id.y : i32
    %firstRow = llvm.mul %groupX, %c64 : i32
    %firstColumn = llvm.mul %groupY, %c64 : i32
    // What a lane loads: a wave has eight rows of 16 elements, two elements a lane.
    %rowOfLane = llvm.lshr %lane, %c3 : i32
    %eighth = llvm.and %lane, %c7 : i32
    %columnOfLane = llvm.mul %eighth, %c2 : i32
    %rowOfWave = llvm.mul %wave, %c8 : i32
    %row0 = llvm.add %rowOfWave, %rowOfLane : i32
    %row1 = llvm.add %row0, %c32 : i32
    %piece = llvm.mul %wave, %c256 : i32
    %a0Row = llvm.add %firstRow, %row0 : i32
    %a0Line = llvm.mul %a0Row, %K : i32
    %a0Place = llvm.add %a0Line, %columnOfLane : i32
    %a0 = llvm.getelementptr %a[%a0Place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %a1Row = llvm.add %firstRow, %row1 : i32
    %a1Line = llvm.mul %a1Row, %K : i32
    %a1Place = llvm.add %a1Line, %columnOfLane : i32
    %a1 = llvm.getelementptr %a[%a1Place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %aPool = llvm.getelementptr %lds[%c0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %a0Lds = llvm.getelementptr %aPool[%piece] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %a1Lds = llvm.getelementptr %a0Lds[%c1024] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b0Row = llvm.add %firstColumn, %row0 : i32
    %b0Line = llvm.mul %b0Row, %K : i32
    %b0Place = llvm.add %b0Line, %columnOfLane : i32
    %b0 = llvm.getelementptr %b[%b0Place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %b1Row = llvm.add %firstColumn, %row1 : i32
    %b1Line = llvm.mul %b1Row, %K : i32
    %b1Place = llvm.add %b1Line, %columnOfLane : i32
    %b1 = llvm.getelementptr %b[%b1Place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %bPool = llvm.getelementptr %lds[%c4096] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b0Lds = llvm.getelementptr %bPool[%piece] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %b1Lds = llvm.getelementptr %b0Lds[%c1024] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    // What a lane multiplies: row l % 32 of its wave's 32, elements 4 (l / 32) to 4 (l / 32) + 3 of eight.
    %line = llvm.and %lane, %c31 : i32
    %half = llvm.lshr %lane, %c5 : i32
    %waveM = llvm.and %wave, %c1 : i32
    %waveN = llvm.lshr %wave, %c1 : i32
    %rowsM = llvm.mul %waveM, %c32 : i32
    %rowsN = llvm.mul %waveN, %c32 : i32
    %quad = llvm.mul %half, %c4 : i32
    %aLine = llvm.add %rowsM, %line : i32
    %aBegin = llvm.mul %aLine, %c16 : i32
    %aElement = llvm.add %aBegin, %quad : i32
    %aRead = llvm.getelementptr %aPool[%aElement] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    %bLine = llvm.add %rowsN, %line : i32
    %bBegin = llvm.mul %bLine, %c16 : i32
    %bElement = llvm.add %bBegin, %quad : i32
    %bRead = llvm.getelementptr %bPool[%bElement] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    %steps = llvm.udiv %K, %c16 : i32
    %zero = llvm.mlir.zero : vector<16xf32>
    %firstSteps = llvm.mul %c0, %c16 : i32
    %firstParity = llvm.and %c0, %c1 : i32
    %firstSlot = llvm.mul %firstParity, %c2048 : i32
    %first_a0From = llvm.getelementptr %a0[%firstSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %first_a0To = llvm.getelementptr %a0Lds[%firstSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %first_a0From, %first_a0To, 4, 0, 0 : !llvm.ptr<1>
    %first_a1From = llvm.getelementptr %a1[%firstSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %first_a1To = llvm.getelementptr %a1Lds[%firstSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %first_a1From, %first_a1To, 4, 0, 0 : !llvm.ptr<1>
    %first_b0From = llvm.getelementptr %b0[%firstSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %first_b0To = llvm.getelementptr %b0Lds[%firstSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %first_b0From, %first_b0To, 4, 0, 0 : !llvm.ptr<1>
    %first_b1From = llvm.getelementptr %b1[%firstSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %first_b1To = llvm.getelementptr %b1Lds[%firstSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %first_b1From, %first_b1To, 4, 0, 0 : !llvm.ptr<1>
    llvm.br ^step(%c0, %zero : i32, vector<16xf32>)
  ^step(%s: i32, %sum: vector<16xf32>):
    %next = llvm.add %s, %c1 : i32
    %more = llvm.icmp "slt" %next, %steps : i32
    llvm.cond_br %more, ^issue, ^last
  ^issue:
    %nextSteps = llvm.mul %next, %c16 : i32
    %nextParity = llvm.and %next, %c1 : i32
    %nextSlot = llvm.mul %nextParity, %c2048 : i32
    %next_a0From = llvm.getelementptr %a0[%nextSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %next_a0To = llvm.getelementptr %a0Lds[%nextSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %next_a0From, %next_a0To, 4, 0, 0 : !llvm.ptr<1>
    %next_a1From = llvm.getelementptr %a1[%nextSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %next_a1To = llvm.getelementptr %a1Lds[%nextSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %next_a1From, %next_a1To, 4, 0, 0 : !llvm.ptr<1>
    %next_b0From = llvm.getelementptr %b0[%nextSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %next_b0To = llvm.getelementptr %b0Lds[%nextSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %next_b0From, %next_b0To, 4, 0, 0 : !llvm.ptr<1>
    %next_b1From = llvm.getelementptr %b1[%nextSteps] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
    %next_b1To = llvm.getelementptr %b1Lds[%nextSlot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    rocdl.load.to.lds %next_b1From, %next_b1To, 4, 0, 0 : !llvm.ptr<1>
    // vmcnt(4): the loads of the next step may be on their way.
    rocdl.s.waitcnt 3956
    llvm.br ^ready
  ^last:
    rocdl.s.waitcnt 3952
    llvm.br ^ready
  ^ready:
    // The loads of all waves are there.
    llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire
    %parity = llvm.and %s, %c1 : i32
    %slot = llvm.mul %parity, %c2048 : i32
    %aFrom = llvm.getelementptr %aRead[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %aLow = llvm.load %aFrom : !llvm.ptr<3> -> vector<4xf16>
    %aUp = llvm.getelementptr %aFrom[%c8] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    %aHigh = llvm.load %aUp : !llvm.ptr<3> -> vector<4xf16>
    %bFrom = llvm.getelementptr %bRead[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %bLow = llvm.load %bFrom : !llvm.ptr<3> -> vector<4xf16>
    %bUp = llvm.getelementptr %bFrom[%c8] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
    %bHigh = llvm.load %bUp : !llvm.ptr<3> -> vector<4xf16>
    %sumLow = rocdl.mfma.f32.32x32x8f16 %aLow, %bLow, %sum, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
    %sumBoth = rocdl.mfma.f32.32x32x8f16 %aHigh, %bHigh, %sumLow, %c0, %c0, %c0 : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
    // Nobody reads this slot any more.
    llvm.fence syncscope("workgroup") release
    rocdl.s.barrier
    llvm.fence syncscope("workgroup") acquire
    llvm.cond_br %more, ^step(%next, %sumBoth : i32, vector<16xf32>), ^store
  ^store:
    %rowD = llvm.add %firstRow, %rowsM : i32
    %rowHalf = llvm.add %rowD, %quad : i32
    %columnD0 = llvm.add %firstColumn, %rowsN : i32
    %columnD = llvm.add %columnD0, %line : i32
    %lineD = llvm.mul %rowHalf, %N : i32
    %placeD = llvm.add %lineD, %columnD : i32
    %to = llvm.getelementptr %c[%placeD] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %r0 = llvm.mlir.constant(0 : i32) : i32
    %skip0 = llvm.mul %r0, %N : i32
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %v0 = llvm.extractelement %sumBoth[%i0 : i32] : vector<16xf32>
    %to0 = llvm.getelementptr %to[%skip0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v0, %to0 : f32, !llvm.ptr<1>
    %r1 = llvm.mlir.constant(1 : i32) : i32
    %skip1 = llvm.mul %r1, %N : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %v1 = llvm.extractelement %sumBoth[%i1 : i32] : vector<16xf32>
    %to1 = llvm.getelementptr %to[%skip1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v1, %to1 : f32, !llvm.ptr<1>
    %r2 = llvm.mlir.constant(2 : i32) : i32
    %skip2 = llvm.mul %r2, %N : i32
    %i2 = llvm.mlir.constant(2 : i32) : i32
    %v2 = llvm.extractelement %sumBoth[%i2 : i32] : vector<16xf32>
    %to2 = llvm.getelementptr %to[%skip2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v2, %to2 : f32, !llvm.ptr<1>
    %r3 = llvm.mlir.constant(3 : i32) : i32
    %skip3 = llvm.mul %r3, %N : i32
    %i3 = llvm.mlir.constant(3 : i32) : i32
    %v3 = llvm.extractelement %sumBoth[%i3 : i32] : vector<16xf32>
    %to3 = llvm.getelementptr %to[%skip3] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v3, %to3 : f32, !llvm.ptr<1>
    %r4 = llvm.mlir.constant(8 : i32) : i32
    %skip4 = llvm.mul %r4, %N : i32
    %i4 = llvm.mlir.constant(4 : i32) : i32
    %v4 = llvm.extractelement %sumBoth[%i4 : i32] : vector<16xf32>
    %to4 = llvm.getelementptr %to[%skip4] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v4, %to4 : f32, !llvm.ptr<1>
    %r5 = llvm.mlir.constant(9 : i32) : i32
    %skip5 = llvm.mul %r5, %N : i32
    %i5 = llvm.mlir.constant(5 : i32) : i32
    %v5 = llvm.extractelement %sumBoth[%i5 : i32] : vector<16xf32>
    %to5 = llvm.getelementptr %to[%skip5] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v5, %to5 : f32, !llvm.ptr<1>
    %r6 = llvm.mlir.constant(10 : i32) : i32
    %skip6 = llvm.mul %r6, %N : i32
    %i6 = llvm.mlir.constant(6 : i32) : i32
    %v6 = llvm.extractelement %sumBoth[%i6 : i32] : vector<16xf32>
    %to6 = llvm.getelementptr %to[%skip6] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v6, %to6 : f32, !llvm.ptr<1>
    %r7 = llvm.mlir.constant(11 : i32) : i32
    %skip7 = llvm.mul %r7, %N : i32
    %i7 = llvm.mlir.constant(7 : i32) : i32
    %v7 = llvm.extractelement %sumBoth[%i7 : i32] : vector<16xf32>
    %to7 = llvm.getelementptr %to[%skip7] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v7, %to7 : f32, !llvm.ptr<1>
    %r8 = llvm.mlir.constant(16 : i32) : i32
    %skip8 = llvm.mul %r8, %N : i32
    %i8 = llvm.mlir.constant(8 : i32) : i32
    %v8 = llvm.extractelement %sumBoth[%i8 : i32] : vector<16xf32>
    %to8 = llvm.getelementptr %to[%skip8] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v8, %to8 : f32, !llvm.ptr<1>
    %r9 = llvm.mlir.constant(17 : i32) : i32
    %skip9 = llvm.mul %r9, %N : i32
    %i9 = llvm.mlir.constant(9 : i32) : i32
    %v9 = llvm.extractelement %sumBoth[%i9 : i32] : vector<16xf32>
    %to9 = llvm.getelementptr %to[%skip9] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v9, %to9 : f32, !llvm.ptr<1>
    %r10 = llvm.mlir.constant(18 : i32) : i32
    %skip10 = llvm.mul %r10, %N : i32
    %i10 = llvm.mlir.constant(10 : i32) : i32
    %v10 = llvm.extractelement %sumBoth[%i10 : i32] : vector<16xf32>
    %to10 = llvm.getelementptr %to[%skip10] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v10, %to10 : f32, !llvm.ptr<1>
    %r11 = llvm.mlir.constant(19 : i32) : i32
    %skip11 = llvm.mul %r11, %N : i32
    %i11 = llvm.mlir.constant(11 : i32) : i32
    %v11 = llvm.extractelement %sumBoth[%i11 : i32] : vector<16xf32>
    %to11 = llvm.getelementptr %to[%skip11] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v11, %to11 : f32, !llvm.ptr<1>
    %r12 = llvm.mlir.constant(24 : i32) : i32
    %skip12 = llvm.mul %r12, %N : i32
    %i12 = llvm.mlir.constant(12 : i32) : i32
    %v12 = llvm.extractelement %sumBoth[%i12 : i32] : vector<16xf32>
    %to12 = llvm.getelementptr %to[%skip12] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v12, %to12 : f32, !llvm.ptr<1>
    %r13 = llvm.mlir.constant(25 : i32) : i32
    %skip13 = llvm.mul %r13, %N : i32
    %i13 = llvm.mlir.constant(13 : i32) : i32
    %v13 = llvm.extractelement %sumBoth[%i13 : i32] : vector<16xf32>
    %to13 = llvm.getelementptr %to[%skip13] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v13, %to13 : f32, !llvm.ptr<1>
    %r14 = llvm.mlir.constant(26 : i32) : i32
    %skip14 = llvm.mul %r14, %N : i32
    %i14 = llvm.mlir.constant(14 : i32) : i32
    %v14 = llvm.extractelement %sumBoth[%i14 : i32] : vector<16xf32>
    %to14 = llvm.getelementptr %to[%skip14] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v14, %to14 : f32, !llvm.ptr<1>
    %r15 = llvm.mlir.constant(27 : i32) : i32
    %skip15 = llvm.mul %r15, %N : i32
    %i15 = llvm.mlir.constant(15 : i32) : i32
    %v15 = llvm.extractelement %sumBoth[%i15 : i32] : vector<16xf32>
    %to15 = llvm.getelementptr %to[%skip15] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v15, %to15 : f32, !llvm.ptr<1>
    llvm.return
  }
}
