// Matrix products without tensor cores: each thread multiplies for its own elements of the result, in order of K, with
// both operands in shared memory.
#include "SharedAccess.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using layout::Coords;

namespace {
/// One operand, whose tile has the result's axes but for one, which is K.
struct FmaOperand {
  FmaOperand(SharedAccess access, bool isLeft) : access(std::move(access)), isLeft(isLeft) {}

  /// Offset of the element that goes with these coordinates of the result, at K = `k`.
  int64_t offset(ArrayRef<int32_t> result, int64_t k) const {
    Coords coords(result.begin(), result.end());
    coords[coords.size() - (isLeft ? 1 : 2)] = static_cast<int32_t>(k);
    return access.offset(coords);
  }

  SharedAccess access;
  bool isLeft;
};
} // namespace

/// 16-bit and narrower floats multiply as f32, narrow integers as i32.
static Value widened(OpBuilder &b, Location loc, Value value, Type accumulator, Type source) {
  Type type = value.getType();
  if (type == accumulator)
    return value;
  if (isa<FloatType>(type))
    return LLVM::FPExtOp::create(b, loc, accumulator, value);
  bool isUnsigned = source.isUnsignedInteger();
  return isUnsigned ? Value(LLVM::ZExtOp::create(b, loc, accumulator, value))
                    : Value(LLVM::SExtOp::create(b, loc, accumulator, value));
}

static Value multiplyAdd(OpBuilder &b, Location loc, Value a, Value c, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return LLVM::FMAOp::create(b, loc, a, c, sum);
  return LLVM::AddOp::create(b, loc, LLVM::MulOp::create(b, loc, a, c), sum);
}

LogicalResult Emitter::emitFmaDot(FmaDotOp op) {
  const TileInfo info = tileInfo(op.getType());
  auto operand = [&](Value buffer, bool isLeft) {
    auto type = cast<BufferType>(buffer.getType());
    return FmaOperand(SharedAccess(*this, sharedTile(type), type.getLayout().getTransposed(), scalar(buffer),
                                   elementType(type.getElementType())),
                      isLeft);
  };
  FmaOperand left = operand(op.getA(), true), right = operand(op.getB(), false);
  int64_t depth = op.getA().getType().getShape().back();
  Type accumulator = info.element;
  if (isa<FloatType>(accumulator) && accumulator.getIntOrFloatBitWidth() < 32)
    accumulator = b.getF32Type();
  Registers sums = elements(op.getAcc());
  for (Value &sum : sums)
    if (sum.getType() != accumulator)
      sum = LLVM::FPExtOp::create(b, loc, accumulator, sum);
  // Threads with copies of an element compute copies of the sum.
  auto threadOf = [&](const FmaOperand &side) {
    return threadPart(info.layout, [&](ArrayRef<int32_t> coords) { return side.offset(coords, 0); });
  };
  Value leftThread = threadOf(left), rightThread = threadOf(right);
  // K goes on by a loop whose body holds a few steps: code for all of a long K would be larger than the cache.
  int64_t steps = std::min<int64_t>(depth, 8);
  Coords origin(info.layout.rank(), 0);
  int64_t leftStride = left.offset(origin, steps % depth), rightStride = right.offset(origin, steps % depth);
  Block *header = nullptr, *exit = nullptr;
  Value k;
  if (steps < depth) {
    header = new Block(), exit = new Block();
    function.getBody().push_back(header);
    Registers entering{i32(0)};
    llvm::append_range(entering, sums);
    LLVM::BrOp::create(b, loc, entering, header);
    k = header->addArgument(b.getI32Type(), loc);
    for (Value &sum : sums)
      sum = header->addArgument(accumulator, loc);
    b.setInsertionPointToStart(header);
  }
  auto load = [&](const FmaOperand &side, Value thread, int64_t stride, int element, int64_t step,
                  llvm::DenseMap<int64_t, Value> &known, Type source) {
    int64_t constant = side.offset(info.coords(element), step);
    Value &value = known[constant];
    if (value)
      return value;
    Value place = constant ? bitXor(thread, i32(constant)) : thread;
    if (k)
      place = add(place, LLVM::MulOp::create(b, loc, k, i32(stride)));
    Value one = LLVM::LoadOp::create(b, loc, side.access.element, offsetPointer(side.access.base, place),
                                     storedBytes(side.access.element));
    return value = widened(b, loc, one, accumulator, source);
  };
  Type leftType = op.getA().getType().getElementType(), rightType = op.getB().getType().getElementType();
  for (int64_t step = 0; step < steps; ++step) {
    llvm::DenseMap<int64_t, Value> rows, columns;
    for (int i = 0; i < info.elementCount(); ++i) {
      Value a = load(left, leftThread, leftStride, i, step, rows, leftType);
      Value c = load(right, rightThread, rightStride, i, step, columns, rightType);
      sums[i] = multiplyAdd(b, loc, a, c, sums[i]);
    }
  }
  if (header) {
    Value next = addConstant(k, 1);
    Registers again{next};
    llvm::append_range(again, sums);
    function.getBody().push_back(exit);
    for (size_t i = 0; i < sums.size(); ++i)
      exit->addArgument(accumulator, loc);
    LLVM::CondBrOp::create(b, loc, less(next, depth / steps), header, again, exit, sums);
    sums.assign(exit->args_begin(), exit->args_end());
    b.setInsertionPointToStart(exit);
  }
  for (Value &sum : sums)
    if (accumulator != info.element)
      sum = LLVM::FPTruncOp::create(b, loc, info.element, sum);
  setElements(op.getResult(), sums);
  return success();
}
