// Matrix products by AMD's matrix instructions, and what only kernels for them say to the scheduler.
#include "Emitter.h"
#include "tlx/Dialect/AMD.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace tlx;

/// "fp8" or "bf8": how instructions name 8-bit floats, OCP's and the others alike.
static StringRef float8Name(Type type) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType>(type) ? "fp8" : "bf8";
}

/// The ROCDL operation that multiplies elements of these types; empty when there is none.
static std::string instructionName(int tile, int depth, Type first, Type second) {
  std::string size = std::to_string(tile) + "x" + std::to_string(tile) + "x" + std::to_string(depth);
  int shallow = tile == 32 ? 8 : 16;
  if (first.isInteger(8))
    return "rocdl.mfma.i32." + size + ".i8";
  if (first.isF16())
    return "rocdl.mfma.f32." + size + (depth == shallow ? "f16" : ".f16");
  if (first.isBF16())
    return "rocdl.mfma.f32." + size + (depth == shallow ? "bf16.1k" : ".bf16");
  if (first.isF32())
    return "rocdl.mfma.f32." + size + "f32";
  if (isFloat8(first) && isFloat8(second))
    return ("rocdl.mfma.f32." + size + "." + float8Name(first) + "." + float8Name(second)).str();
  return {};
}

/// How an instruction takes `count` elements of a lane: f16 and deep bf16 as vectors, shallow bf16 as i16, bytes in
/// words, f32 alone.
static Type fragmentType(OpBuilder &b, Type element, int count) {
  if (element.isF32())
    return element;
  if (element.isF16())
    return VectorType::get({count}, element);
  if (element.isBF16())
    return VectorType::get({count}, count == 4 ? Type(b.getIntegerType(16)) : element);
  return count == 8 ? Type(b.getI64Type()) : VectorType::get({count / 4}, b.getI32Type());
}

namespace {
/// One operand as the instructions take it.
class Fragments {
public:
  Fragments(OpBuilder &b, Location loc, ArrayRef<Value> elements, int perInstruction, Type type) {
    for (size_t first = 0; first < elements.size(); first += perInstruction) {
      if (perInstruction == 1) {
        list.push_back(elements[first]);
        continue;
      }
      Value vector = LLVM::PoisonOp::create(b, loc, VectorType::get({perInstruction}, elements[first].getType()));
      for (int i = 0; i < perInstruction; ++i) {
        Value index = LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(i));
        vector = LLVM::InsertElementOp::create(b, loc, vector, elements[first + i], index);
      }
      list.push_back(vector.getType() == type ? vector : LLVM::BitcastOp::create(b, loc, type, vector));
    }
  }
  Value operator[](int index) const { return list[index]; }
  int size() const { return static_cast<int>(list.size()); }

private:
  SmallVector<Value> list;
};
} // namespace

LogicalResult Emitter::emitMfmaDot(MfmaDotOp op) {
  auto elementOf = [](Value tile) { return cast<RankedTensorType>(tile.getType()).getElementType(); };
  Type left = elementOf(op.getA()), right = elementOf(op.getB());
  int tile = static_cast<int>(op.getTile()), depth = static_cast<int>(op.getDepth());
  // D is computed transposed: B comes first.
  std::string name = instructionName(tile, depth, right, left);
  if (name.empty())
    return op.emitError() << "no matrix instruction multiplies elements of types " << left << " and " << right
                          << " [unsupported-dot-type]";
  int perLane = depth * tile / 64, results = tile * tile / 64;
  Registers leftElements = elements(op.getA()), rightElements = elements(op.getB()), sums = elements(op.getAcc());
  Fragments a(b, loc, leftElements, perLane, fragmentType(b, left, perLane));
  Fragments c(b, loc, rightElements, perLane, fragmentType(b, right, perLane));
  Type resultType = VectorType::get({results}, sums[0].getType());
  Fragments d(b, loc, sums, results, resultType);
  int steps = static_cast<int>(cast<RankedTensorType>(op.getA().getType()).getDimSize(1)) / depth;
  int rowBlocks = a.size() / steps, columnBlocks = c.size() / steps;
  Registers blocks;
  for (int i = 0; i < rowBlocks * columnBlocks; ++i)
    blocks.push_back(d[i]);
  Value none = i32(0);
  // K outermost: instructions that follow each other do not wait for each other's sums.
  for (int step = 0; step < steps; ++step)
    for (int row = 0; row < rowBlocks; ++row)
      for (int column = 0; column < columnBlocks; ++column) {
        Value &block = blocks[row * columnBlocks + column];
        OperationState state(loc, name);
        state.addOperands({c[column * steps + step], a[row * steps + step], block, none, none, none});
        state.addTypes(resultType);
        block = b.create(state)->getResult(0);
      }
  Registers emitted;
  for (Value block : blocks)
    for (int i = 0; i < results; ++i)
      emitted.push_back(LLVM::ExtractElementOp::create(b, loc, block, i32(i)));
  setElements(op.getResult(), emitted);
  return success();
}

FailureOr<bool> Emitter::emitAMD(Operation *op) {
  if (auto dot = dyn_cast<MfmaDotOp>(op)) {
    if (failed(emitMfmaDot(dot)))
      return failure();
  } else if (auto barrier = dyn_cast<SchedulingBarrierOp>(op)) {
    ROCDL::SchedBarrier::create(b, loc, barrier.getMask());
  } else if (auto stage = dyn_cast<StageOp>(op)) {
    ROCDL::SchedBarrier::create(b, loc, 0);
    if (op->hasAttr("tlx.meets")) {
      machine->blockBarrier(b, loc);
      ROCDL::SchedBarrier::create(b, loc, 0);
    }
    if (static_cast<int32_t>(stage.getPriority()) >= 0)
      ROCDL::SetPrioOp::create(b, loc, static_cast<uint16_t>(stage.getPriority()));
  } else {
    return false;
  }
  return true;
}
