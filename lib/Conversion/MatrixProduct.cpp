// Matrix products on Hopper's tensor cores (wgmma): operand descriptors, instruction by instruction.
#include "MatrixOperand.h"

#include "tlx/Dialect/TileOps.h"
#include "tlx/Dialect/WarpProducts.h"
#include "tlx/Layout/RegisterLayouts.h"

using namespace mlir;
using namespace tlx;
using layout::InDim;

static std::optional<thread::MmaType> operandType(Type type, bool isUnsigned) {
  if (type.isF16())
    return thread::MmaType::F16;
  if (type.isBF16())
    return thread::MmaType::BF16;
  if (type.isF32())
    return thread::MmaType::TF32;
  if (isa<Float8E4M3FNType>(type))
    return thread::MmaType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return thread::MmaType::E5M2;
  if (type.isInteger(8))
    return isUnsigned ? thread::MmaType::U8 : thread::MmaType::S8;
  return std::nullopt;
}

/// PTX ISA, wgmma.mma_async: bf16 and tf32 add up in f32, f16 and 8-bit floats in f32 or f16, integers in s32.
static std::optional<thread::MmaType> accumulatorType(Type type, Type element) {
  if (element.isInteger(8))
    return type.isInteger(32) ? std::optional(thread::MmaType::S32) : std::nullopt;
  if (type.isF32())
    return thread::MmaType::F32;
  bool canBeHalf = element.isF16() || isa<Float8E4M3FNType, Float8E5M2Type>(element);
  return type.isF16() && canBeHalf ? std::optional(thread::MmaType::F16) : std::nullopt;
}

static const char *accumulatorNames(Type element) {
  if (element.isInteger(8))
    return "32-bit integers";
  return element.isBF16() || element.isF32() ? "32-bit floats" : "32-bit or 16-bit floats";
}

MatrixOperand::MatrixOperand(Emitter &emitter, Value buffer, bool kIsRow) : emitter(emitter) {
  auto type = cast<BufferType>(buffer.getType());
  tile = sharedTile(type);
  elementBytes = type.elementBits() / 8;
  // Untransposed, the view's columns are consecutive in memory.
  kMajor = kIsRow == type.getLayout().getTransposed();
  Value address = LLVM::PtrToIntOp::create(emitter.b, emitter.loc, emitter.b.getI32Type(), emitter.scalar(buffer));
  // In a cluster the CTA's rank stands above the offset, where the descriptor has its leading byte offset.
  address = emitter.bitAnd(address, emitter.i32(0x3FFFF));
  start = LLVM::LShrOp::create(emitter.b, emitter.loc, address, emitter.i32(4));
}

int64_t MatrixOperand::offset(int64_t major, int64_t k) const {
  int64_t row = kMajor ? major : k, column = kMajor ? k : major;
  int64_t span = tile.swizzleBytes, bytes = column * elementBytes;
  // The hardware applies the swizzle itself, to address bits: steps inside a swizzled row are plain additions.
  return bytes / span * tile.panelRows * span + row * span + bytes % span;
}

void MatrixOperand::addRuntimeOffset(Value bytes) {
  start = emitter.add(start, LLVM::LShrOp::create(emitter.b, emitter.loc, bytes, emitter.i32(4)));
}

int64_t MatrixOperand::leadingBytes() const {
  // K-major with a swizzle: the leading offset is not used; 16 is what documents show.
  return kMajor ? 16 : tile.panelRows * tile.swizzleBytes;
}

Value MatrixOperand::descriptor(int64_t bytes, uint64_t fixed) const {
  OpBuilder &b = emitter.b;
  Value low = emitter.addConstant(start, bytes / 16);
  low = LLVM::OrOp::create(b, emitter.loc, low, emitter.i32(static_cast<int64_t>(fixed & 0xffffffff)));
  Value wide = LLVM::ZExtOp::create(b, emitter.loc, b.getI64Type(), low);
  Value high = LLVM::ConstantOp::create(b, emitter.loc, b.getI64Type(),
                                        b.getI64IntegerAttr(static_cast<int64_t>(fixed & 0xffffffff00000000ull)));
  return LLVM::OrOp::create(b, emitter.loc, wide, high);
}

/// PTX ISA, wgmma matrix descriptor: start address in bits 0-13, leading byte offset in 16-29, stride byte offset in
/// 32-45, swizzle mode in 62-63; all offsets in units of 16 bytes.
Value MatrixOperand::descriptor(int64_t bytes) const {
  uint64_t mode = tile.swizzleBytes == 128 ? 1 : tile.swizzleBytes == 64 ? 2 : 3;
  return descriptor(bytes, static_cast<uint64_t>(leadingBytes() / 16) << 16 |
                               static_cast<uint64_t>(strideBytes() / 16) << 32 | mode << 62);
}

/// Why a shared-memory operand cannot be one, or null.
static const char *operandProblem(BufferType type, bool kIsRow) {
  bool kMajor = kIsRow == type.getLayout().getTransposed();
  if (type.rank() != 2)
    return "is not two-dimensional";
  if (type.getLayout().getSwizzle() == 0)
    return "has rows that are not a multiple of 32 bytes";
  if (!kMajor && type.elementBits() != 16)
    return "has K across its rows, which the hardware does for 16-bit elements only";
  return nullptr;
}

static LogicalResult checkDot(AsyncDotOp op) {
  auto result = cast<RankedTensorType>(op.getType());
  int64_t m = result.getShape()[0], n = result.getShape()[1];
  Type element = op.getB().getType().getElementType(), leftType = op.getA().getType();
  auto leftBuffer = dyn_cast<BufferType>(leftType);
  Type left = leftBuffer ? leftBuffer.getElementType() : getElementTypeOrSelf(leftType);
  for (Type one : {left, element})
    if (!operandType(one, false))
      return op.emitError() << "wgmma has no product of elements of type " << one << " [unsupported-dot-type]";
  if (!accumulatorType(result.getElementType(), element))
    return op.emitError() << "the accumulator has type " << result.getElementType() << "; products of elements of type "
                          << element << " add up in " << accumulatorNames(element) << " [unsupported-dot-accumulator]";
  if (m % 64 != 0)
    return op.emitError() << "the product has " << m << " rows; wgmma needs a multiple of 64 [dot-shape]";
  if (n % 8 != 0 || (n > 256 && n % 256 != 0))
    return op.emitError() << "the product has " << n << " columns; wgmma takes multiples of 8 up to 256 [dot-shape]";
  if (const char *problem = operandProblem(op.getB().getType(), true))
    return op.emitError() << "the right operand " << problem << " [dot-operand-layout]";
  if (auto a = dyn_cast<BufferType>(op.getA().getType()))
    if (const char *problem = operandProblem(a, false))
      return op.emitError() << "the left operand " << problem << " [dot-operand-layout]";
  return success();
}

LogicalResult Emitter::emitAsyncDot(AsyncDotOp op) {
  if (failed(checkDot(op)))
    return failure();
  auto resultType = cast<RankedTensorType>(op.getType());
  const TileInfo info = tileInfo(resultType);
  int64_t m = info.shape[0], n = info.shape[1], k = op.getB().getType().getShape()[0];
  Type element = op.getB().getType().getElementType();
  Type leftElement = isa<BufferType>(op.getA().getType())
                         ? cast<BufferType>(op.getA().getType()).getElementType()
                         : cast<RankedTensorType>(op.getA().getType()).getElementType();
  int elementBits = element.getIntOrFloatBitWidth(), stepK = 256 / elementBits;
  if (k % stepK != 0)
    return op.emitError() << "the product sums over " << k << " elements; wgmma needs a multiple of " << stepK
                          << " for this type [dot-shape]";
  int64_t instructionN = std::min<int64_t>(n, 256);
  if (task.warps % 4 != 0 || task.firstWarp % 4 != 0)
    return op.emitError() << "wgmma is issued by whole warp groups; this task has " << task.warps << " warps from warp "
                          << task.firstWarp << " on [dot-warp-group]";
  layout::WarpGroupGrid grid = layout::wgmmaWarpGroups(m, n, task.warps, instructionN);
  MatrixOperand right(*this, op.getB(), /*kIsRow=*/true);
  std::optional<MatrixOperand> left;
  Registers words;
  if (isa<BufferType>(op.getA().getType())) {
    left.emplace(*this, op.getA(), /*kIsRow=*/false);
    // Warp groups split the rows of the product.
    SmallVector<int64_t> groupRows(2, 0);
    for (int bit = 2; bit < info.layout.inBits(InDim::Warp); ++bit)
      groupRows.push_back(left->offset(info.layout.basis(InDim::Warp, bit)[0], 0));
    if (grid.rows > 1)
      left->addRuntimeOffset(linearCombination(warpInTask(), groupRows));
  } else {
    Registers held = values(op.getA());
    words = asWords(held);
  }
  if (grid.columns > 1) {
    SmallVector<int64_t> groupColumns(2, 0);
    for (int bit = 2; bit < info.layout.inBits(InDim::Warp); ++bit)
      groupColumns.push_back(right.offset(info.layout.basis(InDim::Warp, bit)[1], 0));
    right.addRuntimeOffset(linearCombination(warpInTask(), groupColumns));
  }

  Registers accumulator;
  if (op.getAcc())
    accumulator = values(op.getAcc());
  else
    for (Type type : emittedTypes(resultType))
      accumulator.push_back(LLVM::UndefOp::create(b, loc, type));
  Value firstScale = op.getAcc() ? op.getUseAcc() ? scalar(op.getUseAcc()) : i1(true) : i1(false);

  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  int perInstruction = static_cast<int>(instructionN / 2), steps = static_cast<int>(k / stepK);
  thread::MmaType sumType = *accumulatorType(resultType.getElementType(), element);
  thread::MmaType leftType = *operandType(leftElement, op->hasAttr("tlx.unsigned_a")),
                  rightType = *operandType(element, op->hasAttr("tlx.unsigned_b"));
  for (int first = 0; first < info.elementCount(); first += perInstruction) {
    layout::Coords at = info.coords(first);
    auto partBegin = accumulator.begin() + first / info.pack;
    Registers part(partBegin, partBegin + perInstruction / info.pack);
    for (int step = 0; step < steps; ++step) {
      Registers a;
      if (left)
        a = {left->descriptor(left->offset(at[0], step * stepK))};
      else
        for (int word = 0; word < 4; ++word)
          a.push_back(words[(at[0] / (64 * grid.rows) * steps + step) * 4 + word]);
      Value bDescriptor = right.descriptor(right.offset(at[1], step * stepK));
      bool transA = left && !left->kMajor;
      auto issued =
          thread::WgmmaOp::create(b, loc, SmallVector<Type>(part.size(), part.front().getType()), part, a, bDescriptor,
                                  step == 0 ? firstScale : i1(true), static_cast<uint32_t>(instructionN),
                                  static_cast<uint32_t>(stepK), sumType, leftType, rightType, transA, !right.kMajor);
      part.assign(issued.getResult().begin(), issued.getResult().end());
    }
    std::copy(part.begin(), part.end(), partBegin);
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  setValues(op.getResult(), accumulator);
  return success();
}

FailureOr<bool> Emitter::emitMatrix(Operation *op) {
  if (auto dot = dyn_cast<FmaDotOp>(op)) {
    if (failed(emitFmaDot(dot)))
      return failure();
    return true;
  }
  if (auto dot = dyn_cast<MmaDotOp>(op)) {
    if (failed(emitMmaDot(dot)))
      return failure();
    return true;
  }
  if (auto dot = dyn_cast<AsyncDotOp>(op)) {
    if (failed(emitAsyncDot(dot)))
      return failure();
    return true;
  }
  if (auto wait = dyn_cast<AsyncDotWaitOp>(op)) {
    Registers &held = values(wait.getSource());
    SmallVector<Type> types;
    for (Value value : held)
      types.push_back(value.getType());
    auto done = thread::WgmmaWaitOp::create(b, loc, types, wait.getPendings(), held);
    setValues(wait.getResult(), Registers(done.getResult().begin(), done.getResult().end()));
    return true;
  }
  return false;
}
