// Constants, arithmetic, conversions, vectors and structs. Building and taking apart aggregates only renames slots.
#include "Decoder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tlx::emu {

/// Operations that work part by part on operands of one type: name after "llvm.", opcode.
static std::optional<Opcode> elementwiseOpcode(llvm::StringRef name) {
  if (!name.consume_front("llvm."))
    return std::nullopt;
  name.consume_front("intr.");
  using Result = std::optional<Opcode>;
  return llvm::StringSwitch<Result>(name)
      .Case("add", Opcode::Add)
      .Case("sub", Opcode::Sub)
      .Case("mul", Opcode::Mul)
      .Case("udiv", Opcode::UDiv)
      .Case("sdiv", Opcode::SDiv)
      .Case("urem", Opcode::URem)
      .Case("srem", Opcode::SRem)
      .Case("and", Opcode::And)
      .Case("or", Opcode::Or)
      .Case("xor", Opcode::Xor)
      .Case("shl", Opcode::Shl)
      .Case("lshr", Opcode::LShr)
      .Case("ashr", Opcode::AShr)
      .Case("umin", Opcode::UMin)
      .Case("umax", Opcode::UMax)
      .Case("smin", Opcode::SMin)
      .Case("smax", Opcode::SMax)
      .Case("ctpop", Opcode::CtPop)
      .Case("ctlz", Opcode::Ctlz)
      .Case("cttz", Opcode::Cttz)
      .Case("abs", Opcode::Abs)
      .Case("bitreverse", Opcode::BitReverse)
      .Case("bswap", Opcode::ByteSwap)
      .Case("fshl", Opcode::FunnelLeft)
      .Case("fshr", Opcode::FunnelRight)
      .Case("fadd", Opcode::FAdd)
      .Case("fsub", Opcode::FSub)
      .Case("fmul", Opcode::FMul)
      .Case("fdiv", Opcode::FDiv)
      .Case("frem", Opcode::FRem)
      .Case("fneg", Opcode::FNeg)
      .Case("fabs", Opcode::FAbs)
      .Case("maxnum", Opcode::MaxNum)
      .Case("minnum", Opcode::MinNum)
      .Case("maximum", Opcode::Maximum)
      .Case("minimum", Opcode::Minimum)
      .Case("copysign", Opcode::CopySign)
      .Case("fma", Opcode::Fma)
      .Case("fmuladd", Opcode::FMulAdd)
      .Case("sqrt", Opcode::Sqrt)
      .Case("floor", Opcode::Floor)
      .Case("ceil", Opcode::Ceil)
      .Case("rint", Opcode::Rint)
      .Case("nearbyint", Opcode::Rint)
      .Case("roundeven", Opcode::Rint)
      .Case("round", Opcode::Round)
      .Case("trunc", Opcode::FTrunc)
      .Case("exp", Opcode::Exp)
      .Case("exp2", Opcode::Exp2)
      .Case("exp10", Opcode::Exp10)
      .Case("log", Opcode::Log)
      .Case("log2", Opcode::Log2)
      .Case("log10", Opcode::Log10)
      .Case("sin", Opcode::Sin)
      .Case("cos", Opcode::Cos)
      .Case("tan", Opcode::Tan)
      .Case("tanh", Opcode::Tanh)
      .Case("pow", Opcode::Pow)
      .Case("atan2", Opcode::Atan2)
      .Default(std::nullopt);
}

/// The relations that a predicate accepts: 1 equal, 2 greater, 4 less, 8 unordered.
static uint8_t relationsOf(LLVM::FCmpPredicate predicate) {
  // The dialect numbers `uno` last, LLVM before the other unordered ones.
  static constexpr uint8_t relations[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15};
  return relations[static_cast<size_t>(predicate)];
}

bool Decoder::decodeElementwise(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  // llvm.trunc is the conversion of integers, llvm.intr.trunc rounds a float.
  std::optional<Opcode> opcode = name == "llvm.trunc" ? std::nullopt : elementwiseOpcode(name);
  uint8_t flag = 0;
  if (auto compare = dyn_cast<LLVM::ICmpOp>(op)) {
    opcode = Opcode::ICmp;
    flag = static_cast<uint8_t>(compare.getPredicate());
  } else if (auto compare = dyn_cast<LLVM::FCmpOp>(op)) {
    opcode = Opcode::FCmp;
    flag = relationsOf(compare.getPredicate());
  }
  if (!opcode)
    return false;
  llvm::SmallVector<Scalar> parts;
  if (!flatten(op->getOperand(0).getType(), parts))
    return fail(op, "an operand has a type that registers cannot hold");
  uint32_t result = define(op->getResult(0));
  for (uint32_t index = 0; index < parts.size(); ++index) {
    Inst &inst = emit(op, *opcode);
    inst.bits =
        parts[index].isFloat ? static_cast<uint8_t>(parts[index].kind) : static_cast<uint8_t>(parts[index].bits);
    inst.flag = flag;
    inst.dst = result + index;
    inst.a = slotsOf(op->getOperand(0))[index];
    if (op->getNumOperands() > 1)
      inst.b = slotsOf(op->getOperand(1))[index];
    if (op->getNumOperands() > 2)
      inst.c = slotsOf(op->getOperand(2))[index];
  }
  return true;
}

/// The bits of each part of a constant, in the order of flatten().
static bool constantParts(Attribute attribute, size_t parts, llvm::SmallVectorImpl<uint64_t> &into) {
  auto bitsOf = [](const llvm::APInt &value) { return value.getZExtValue(); };
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    into.push_back(bitsOf(integer.getValue()));
  else if (auto real = dyn_cast<FloatAttr>(attribute))
    into.push_back(bitsOf(real.getValue().bitcastToAPInt()));
  else if (auto dense = dyn_cast<DenseIntElementsAttr>(attribute))
    for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
      into.push_back(bitsOf(value));
  else if (auto dense = dyn_cast<DenseFPElementsAttr>(attribute))
    for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>())
      into.push_back(bitsOf(value.bitcastToAPInt()));
  else if (auto array = dyn_cast<ArrayAttr>(attribute))
    return llvm::all_of(array, [&](Attribute element) { return constantParts(element, 0, into); });
  else
    return false;
  return parts == 0 || into.size() == parts;
}

bool Decoder::decodeConstant(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  llvm::SmallVector<Scalar> parts;
  flatten(op->getResult(0).getType(), parts);
  llvm::SmallVector<uint64_t> bits;
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op)) {
    if (!constantParts(constant.getValue(), parts.size(), bits))
      return fail(op, "a constant of this form is not supported");
  } else if (isa<LLVM::UndefOp, LLVM::PoisonOp>(op)) {
    alias(op->getResult(0), Slots(parts.size(), undefinedSlot()));
    return true;
  } else if (isa<LLVM::ZeroOp>(op)) {
    bits.assign(parts.size(), 0);
  } else {
    return false;
  }
  Slots slots;
  for (uint64_t value : bits)
    slots.push_back(constantSlot(value));
  alias(op->getResult(0), slots);
  return true;
}

bool Decoder::decodeConversion(Operation *op) {
  if (op->getNumOperands() < 1 || op->getNumResults() != 1)
    return false;
  std::optional<Opcode> opcode;
  if (isa<LLVM::ZExtOp, LLVM::FreezeOp>(op)) {
    alias(op->getResult(0), slotsOf(op->getOperand(0)));
    return true;
  }
  if (isa<LLVM::TruncOp>(op))
    opcode = Opcode::Trunc;
  else if (isa<LLVM::SExtOp>(op))
    opcode = Opcode::SExt;
  else if (isa<LLVM::FPExtOp, LLVM::FPTruncOp>(op))
    opcode = Opcode::FConvert;
  else if (isa<LLVM::SIToFPOp>(op))
    opcode = Opcode::SIToFP;
  else if (isa<LLVM::UIToFPOp>(op))
    opcode = Opcode::UIToFP;
  else if (isa<LLVM::FPToSIOp>(op))
    opcode = Opcode::FPToSI;
  else if (isa<LLVM::FPToUIOp>(op))
    opcode = Opcode::FPToUI;
  if (!opcode)
    return false;
  llvm::SmallVector<Scalar> from, to;
  if (!flatten(op->getOperand(0).getType(), from))
    return fail(op, "an operand has a type that registers cannot hold");
  flatten(op->getResult(0).getType(), to);
  auto width = [](const Scalar &part) {
    return part.isFloat ? static_cast<uint8_t>(part.kind) : static_cast<uint8_t>(part.bits);
  };
  uint32_t result = define(op->getResult(0));
  for (uint32_t index = 0; index < to.size(); ++index) {
    Inst &inst = emit(op, *opcode);
    inst.bits = width(from[index]);
    inst.toBits = width(to[index]);
    // Integer widenings keep the width of the result in `bits`, which masks it.
    if (*opcode == Opcode::SExt || *opcode == Opcode::Trunc)
      std::swap(inst.bits, inst.toBits);
    inst.dst = result + index;
    inst.a = slotsOf(op->getOperand(0))[index];
  }
  return true;
}

/// The first part, and how many parts, of the member of `type` at `position`.
static std::pair<unsigned, Type> memberOffset(Type type, llvm::ArrayRef<int64_t> position,
                                              llvm::function_ref<unsigned(Type)> partsOf) {
  unsigned offset = 0;
  for (int64_t index : position) {
    if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
      for (int64_t before = 0; before < index; ++before)
        offset += partsOf(structure.getBody()[static_cast<size_t>(before)]);
      type = structure.getBody()[static_cast<size_t>(index)];
    } else {
      type = cast<LLVM::LLVMArrayType>(type).getElementType();
      offset += static_cast<unsigned>(index) * partsOf(type);
    }
  }
  return {offset, type};
}

bool Decoder::decodeVector(Operation *op) {
  auto partsOf = [&](Type type) {
    llvm::SmallVector<Scalar> parts;
    flatten(type, parts);
    return static_cast<unsigned>(parts.size());
  };
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
    auto [offset, type] = memberOffset(extract.getContainer().getType(), extract.getPosition(), partsOf);
    alias(extract.getResult(), Slots(slotsOf(extract.getContainer()).slice(offset, partsOf(type))));
    return true;
  }
  if (auto insert = dyn_cast<LLVM::InsertValueOp>(op)) {
    unsigned offset = memberOffset(insert.getContainer().getType(), insert.getPosition(), partsOf).first;
    Slots slots(slotsOf(insert.getContainer()));
    llvm::copy(slotsOf(insert.getValue()), slots.begin() + offset);
    alias(insert.getResult(), slots);
    return true;
  }
  if (auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op)) {
    Slots sources(slotsOf(shuffle.getV1())), slots;
    llvm::append_range(sources, slotsOf(shuffle.getV2()));
    for (int32_t index : shuffle.getMask())
      slots.push_back(index < 0 ? undefinedSlot() : sources[static_cast<size_t>(index)]);
    alias(shuffle.getResult(), slots);
    return true;
  }
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
    if (auto index = constantOf(extract.getPosition())) {
      if (*index < 0 || static_cast<size_t>(*index) >= slotsOf(extract.getVector()).size())
        return fail(op, "element " + llvm::Twine(*index) + " lies outside of the vector");
      alias(extract.getResult(), Slots{slotsOf(extract.getVector())[static_cast<size_t>(*index)]});
      return true;
    }
    Inst &inst = emit(op, Opcode::ExtractDynamic);
    setOperands(inst, slotsOf(extract.getVector()));
    inst.b = slotOf(extract.getPosition());
    inst.dst = define(extract.getResult());
    return true;
  }
  if (auto insert = dyn_cast<LLVM::InsertElementOp>(op)) {
    Slots slots(slotsOf(insert.getVector()));
    if (auto index = constantOf(insert.getPosition())) {
      if (*index < 0 || static_cast<size_t>(*index) >= slots.size())
        return fail(op, "element " + llvm::Twine(*index) + " lies outside of the vector");
      slots[static_cast<size_t>(*index)] = slotOf(insert.getValue());
      alias(insert.getResult(), slots);
      return true;
    }
    Inst &inst = emit(op, Opcode::InsertDynamic);
    setOperands(inst, slots);
    inst.b = slotOf(insert.getPosition());
    inst.c = slotOf(insert.getValue());
    inst.dst = define(insert.getResult());
    return true;
  }
  if (auto select = dyn_cast<LLVM::SelectOp>(op)) {
    uint32_t result = define(select.getResult());
    for (auto [index, yes] : llvm::enumerate(Slots(slotsOf(select.getTrueValue())))) {
      Slots condition(slotsOf(select.getCondition()));
      Inst &inst = emit(op, Opcode::Select);
      inst.a = condition.size() == 1 ? condition[0] : condition[index];
      inst.b = yes;
      inst.c = slotsOf(select.getFalseValue())[index];
      inst.dst = result + static_cast<uint32_t>(index);
    }
    return true;
  }
  if (auto cast = dyn_cast<LLVM::BitcastOp>(op)) {
    llvm::SmallVector<Scalar> from, to;
    if (!flatten(cast.getArg().getType(), from))
      return fail(op, "an operand has a type that registers cannot hold");
    flatten(cast.getResult().getType(), to);
    if (from[0].bits == to[0].bits) {
      alias(cast.getResult(), Slots(slotsOf(cast.getArg())));
      return true;
    }
    if (from.size() * from[0].bits > 1024)
      return fail(op, "a cast of more than 1024 bits is not supported");
    Inst &inst = emit(op, Opcode::Bitcast);
    inst.bits = static_cast<uint8_t>(from[0].bits);
    inst.toBits = static_cast<uint8_t>(to[0].bits);
    setOperands(inst, slotsOf(cast.getArg()));
    inst.dst = define(cast.getResult());
    return true;
  }
  return false;
}

} // namespace tlx::emu
