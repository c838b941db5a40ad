// Copies from global to shared memory on machines whose lanes write side by side (AMD's loads to LDS), and waits for
// them by counting.
#include "SharedAccess.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace tlx;
using layout::InDim;

static constexpr StringLiteral zeroSymbol = "tlx_zeros";
static constexpr int zeroBytes = 16;

/// Zeros in global memory: what masked elements are copied from, so that every lane issues every copy and the counts of
/// waits hold.
static Value zerosInMemory(OpBuilder &b, Location loc, ModuleOp module) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  if (!module.lookupSymbol(zeroSymbol)) {
    OpBuilder top(module.getBodyRegion());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), zeroBytes);
    auto bytes = DenseElementsAttr::get(RankedTensorType::get({zeroBytes}, b.getI8Type()), b.getI8IntegerAttr(0));
    LLVM::GlobalOp::create(top, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, zeroSymbol, bytes,
                           /*alignment=*/zeroBytes, /*addrSpace=*/1);
  }
  return LLVM::AddressOfOp::create(b, loc, pointer, zeroSymbol);
}

void Emitter::emitLaneCopy(AsyncLoadOp op, int bytes) {
  BufferType buffer = op.getBuffer().getType();
  const TileInfo info = tileInfo(op.getPointer().getType());
  SharedAccess access(*this, sharedTile(buffer), /*transposed=*/false, scalar(op.getBuffer()),
                      elementType(buffer.getElementType()));
  int width = bytes * 8 / static_cast<int>(buffer.elementBits());
  // The hardware adds lane * bytes itself: the address is that of the wave.
  SmallVector<int64_t> waves;
  for (int bit = 0; bit < info.layout.inBits(InDim::Warp); ++bit)
    waves.push_back(access.offset(info.layout.basis(InDim::Warp, bit)));
  Value wave = linearCombination(warpInTask(), waves);
  Registers pointers = elements(op.getPointer());
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  Value zeros = masks.empty() ? Value() : zerosInMemory(b, loc, op->getParentOfType<ModuleOp>());
  // Waves that hold copies of the tile leave it to the first.
  Value first;
  if (uint64_t copies = info.layout.freeMask(InDim::Warp))
    first = equals(bitAnd(warpInTask(), i32(static_cast<int64_t>(copies))), 0);
  when(first, [&] {
    for (int i = 0; i < info.elementCount(); i += width) {
      Value source = pointers[i];
      if (!masks.empty())
        source = LLVM::SelectOp::create(b, loc, masks[masks.size() == 1 ? 0 : i], source, zeros);
      ROCDL::LoadToLDSOp::create(b, loc, source, access.address(info, wave, i), static_cast<uint32_t>(bytes),
                                 /*offset=*/0, /*aux=*/0, ArrayAttr(), ArrayAttr(), ArrayAttr());
    }
  });
}

/// Through registers: loaded and stored at once, so that nothing is left to wait for.
void Emitter::emitCopyThroughRegisters(AsyncLoadOp op) {
  BufferType buffer = op.getBuffer().getType();
  const TileInfo info = tileInfo(op.getPointer().getType());
  Type element = elementType(buffer.getElementType());
  SharedAccess access(*this, sharedTile(buffer), buffer.getLayout().getTransposed(), scalar(op.getBuffer()), element);
  Registers others = op.getOther() ? elements(op.getOther()) : Registers();
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  Registers held = loadElements(op, elements(op.getPointer()), masks, others, element, /*isVolatile=*/false);
  when(holdsFirstCopy(info.layout), [&] { access.store(info, held); });
}

/// AMD CDNA3 ISA, S_WAITCNT: vmcnt in bits 3:0 and 15:14; the other counters at their largest, which waits for nothing.
static uint32_t waitForCopies(int inFlight) {
  uint32_t count = std::min(inFlight, 63);
  return (count & 15) | (count >> 4) << 14 | 7u << 4 | 15u << 8;
}

bool Emitter::emitCopyByLanes(Operation *op) {
  if (auto load = dyn_cast<AsyncLoadOp>(op)) {
    if (auto bytes = op->getAttrOfType<IntegerAttr>("tlx.lane_bytes"))
      emitLaneCopy(load, static_cast<int>(bytes.getInt()));
    else
      emitCopyThroughRegisters(load);
    setValues(load.getToken(), {});
  } else if (isa<AsyncCommitOp>(op)) {
    setValues(op->getResult(0), {});
  } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
    auto inFlight = op->getAttrOfType<IntegerAttr>("tlx.in_flight");
    ROCDL::SWaitcntOp::create(b, loc, waitForCopies(inFlight ? static_cast<int>(inFlight.getInt()) : 0));
    setValues(wait.getToken(), {});
  } else {
    return false;
  }
  return true;
}

/// Tells LLVM that copies and loads from shared memory do not meet: what orders them are the waits and barriers here.
/// Without it LLVM waits for all copies in front of every load that it cannot tell apart from them.
void Emitter::separateCopiesFromLoads() {
  SmallVector<ROCDL::LoadToLDSOp> copies;
  function.walk([&](ROCDL::LoadToLDSOp copy) { copies.push_back(copy); });
  if (copies.empty())
    return;
  MLIRContext *context = b.getContext();
  auto domain = LLVM::AliasScopeDomainAttr::get(context, b.getStringAttr("tlx shared memory"));
  auto scope = [&](StringRef name) {
    return b.getArrayAttr({LLVM::AliasScopeAttr::get(domain, b.getStringAttr(name))});
  };
  ArrayAttr copied = scope("copies"), loaded = scope("loads");
  for (ROCDL::LoadToLDSOp copy : copies)
    copy.setAliasScopesAttr(copied);
  function.walk([&](LLVM::LoadOp load) {
    if (cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace() != 3)
      return;
    load.setAliasScopesAttr(loaded);
    load.setNoaliasScopesAttr(copied);
  });
}
