// Products of one warp: which operands mma.sync takes together.
#include "Decoder.h"
#include "MatrixElement.h"

#include "tlx/Dialect/WarpProducts.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tlx::emu {

static std::optional<MatrixType> typeNamed(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<MatrixType>>(name)
      .Case("f16", MatrixType::F16)
      .Case("bf16", MatrixType::BF16)
      .Case("tf32", MatrixType::TF32)
      .Case("e4m3", MatrixType::E4M3)
      .Case("e5m2", MatrixType::E5M2)
      .Case("s8", MatrixType::S8)
      .Case("u8", MatrixType::U8)
      .Default(std::nullopt);
}

/// PTX ISA, mma.sync: bytes of either sign multiply each other, and so do 8-bit floats; other types only themselves.
static bool multiply(MatrixType a, MatrixType b) {
  auto isInteger = [](MatrixType type) { return type == MatrixType::S8 || type == MatrixType::U8; };
  auto isFloat8 = [](MatrixType type) { return type == MatrixType::E4M3 || type == MatrixType::E5M2; };
  return a == b || (isInteger(a) && isInteger(b)) || (isFloat8(a) && isFloat8(b));
}

bool Decoder::decodeWarpProduct(Operation *op) {
  auto product = dyn_cast<thread::MmaSyncOp>(op);
  if (!product)
    return false;
  auto a = typeNamed(product.getAType()), b = typeNamed(product.getBType());
  if (!a || !b || !multiply(*a, *b))
    return fail(op, "there is no product of `" + product.getAType() + "` and `" + product.getBType() + "`");
  if (product.getAcc().size() != 4 || product.getA().size() != 4 || product.getB().size() != 2 ||
      product.getResult().size() != 4)
    return fail(op, "takes four sums, four words of A and two of B");
  bool isInteger = *a == MatrixType::S8 || *a == MatrixType::U8;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(product.getAcc()), SmallVector<Value>(product.getResult())))
    if (isInteger ? !value.getType().isInteger(32) : !value.getType().isF32())
      return fail(op, isInteger ? "integers add up in i32" : "floats add up in f32");
  Inst &inst = emit(op, Opcode::MmaSync);
  setOperands(inst, op->getOperands());
  inst.imm = static_cast<int64_t>(program.warpProducts.size());
  program.warpProducts.push_back({*a, *b, isInteger});
  defineAll(inst, product.getResult());
  return true;
}

} // namespace tlx::emu
