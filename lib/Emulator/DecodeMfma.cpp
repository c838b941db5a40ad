// AMD's matrix products: which there are, on which target, and how their operands are packed.
#include "Decoder.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace tlx::emu {
namespace {

constexpr uint8_t on942 = 1, on950 = 2, onBoth = 3;

struct Product {
  const char *name;
  unsigned m, n, k, blocks;
  MfmaType a, b;
  uint8_t machines;
};

/// CDNA3 and CDNA4 ISA, matrix arithmetic instructions.
const Product products[] = {
    {"f32.32x32x1f32", 32, 32, 1, 2, MfmaType::F32, MfmaType::F32, onBoth},
    {"f32.16x16x1f32", 16, 16, 1, 4, MfmaType::F32, MfmaType::F32, onBoth},
    {"f32.4x4x1f32", 4, 4, 1, 16, MfmaType::F32, MfmaType::F32, onBoth},
    {"f32.32x32x2f32", 32, 32, 2, 1, MfmaType::F32, MfmaType::F32, onBoth},
    {"f32.16x16x4f32", 16, 16, 4, 1, MfmaType::F32, MfmaType::F32, onBoth},
    {"f32.32x32x4f16", 32, 32, 4, 2, MfmaType::F16, MfmaType::F16, onBoth},
    {"f32.16x16x4f16", 16, 16, 4, 4, MfmaType::F16, MfmaType::F16, onBoth},
    {"f32.4x4x4f16", 4, 4, 4, 16, MfmaType::F16, MfmaType::F16, onBoth},
    {"f32.32x32x8f16", 32, 32, 8, 1, MfmaType::F16, MfmaType::F16, onBoth},
    {"f32.16x16x16f16", 16, 16, 16, 1, MfmaType::F16, MfmaType::F16, onBoth},
    {"f32.32x32x4bf16.1k", 32, 32, 4, 2, MfmaType::BF16, MfmaType::BF16, onBoth},
    {"f32.16x16x4bf16.1k", 16, 16, 4, 4, MfmaType::BF16, MfmaType::BF16, onBoth},
    {"f32.4x4x4bf16.1k", 4, 4, 4, 16, MfmaType::BF16, MfmaType::BF16, onBoth},
    {"f32.32x32x8bf16.1k", 32, 32, 8, 1, MfmaType::BF16, MfmaType::BF16, onBoth},
    {"f32.16x16x16bf16.1k", 16, 16, 16, 1, MfmaType::BF16, MfmaType::BF16, onBoth},
    {"f32.32x32x16.f16", 32, 32, 16, 1, MfmaType::F16, MfmaType::F16, on950},
    {"f32.16x16x32.f16", 16, 16, 32, 1, MfmaType::F16, MfmaType::F16, on950},
    {"f32.32x32x16.bf16", 32, 32, 16, 1, MfmaType::BF16, MfmaType::BF16, on950},
    {"f32.16x16x32.bf16", 16, 16, 32, 1, MfmaType::BF16, MfmaType::BF16, on950},
    {"f32.32x32x16.fp8.fp8", 32, 32, 16, 1, MfmaType::FP8, MfmaType::FP8, onBoth},
    {"f32.32x32x16.fp8.bf8", 32, 32, 16, 1, MfmaType::FP8, MfmaType::BF8, onBoth},
    {"f32.32x32x16.bf8.fp8", 32, 32, 16, 1, MfmaType::BF8, MfmaType::FP8, onBoth},
    {"f32.32x32x16.bf8.bf8", 32, 32, 16, 1, MfmaType::BF8, MfmaType::BF8, onBoth},
    {"f32.16x16x32.fp8.fp8", 16, 16, 32, 1, MfmaType::FP8, MfmaType::FP8, onBoth},
    {"f32.16x16x32.fp8.bf8", 16, 16, 32, 1, MfmaType::FP8, MfmaType::BF8, onBoth},
    {"f32.16x16x32.bf8.fp8", 16, 16, 32, 1, MfmaType::BF8, MfmaType::FP8, onBoth},
    {"f32.16x16x32.bf8.bf8", 16, 16, 32, 1, MfmaType::BF8, MfmaType::BF8, onBoth},
    {"i32.32x32x4i8", 32, 32, 4, 2, MfmaType::I8, MfmaType::I8, onBoth},
    {"i32.16x16x4i8", 16, 16, 4, 4, MfmaType::I8, MfmaType::I8, onBoth},
    {"i32.4x4x4i8", 4, 4, 4, 16, MfmaType::I8, MfmaType::I8, onBoth},
    {"i32.32x32x16.i8", 32, 32, 16, 1, MfmaType::I8, MfmaType::I8, onBoth},
    {"i32.16x16x32.i8", 16, 16, 32, 1, MfmaType::I8, MfmaType::I8, onBoth},
    {"i32.32x32x32.i8", 32, 32, 32, 1, MfmaType::I8, MfmaType::I8, on950},
    {"i32.16x16x64.i8", 16, 16, 64, 1, MfmaType::I8, MfmaType::I8, on950},
    {"f32.32x32x4.xf32", 32, 32, 4, 1, MfmaType::XF32, MfmaType::XF32, on942},
    {"f32.16x16x8.xf32", 16, 16, 8, 1, MfmaType::XF32, MfmaType::XF32, on942},
    {"f64.16x16x4f64", 16, 16, 4, 1, MfmaType::F64, MfmaType::F64, onBoth},
    {"f64.4x4x4f64", 4, 4, 4, 4, MfmaType::F64, MfmaType::F64, onBoth},
};

} // namespace

/// The packing of the operands, which must have as many bits as the elements of a lane.
static bool shapeOperands(MfmaShape &shape, llvm::ArrayRef<Scalar> a, llvm::ArrayRef<Scalar> b,
                          llvm::ArrayRef<Scalar> d) {
  shape.aParts = static_cast<unsigned>(a.size());
  shape.bParts = static_cast<unsigned>(b.size());
  shape.dParts = static_cast<unsigned>(d.size());
  shape.aBits = a[0].bits;
  shape.bBits = b[0].bits;
  const unsigned elements = shape.k * shape.blocks;
  auto fits = [&](unsigned rows, MfmaType type, llvm::ArrayRef<Scalar> parts) {
    const unsigned needed = rows * elements / waveSize * bitsOf(type), given = parts[0].bits * parts.size();
    // The scaled products take their narrow formats in a register as wide as that of the widest, too.
    return shape.scaled ? given >= needed && given <= 256 : given == needed;
  };
  return fits(shape.m, shape.a, a) && fits(shape.n, shape.b, b) &&
         d.size() == shape.m * shape.n * shape.blocks / waveSize;
}

bool Decoder::decodeMfma(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (!name.consume_front("rocdl.mfma.") || name.starts_with("scale."))
    return false;
  const Product *product = llvm::find_if(products, [&](const Product &known) { return name == known.name; });
  if (product == std::end(products) || !(product->machines & (program.machine == Machine::Gfx942 ? on942 : on950)))
    return fail(op, program.machine == Machine::Gfx942 ? "gfx942 does not have this operation"
                                                       : "gfx950 does not have this operation");
  for (unsigned control = 3; control < op->getNumOperands(); ++control)
    if (constantOf(op->getOperand(control)) != 0)
      return fail(op, "broadcasts and permutations of blocks are not supported");
  llvm::SmallVector<Scalar> a, b, d;
  MfmaShape shape{product->m, product->n, product->k, product->blocks, product->a, product->b};
  if (op->getNumOperands() < 3 || !flatten(op->getOperand(0).getType(), a) ||
      !flatten(op->getOperand(1).getType(), b) || !flatten(op->getOperand(2).getType(), d) ||
      op->getOperand(2).getType() != op->getResult(0).getType() || !shapeOperands(shape, a, b, d))
    return fail(op, "the operands do not have the sizes of this product");
  Inst &inst = emit(op, Opcode::Mfma);
  inst.imm = static_cast<int64_t>(program.products.size());
  program.products.push_back(shape);
  setOperands(inst, op->getOperands().take_front(3));
  inst.dst = define(op->getResult(0));
  return true;
}

/// mfma.scale.f32.*.f8f6f4: A, B, C, format of A, format of B, byte and scales of A, byte and scales of B.
bool Decoder::decodeScaledMfma(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (!name.consume_front("rocdl.mfma.scale.f32."))
    return false;
  if (program.machine != Machine::Gfx950)
    return fail(op, "gfx942 does not have this operation");
  if (op->getNumOperands() != 9)
    return fail(op, "the scaled product has nine operands");
  std::optional<int64_t> formatA = constantOf(op->getOperand(3)), formatB = constantOf(op->getOperand(4)),
                         byteA = constantOf(op->getOperand(5)), byteB = constantOf(op->getOperand(7));
  auto below = [](std::optional<int64_t> value, int64_t limit) { return value && *value >= 0 && *value < limit; };
  if (!below(formatA, 5) || !below(formatB, 5) || !below(byteA, 4) || !below(byteB, 4))
    return fail(op, "formats are constants from 0 to 4, bytes of the scales from 0 to 3");
  // CDNA4 ISA, v_mfma_scale_f32_*_f8f6f4: the codes of cbsz and blgp.
  constexpr MfmaType formats[] = {MfmaType::FP8, MfmaType::BF8, MfmaType::FP6, MfmaType::BF6, MfmaType::FP4};
  const bool wide = name.starts_with("32x32x64");
  MfmaShape shape{wide ? 32u : 16u, wide ? 32u : 16u, wide ? 64u : 128u, 1, formats[*formatA], formats[*formatB]};
  shape.scaled = true;
  shape.scaleByteA = static_cast<unsigned>(*byteA);
  shape.scaleByteB = static_cast<unsigned>(*byteB);
  llvm::SmallVector<Scalar> a, b, d;
  if (!flatten(op->getOperand(0).getType(), a) || !flatten(op->getOperand(1).getType(), b) ||
      !flatten(op->getOperand(2).getType(), d) || !shapeOperands(shape, a, b, d))
    return fail(op, "the operands do not have the sizes of this product");
  Slots slots;
  for (unsigned operand : {0u, 1u, 2u, 6u, 8u})
    llvm::append_range(slots, slotsOf(op->getOperand(operand)));
  Inst &inst = emit(op, Opcode::Mfma);
  inst.imm = static_cast<int64_t>(program.products.size());
  program.products.push_back(shape);
  setOperands(inst, slots);
  inst.dst = define(op->getResult(0));
  return true;
}

} // namespace tlx::emu
