// Tensor maps that the kernel makes: in scratch memory of the launch, of which each block has its own piece.
#include "Emitter.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

/// The place at `offset` in this block's piece of the scratch memory, which is the kernel's last argument.
static Value scratchPlace(OpBuilder &b, Location loc, func::FuncOp kernel, Value scratch, int64_t offset) {
  auto bytes = kernel.getArgAttrOfType<IntegerAttr>(kernel.getNumArguments() - 1, "tlx.scratch").getInt();
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto wide = [&](Value value) -> Value { return LLVM::ZExtOp::create(b, loc, i64, value); };
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
  };
  // Blocks are numbered x fastest (lib/Manifest/README.md, scratch).
  Value block = wide(NVVM::BlockIdZOp::create(b, loc, i32));
  block = LLVM::MulOp::create(b, loc, block, wide(NVVM::GridDimYOp::create(b, loc, i32)));
  block = LLVM::AddOp::create(b, loc, block, wide(NVVM::BlockIdYOp::create(b, loc, i32)));
  block = LLVM::MulOp::create(b, loc, block, wide(NVVM::GridDimXOp::create(b, loc, i32)));
  block = LLVM::AddOp::create(b, loc, block, wide(NVVM::BlockIdXOp::create(b, loc, i32)));
  Value place = LLVM::AddOp::create(b, loc, LLVM::MulOp::create(b, loc, block, constant(bytes)), constant(offset));
  return LLVM::GEPOp::create(b, loc, scratch.getType(), b.getI8Type(), scratch, ArrayRef<LLVM::GEPArg>{place});
}

LogicalResult Emitter::emitMakeDescriptor(MakeDescriptorOp op) {
  Value scratch = values(kernel.getArguments().back()).front();
  Value place = op.getMemory() ? scalar(op.getMemory()) : scratchPlace(b, loc, kernel, scratch, op.getScratch());
  auto map = op->getAttrOfType<DictionaryAttr>("tlx.tensor_map");
  SmallVector<int32_t> box;
  for (int64_t extent : llvm::reverse(map.getAs<DenseI64ArrayAttr>("box").asArrayRef()))
    box.push_back(static_cast<int32_t>(extent));
  int64_t bytes = op.getType().getElementType().getIntOrFloatBitWidth() / 8;
  Registers sizes, strides;
  for (Value size : llvm::reverse(op.getSizes()))
    sizes.push_back(scalar(size));
  for (Value stride : llvm::reverse(op.getStrides()))
    strides.push_back(LLVM::MulOp::create(
        b, loc, scalar(stride), LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(bytes))));
  // Copies through the map that was here before are done before threads meet.
  taskBarrier();
  when(isLeader(), [&] {
    thread::MakeTensorMapOp::create(
        b, loc, place, scalar(op.getBase()), sizes, strides, map.getAs<StringAttr>("dtype").getValue(), box,
        static_cast<uint32_t>(map.getAs<IntegerAttr>("swizzle").getInt()), op.getPadding() == "nan");
  });
  taskBarrier();
  thread::AcquireTensorMapOp::create(b, loc, place);
  setValues(op.getResult(), {LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), place)});
  return success();
}

FailureOr<bool> Emitter::emitMadeDescriptor(Operation *op) {
  if (auto make = dyn_cast<MakeDescriptorOp>(op)) {
    if (failed(emitMakeDescriptor(make)))
      return failure();
  } else if (auto memory = dyn_cast<DescriptorMemoryOp>(op)) {
    Value scratch = values(kernel.getArguments().back()).front();
    setValues(memory.getResult(), {scratchPlace(b, loc, kernel, scratch, memory.getScratch())});
  } else if (auto read = dyn_cast<ReadDescriptorOp>(op)) {
    Value place = scalar(read.getMemory());
    thread::AcquireTensorMapOp::create(b, loc, place);
    setValues(read.getResult(),
              {LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), place)});
  } else if (auto prefetch = dyn_cast<PrefetchDescriptorOp>(op)) {
    when(isLeader(), [&] {
      NVVM::PrefetchOp::create(b, loc, NVVM::PrefetchCacheLevelAttr(), NVVM::CacheEvictionPriorityAttr(),
                               scalar(prefetch.getDescriptor()), Value(), b.getUnitAttr(), UnitAttr(), UnitAttr());
    });
  } else {
    return false;
  }
  return true;
}
