// Elementwise operations: one copy for each register, on packed pairs where the operation has them. The copies are
// still arith and math operations on scalars and vectors; ScalarOps.cpp hands them to MLIR's own conversions.
#include "Emitter.h"
#include "Float8.h"

using namespace mlir;
using namespace tlx;

static bool isPackedArithmetic(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaxNumFOp, arith::MinNumFOp,
             math::FmaOp, math::AbsFOp>(op);
}

/// One operation like `op` on these operands.
static Value cloneOnElements(OpBuilder &b, Operation *op, ValueRange operands, Type type) {
  OperationState state(op->getLoc(), op->getName(), operands, {type}, op->getAttrs());
  return b.create(state)->getResult(0);
}

void Emitter::emitCloned(Operation *op) {
  Value result = op->getResult(0);
  auto tile = dyn_cast<RankedTensorType>(result.getType());
  int pack = tile ? tileInfo(tile).pack : 1;
  if (pack == 2 && isPackedArithmetic(op)) {
    Registers emitted;
    Type type = VectorType::get({2}, tileInfo(tile).element);
    for (int i = 0, e = tileInfo(tile).valueCount(); i < e; ++i) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(values(operand)[i]);
      emitted.push_back(cloneOnElements(b, op, operands, type));
    }
    return setValues(result, emitted);
  }
  SmallVector<Registers> operands;
  for (Value operand : op->getOperands())
    operands.push_back(elements(operand));
  Type type = elementType(tile ? tile.getElementType() : result.getType());
  int count = tile ? tileInfo(tile).elementCount() : 1;
  Registers emitted;
  for (int i = 0; i < count; ++i) {
    SmallVector<Value> ofElement;
    for (auto [operand, list] : llvm::zip(op->getOperands(), operands))
      ofElement.push_back(isa<RankedTensorType>(operand.getType()) ? list[i] : list[0]);
    emitted.push_back(cloneOnElements(b, op, ofElement, type));
  }
  setElements(result, emitted);
}

/// f32 to 16 bits, two at once.
void Emitter::emitTruncation(arith::TruncFOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  Type source = getElementTypeOrSelf(op.getIn().getType());
  if (!tile || tileInfo(tile).pack != 2 || !source.isF32())
    return emitCloned(op);
  const TileInfo &info = tileInfo(tile);
  Registers from = elements(op.getIn()), emitted;
  auto type = VectorType::get({2}, info.element);
  for (int i = 0; i < info.elementCount(); i += 2) {
    emitted.push_back(machine->pack(b, loc, type, from[i], from[i + 1]));
  }
  setValues(op.getResult(), emitted);
}

/// Two at once, an odd last one beside a zero.
void Emitter::emitToFloat8(Operation *op) {
  Type target = getElementTypeOrSelf(op->getResult(0).getType());
  Registers from = elements(op->getOperand(0)), emitted;
  for (size_t i = 0; i < from.size(); i += 2) {
    auto wide = [&](size_t index) -> Value {
      if (index >= from.size())
        return LLVM::ZeroOp::create(b, loc, b.getF32Type());
      Value value = from[index];
      if (isa<arith::SIToFPOp>(op))
        return LLVM::SIToFPOp::create(b, loc, b.getF32Type(), value);
      if (isa<arith::UIToFPOp>(op))
        return LLVM::UIToFPOp::create(b, loc, b.getF32Type(), value);
      return value.getType().isF32() ? value : LLVM::FPExtOp::create(b, loc, b.getF32Type(), value);
    };
    Value second = wide(i + 1), both = packFloat8(*machine, b, loc, target, wide(i), second);
    for (size_t j = i; j < std::min(i + 2, from.size()); ++j)
      emitted.push_back(LLVM::ExtractElementOp::create(b, loc, both, i32(static_cast<int64_t>(j - i))));
  }
  setElements(op->getResult(0), emitted);
}

/// The machine gives f16 or f32, which hold it exactly; other types take it from there.
void Emitter::emitFromFloat8(Operation *op) {
  Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  Type target = getElementTypeOrSelf(op->getResult(0).getType());
  Registers from = elements(op->getOperand(0)), emitted;
  Type bytes = VectorType::get({2}, b.getI8Type());
  for (size_t i = 0; i < from.size(); i += 2) {
    Value both = LLVM::ZeroOp::create(b, loc, bytes);
    size_t count = std::min<size_t>(2, from.size() - i);
    for (size_t j = 0; j < count; ++j)
      both = LLVM::InsertElementOp::create(b, loc, both, from[i + j], i32(static_cast<int64_t>(j)));
    Value wide = unpackFloat8(*machine, b, loc, source, both);
    for (size_t j = 0; j < count; ++j) {
      Value one = LLVM::ExtractElementOp::create(b, loc, wide, i32(static_cast<int64_t>(j)));
      if (!target.isF16() && !target.isF64() && !one.getType().isF32())
        one = LLVM::FPExtOp::create(b, loc, b.getF32Type(), one);
      if (isa<arith::FPToSIOp>(op))
        one = LLVM::FPToSIOp::create(b, loc, target, one);
      else if (isa<arith::FPToUIOp>(op))
        one = LLVM::FPToUIOp::create(b, loc, target, one);
      else if (target.isF64())
        one = LLVM::FPExtOp::create(b, loc, target, one);
      else if (target.isBF16() || (target.isF16() && !one.getType().isF16()))
        one = LLVM::FPTruncOp::create(b, loc, target, one);
      emitted.push_back(one);
    }
  }
  setElements(op->getResult(0), emitted);
}

FailureOr<bool> Emitter::emitElementwise(Operation *op) {
  auto isFloat8Value = [](Value value) { return isFloat8(getElementTypeOrSelf(value.getType())); };
  bool fromFloat8 = llvm::any_of(op->getOperands(), isFloat8Value);
  bool toFloat8 = llvm::any_of(op->getResults(), isFloat8Value);
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op) &&
      (fromFloat8 || toFloat8)) {
    if (fromFloat8)
      emitFromFloat8(op);
    else
      emitToFloat8(op);
    return true;
  }
  // Bits stay bits: 8-bit floats are held as integers.
  if (isa<arith::BitcastOp>(op) && (fromFloat8 || toFloat8)) {
    setElements(op->getResult(0), elements(op->getOperand(0)));
    return true;
  }
  if (isa<arith::ArithDialect>(op->getDialect()) && (fromFloat8 || toFloat8) &&
      !isa<arith::ConstantOp, arith::SelectOp>(op)) {
    op->emitError("arithmetic on 8-bit floats is not supported; convert to a wider type first [unsupported-float8]");
    return failure();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && !dense.isSplat()) {
      op->emitError("only constant tiles of one value are supported [unsupported-constant]");
      return failure();
    }
    TypedAttr attribute = constant.getValue();
    if (dense)
      attribute = cast<TypedAttr>(dense.getSplatValue<Attribute>());
    Type type = elementType(attribute.getType());
    if (isFloat8(getElementTypeOrSelf(attribute.getType())))
      attribute = b.getIntegerAttr(type, cast<FloatAttr>(attribute).getValue().bitcastToAPInt());
    Value one = LLVM::ConstantOp::create(b, loc, type, Attribute(attribute));
    if (dense)
      emitSplat(constant.getResult(), one);
    else
      setValues(constant.getResult(), {one});
    return true;
  }
  if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
    emitTruncation(truncation);
    return true;
  }
  if (auto approx = dyn_cast<ApproxOp>(op)) {
    if (!getElementTypeOrSelf(approx.getType()).isF32()) {
      op->emitError("this function needs 32-bit floats [unsupported-approx-type]");
      return failure();
    }
    Registers emitted;
    for (Value value : elements(approx.getSource()))
      emitted.push_back(machine->approximate(b, loc, approx.getFunction(), value));
    setElements(approx.getResult(), emitted);
    return true;
  }
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1)
    return false;
  emitCloned(op);
  return true;
}
