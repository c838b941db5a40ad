// Matrix products of Blackwell's tensor cores (tcgen05.mma): one thread issues, descriptors say what.
#include "MatrixOperand.h"
#include "TensorMemoryAccess.h"

#include "tlx/Arch/MatrixDescriptors.h"

using namespace mlir;
using namespace tlx;

namespace {
struct ElementKind {
  thread::Tcgen05Kind kind;
  Tcgen05Type code;
};
} // namespace

static std::optional<ElementKind> kindOf(Type type, bool isUnsigned = false) {
  using thread::Tcgen05Kind;
  if (type.isF16())
    return ElementKind{Tcgen05Kind::F16, Tcgen05Type::F16};
  if (type.isBF16())
    return ElementKind{Tcgen05Kind::F16, Tcgen05Type::BF16};
  if (type.isF32())
    return ElementKind{Tcgen05Kind::TF32, Tcgen05Type::TF32};
  if (isa<Float8E4M3FNType>(type))
    return ElementKind{Tcgen05Kind::F8F6F4, Tcgen05Type::E4M3};
  if (isa<Float8E5M2Type>(type))
    return ElementKind{Tcgen05Kind::F8F6F4, Tcgen05Type::E5M2};
  if (type.isInteger(8))
    return ElementKind{Tcgen05Kind::I8, isUnsigned ? Tcgen05Type::U8 : Tcgen05Type::S8};
  return std::nullopt;
}

static Type elementOf(Value operand) {
  if (auto shared = dyn_cast<BufferType>(operand.getType()))
    return shared.getElementType();
  return cast<tmem::BufferType>(operand.getType()).getElementType();
}

static ArrayRef<int64_t> shapeOf(Value operand) {
  if (auto shared = dyn_cast<BufferType>(operand.getType()))
    return shared.getShape();
  return cast<tmem::BufferType>(operand.getType()).getShape();
}

/// Why a shared-memory operand cannot be one, or null.
static const char *operandProblem(Value operand, bool kIsRow) {
  auto type = dyn_cast<BufferType>(operand.getType());
  if (!type)
    return nullptr;
  if (type.rank() != 2)
    return "is not two-dimensional";
  if (type.getLayout().getSwizzle() == 0)
    return "has rows that are not a multiple of 32 bytes";
  bool kMajor = kIsRow == type.getLayout().getTransposed();
  // PTX ISA: MN-major tf32 needs the swizzle with 32-byte atoms, which tensor maps here do not make.
  if (!kMajor && type.elementBits() == 32)
    return "has K across its rows, which 32-bit elements cannot have here";
  return nullptr;
}

static LogicalResult checkDot(tmem::DotOp op) {
  Type a = elementOf(op.getA()), right = elementOf(op.getB());
  auto aKind = kindOf(a), bKind = kindOf(right);
  if (!aKind || !bKind || aKind->kind != bKind->kind)
    return op.emitError() << "the tensor cores have no product of elements of types " << a << " and " << right
                          << " [unsupported-dot-type]";
  bool areIntegers = a.isInteger(8);
  Type sum = op.getD().getType().getElementType();
  if (areIntegers ? !sum.isInteger(32) : !sum.isF32())
    return op.emitError() << "the accumulator has type " << sum << "; supported is a 32-bit "
                          << (areIntegers ? "integer" : "float") << " [unsupported-dot-accumulator]";
  int64_t m = shapeOf(op.getD())[0], n = shapeOf(op.getD())[1], k = shapeOf(op.getB())[0];
  bool pair = op.getTwoCtas();
  if (pair && m != 128)
    return op.emitError() << "a product of a pair of CTAs has 128 rows in each; this one has " << m << " [dot-shape]";
  // PTX ISA, tcgen05.mma: of integers 8 columns are the only number that 16 does not divide.
  int64_t unit = pair ? 32 : m == 64 && (!areIntegers || n == 8) ? 8 : 16;
  if (n % unit != 0 || (n > 256 && (pair || n % 256 != 0)))
    return op.emitError() << "the product has " << n << " columns; with " << m
                          << " rows the tensor cores take multiples of " << unit << " up to 256 [dot-shape]";
  int64_t step = 256 / a.getIntOrFloatBitWidth();
  if (k % step != 0)
    return op.emitError() << "the product sums over " << k << " elements; the tensor cores need a multiple of " << step
                          << " for this type [dot-shape]";
  if (const char *problem = operandProblem(op.getB(), true))
    return op.emitError() << "the right operand " << problem << " [dot-operand-layout]";
  if (const char *problem = operandProblem(op.getA(), false))
    return op.emitError() << "the left operand " << problem << " [dot-operand-layout]";
  return success();
}

static uint64_t fixedBits(const MatrixOperand &operand) {
  Tcgen05Operand fields;
  fields.leading = static_cast<uint32_t>(operand.leadingBytes());
  fields.stride = static_cast<uint32_t>(operand.strideBytes());
  fields.swizzle = static_cast<unsigned>(operand.tile.swizzleBytes);
  return fields.encode();
}

Value TensorMemoryAccess::issues(Emitter &emitter, Value predicate, bool pair) {
  Value condition = predicate ? emitter.scalar(predicate) : Value();
  if (pair) {
    Value rank = NVVM::ClusterId::create(emitter.b, emitter.loc, emitter.b.getI32Type());
    Value isEven = emitter.equals(emitter.bitAnd(rank, emitter.i32(1)), 0);
    condition = condition ? emitter.bitAnd(condition, isEven) : isEven;
  }
  return emitter.isLeader(condition);
}

void TensorMemoryAccess::emitCommit(Emitter &emitter, Value barrier, bool pair) {
  OpBuilder &b = emitter.b;
  Value mask;
  if (pair) {
    // Both CTAs of the pair hear of it, each on its own barrier.
    Value rank = NVVM::ClusterId::create(b, emitter.loc, b.getI32Type());
    Value both = LLVM::ShlOp::create(b, emitter.loc, emitter.i32(3), emitter.bitAnd(rank, emitter.i32(~1)));
    mask = LLVM::TruncOp::create(b, emitter.loc, b.getI16Type(), both);
  }
  bool kernelPair = emitter.kernel->hasAttr("tlx.tmem_pair");
  thread::Tcgen05CommitOp::create(b, emitter.loc, emitter.scalar(barrier), mask, kernelPair);
}

LogicalResult TensorMemoryAccess::emitDot(Emitter &emitter, tmem::DotOp op) {
  if (failed(checkDot(op)))
    return failure();
  OpBuilder &b = emitter.b;
  Location loc = emitter.loc;
  bool pair = op.getTwoCtas();
  if (!pair && emitter.kernel->hasAttr("tlx.tmem_pair"))
    return op.emitError("products of one CTA and of a pair do not mix in a kernel; give all of them `two_ctas` "
                        "[unsupported-dot-operand]");
  int64_t m = shapeOf(op.getD())[0], n = shapeOf(op.getD())[1], k = shapeOf(op.getB())[0];
  Type element = elementOf(op.getA());
  ElementKind kind = *kindOf(element, op->hasAttr("tlx.unsigned_a"));
  int64_t bits = element.getIntOrFloatBitWidth(), stepK = 256 / bits, instructionN = std::min<int64_t>(n, 256);
  emitter.when(issues(emitter, op.getPredicate(), pair), [&] {
    MatrixOperand right(emitter, op.getB(), /*kIsRow=*/true);
    std::optional<MatrixOperand> left;
    if (isa<BufferType>(op.getA().getType()))
      left.emplace(emitter, op.getA(), /*kIsRow=*/false);
    Tcgen05Instruction fields;
    fields.aType = kind.code;
    fields.bType = kindOf(elementOf(op.getB()), op->hasAttr("tlx.unsigned_b"))->code;
    fields.isInteger = kind.kind == thread::Tcgen05Kind::I8;
    fields.transposeA = left && !left->kMajor;
    fields.transposeB = !right.kMajor;
    fields.m = static_cast<unsigned>(pair ? 2 * m : m);
    fields.n = static_cast<unsigned>(instructionN);
    Value instruction = emitter.i32(static_cast<int64_t>(fields.encode()));
    Value first = op.getUseAcc() ? emitter.scalar(op.getUseAcc()) : emitter.i1(true);
    for (int64_t column = 0; column < n; column += instructionN)
      for (int64_t inner = 0; inner < k; inner += stepK) {
        Value a = left ? left->descriptor(left->offset(0, inner), fixedBits(*left))
                       : emitter.addConstant(emitter.scalar(op.getA()), inner * bits / 32);
        int64_t rightColumn = pair ? column / 2 : column;
        thread::Tcgen05MmaOp::create(b, loc, kind.kind, emitter.addConstant(emitter.scalar(op.getD()), column), a,
                                     right.descriptor(right.offset(rightColumn, inner), fixedBits(right)), instruction,
                                     inner == 0 ? first : emitter.i1(true), pair);
      }
    for (Value barrier : op.getBarriers())
      emitCommit(emitter, barrier, pair);
  });
  return success();
}

LogicalResult TensorMemoryAccess::emitProduct(Emitter &emitter, Operation *op) {
  if (auto dot = dyn_cast<tmem::DotOp>(op))
    return emitDot(emitter, dot);
  if (auto dot = dyn_cast<tmem::ScaledDotOp>(op))
    return emitScaledDot(emitter, dot);
  if (auto copy = dyn_cast<tmem::CopyScalesOp>(op))
    return emitCopyScales(emitter, copy);
  auto commit = cast<tmem::CommitOp>(op);
  bool pair = commit.getTwoCtas();
  emitter.when(issues(emitter, commit.getPredicate(), pair), [&] { emitCommit(emitter, commit.getBarrier(), pair); });
  return success();
}
