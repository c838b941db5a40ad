// Matrix products of single warps (mma.sync): operands from registers, or from shared memory step by step.
#include "MatrixReader.h"
#include "tlx/Dialect/WarpProducts.h"
#include "tlx/Layout/MmaLayouts.h"

using namespace mlir;
using namespace tlx;
using layout::InDim;

/// How PTX names the element type of an operand; empty when mma.sync has no such operand.
static StringRef operandType(Type type) {
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (type.isF32())
    return "tf32";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  return type.isInteger(8) ? "s8" : "";
}

static RankedTensorType tileOf(Value operand) {
  if (auto buffer = dyn_cast<BufferType>(operand.getType()))
    return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  return cast<RankedTensorType>(operand.getType());
}

namespace tlx {
/// The words of one operand, in the order of the layout that the instruction wants.
class MmaOperand {
public:
  MmaOperand(Emitter &emitter, Value operand, const layout::LinearLayout &held) {
    auto buffer = dyn_cast<BufferType>(operand.getType());
    if (!buffer) {
      words = emitter.asWords(emitter.values(operand));
      return;
    }
    const TileInfo info = emitter.tileInfo(withLayout(tileOf(operand), held));
    SharedAccess access(emitter, sharedTile(buffer), buffer.getLayout().getTransposed(), emitter.scalar(operand),
                        emitter.elementType(buffer.getElementType()));
    if (auto made = MatrixReader::create(access, info))
      reader.emplace(std::move(*made));
    // Where K lies across the rows, only elements of 16 bits come by matrices.
    if (!reader)
      words = emitter.asWords(access.load(info));
  }

  Value word(int index) { return reader ? reader->word(index) : words[index]; }

private:
  std::optional<MatrixReader> reader;
  Registers words;
};

/// The accumulators of one warp, four to an instruction.
class MmaEmission {
public:
  MmaEmission(Emitter &emitter, MmaDotOp op, layout::WarpGrid warps) : emitter(emitter), b(emitter.b), op(op) {
    RankedTensorType left = tileOf(op.getA()), right = tileOf(op.getB());
    int bits = static_cast<int>(left.getElementTypeBitWidth());
    int64_t m = left.getDimSize(0), n = right.getDimSize(1), k = left.getDimSize(1);
    a.emplace(emitter, op.getA(), layout::mmaOperandA(m, k, bits, warps));
    c.emplace(emitter, op.getB(), layout::mmaOperandB(k, n, bits, warps));
    steps = static_cast<int>(k / layout::mmaDepth(bits));
    rows = static_cast<int>(m / 16 / warps.rows);
    columns = static_cast<int>(n / 8 / warps.columns);
    sums = emitter.elements(op.getAcc());
    leftType = operandType(left.getElementType());
    rightType = operandType(right.getElementType());
  }

  Registers run() {
    read(0);
    // What the next step multiplies is on its way while this one does; K outermost, so that instructions that follow
    // each other do not wait for each other's sums.
    for (int step = 0; step < steps; ++step) {
      if (step + 1 < steps)
        read(step + 1);
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          multiply(step, row, column);
    }
    return sums;
  }

private:
  void read(int step) {
    for (int row = 0; row < rows; ++row)
      leftWords(step, row);
    for (int column = 0; column < columns; ++column)
      rightWords(step, column);
  }
  Registers leftWords(int step, int row) { return wordsOf(*a, (row * steps + step) * 4, 4); }
  Registers rightWords(int step, int column) { return wordsOf(*c, (column * steps + step) * 2, 2); }
  static Registers wordsOf(MmaOperand &operand, int first, int count) {
    Registers words;
    for (int index = 0; index < count; ++index)
      words.push_back(operand.word(first + index));
    return words;
  }
  void multiply(int step, int row, int column) {
    auto begin = sums.begin() + (row * columns + column) * 4;
    Registers part(begin, begin + 4);
    SmallVector<Type> types(4, part.front().getType());
    auto product = thread::MmaSyncOp::create(b, emitter.loc, types, part, leftWords(step, row),
                                             rightWords(step, column), leftType, rightType);
    llvm::copy(product.getResult(), begin);
  }

  Emitter &emitter;
  OpBuilder &b;
  MmaDotOp op;
  std::optional<MmaOperand> a, c;
  int steps, rows, columns;
  Registers sums;
  StringRef leftType, rightType;
};
} // namespace tlx

LogicalResult Emitter::emitMmaDot(MmaDotOp op) {
  Type left = tileOf(op.getA()).getElementType(), right = tileOf(op.getB()).getElementType();
  if (operandType(left).empty() || operandType(right).empty())
    return op.emitError() << "mma.sync has no product of elements of types " << left << " and " << right
                          << " [unsupported-dot-type]";
  int rows = static_cast<int>(op.getRowWarps()), columns = static_cast<int>(op.getColumnWarps());
  setElements(op.getResult(), MmaEmission(*this, op, {rows, columns, task.warps / (rows * columns)}).run());
  return success();
}
