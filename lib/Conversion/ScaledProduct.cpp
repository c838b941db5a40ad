// Block-scaled products of Blackwell's tensor cores (tcgen05.mma.block_scale), and copies of scales to tensor memory.
#include "MatrixOperand.h"
#include "TensorMemoryAccess.h"

#include "tlx/Arch/MatrixDescriptors.h"

using namespace mlir;
using namespace tlx;

/// Bytes of K that one instruction multiplies.
constexpr int64_t stepBytes = 32;
/// Columns of tensor memory with the scales of 128 rows and four blocks of K, and their bytes in shared memory.
constexpr int64_t atomColumns = 4, atomBytes = 512;

namespace {
/// What the formats and scales of a product mean.
struct ScaledForm {
  thread::Tcgen05ScaledKind kind;
  bool isPairs;
  /// Elements that share a scale.
  int64_t block;

  explicit ScaledForm(tmem::ScaledDotOp op) {
    isPairs = op.getAFormat() == "e2m1";
    block = isa<Float8E4M3FNType>(op.getAScale().getType().getElementType()) ? 16 : 32;
    using thread::Tcgen05ScaledKind;
    kind = !isPairs ? Tcgen05ScaledKind::MXF8F6F4 : block == 32 ? Tcgen05ScaledKind::MXF4 : Tcgen05ScaledKind::MXF4NVF4;
  }
  int64_t stepElements() const { return isPairs ? 2 * stepBytes : stepBytes; }
  int64_t scalesPerStep() const { return stepElements() / block; }
};
} // namespace

static Tcgen05Type codeOf(StringRef format) {
  return format == "e4m3" ? Tcgen05Type::E4M3 : format == "e5m2" ? Tcgen05Type::E5M2 : Tcgen05Type::E2M1;
}

/// Why a buffer cannot be an operand, or null.
static const char *operandProblem(BufferType type, bool kIsRow, bool isPairs) {
  if (type.rank() != 2)
    return "is not two-dimensional";
  if (type.getLayout().getSwizzle() == 0)
    return "has rows that are not a multiple of 32 bytes";
  // PTX ISA, tcgen05.mma: kinds mxf4 and mxf4nvf4 have no bits for the order.
  if (isPairs && kIsRow != type.getLayout().getTransposed())
    return "has K across its rows, which elements of 4 bits cannot have";
  return nullptr;
}

static LogicalResult checkDot(tmem::ScaledDotOp op) {
  if (!op.getD().getType().getElementType().isF32())
    return op.emitError() << "the accumulator has type " << op.getD().getType().getElementType()
                          << "; block-scaled products add up in a 32-bit float [unsupported-dot-accumulator]";
  int64_t n = op.getD().getType().getShape()[1];
  if (n % 16 != 0 || (n > 256 && n % 256 != 0))
    return op.emitError() << "the product has " << n
                          << " columns; block-scaled products take multiples of 16 up to 256 [dot-shape]";
  bool isPairs = ScaledForm(op).isPairs;
  if (const char *problem = operandProblem(op.getB().getType(), true, isPairs))
    return op.emitError() << "the right operand " << problem << " [dot-operand-layout]";
  if (const char *problem = operandProblem(op.getA().getType(), false, isPairs))
    return op.emitError() << "the left operand " << problem << " [dot-operand-layout]";
  return success();
}

static uint64_t fixedBits(int64_t leading, int64_t stride, int swizzle) {
  Tcgen05Operand fields;
  fields.leading = static_cast<uint32_t>(leading);
  fields.stride = static_cast<uint32_t>(stride);
  fields.swizzle = static_cast<unsigned>(swizzle);
  return fields.encode();
}

static Value operandDescriptor(const MatrixOperand &operand, int64_t major, int64_t bytesOfK) {
  return operand.descriptor(operand.offset(major, bytesOfK),
                            fixedBits(operand.leadingBytes(), operand.strideBytes(), operand.tile.swizzleBytes));
}

/// Columns from the first scale of an operand to those of block `block` of K; `rows` of the operand further.
static int64_t scaleColumn(tmem::BufferType scales, int64_t block, int64_t rows) {
  return atomColumns * scales.rowAtoms() * (block / 4) + rows / 32;
}

void TensorMemoryAccess::emitScaledProducts(Emitter &emitter, tmem::ScaledDotOp op) {
  OpBuilder &b = emitter.b;
  Location loc = emitter.loc;
  ScaledForm form(op);
  MatrixOperand left(emitter, op.getA(), /*kIsRow=*/false), right(emitter, op.getB(), /*kIsRow=*/true);
  int64_t n = op.getD().getType().getShape()[1], bytesOfK = op.getB().getType().getShape()[0];
  Tcgen05ScaledInstruction fields;
  fields.aType = codeOf(op.getAFormat());
  fields.bType = codeOf(op.getBFormat());
  fields.transposeA = !left.kMajor;
  fields.transposeB = !right.kMajor;
  fields.m = static_cast<unsigned>(op.getD().getType().getShape()[0]);
  fields.n = static_cast<unsigned>(std::min<int64_t>(n, 256));
  fields.exponentScales = form.block == 32;
  Value first = op.getUseAcc() ? emitter.scalar(op.getUseAcc()) : emitter.i1(true);
  for (int64_t column = 0; column < n; column += fields.n)
    for (int64_t inner = 0; inner < bytesOfK; inner += stepBytes) {
      int64_t block = inner / stepBytes * form.scalesPerStep();
      fields.aScale = fields.bScale = static_cast<unsigned>(block % 4);
      auto scale = [&](TypedValue<tmem::BufferType> scales, int64_t rows) {
        return emitter.addConstant(emitter.scalar(scales), scaleColumn(scales.getType(), block, rows));
      };
      thread::Tcgen05ScaledMmaOp::create(b, loc, form.kind, static_cast<uint32_t>(form.block),
                                         emitter.addConstant(emitter.scalar(op.getD()), column),
                                         operandDescriptor(left, 0, inner), operandDescriptor(right, column, inner),
                                         emitter.i32(static_cast<int64_t>(fields.encode())), scale(op.getAScale(), 0),
                                         scale(op.getBScale(), column), inner == 0 ? first : emitter.i1(true));
    }
}

/// An operation for a pair of CTAs makes all of the kernel such (PTX ISA, tcgen05, cta_group).
LogicalResult TensorMemoryAccess::refusePair(Emitter &emitter, Operation *op) {
  if (!emitter.kernel->hasAttr("tlx.tmem_pair"))
    return success();
  return op->emitError("block-scaled products of one CTA and products of a pair do not mix in a kernel "
                       "[unsupported-dot-operand]");
}

LogicalResult TensorMemoryAccess::emitScaledDot(Emitter &emitter, tmem::ScaledDotOp op) {
  if (failed(checkDot(op)) || failed(refusePair(emitter, op)))
    return failure();
  emitter.when(issues(emitter, op.getPredicate(), /*pair=*/false), [&] {
    emitScaledProducts(emitter, op);
    for (Value barrier : op.getBarriers())
      emitCommit(emitter, barrier, /*pair=*/false);
  });
  return success();
}

LogicalResult TensorMemoryAccess::emitCopyScales(Emitter &emitter, tmem::CopyScalesOp op) {
  if (failed(refusePair(emitter, op)))
    return failure();
  emitter.when(issues(emitter, op.getPredicate(), /*pair=*/false), [&] {
    MatrixOperand source(emitter, op.getSource(), /*kIsRow=*/false);
    tmem::BufferType scales = op.getDestination().getType();
    // Rows of 16 bytes, 8 of them to a core matrix.
    uint64_t fixed = fixedBits(0, 128, 0);
    for (int64_t rows = 0; rows < scales.rowAtoms(); ++rows)
      for (int64_t depth = 0; depth < scales.depthAtoms(); ++depth) {
        int64_t column = atomColumns * (depth * scales.rowAtoms() + rows);
        Value address = emitter.addConstant(emitter.scalar(op.getDestination()), column);
        int64_t bytes = (rows * scales.depthAtoms() + depth) * atomBytes;
        thread::Tcgen05CopyOp::create(emitter.b, emitter.loc, address, source.descriptor(bytes, fixed));
      }
  });
  return success();
}
