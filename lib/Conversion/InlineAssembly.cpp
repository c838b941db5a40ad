// Inline assembly of LLVM: `$i` in the text are outputs, then inputs, with a constraint letter for each register class.
#include "InlineAssembly.h"

using namespace mlir;
using namespace tlx;

static std::string constraintOf(Type type) {
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return pointer.getAddressSpace() == 3 ? "r" : "l";
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 1 ? "b" : bits <= 16 ? "h" : bits == 32 ? "r" : "l";
}

static std::string joined(ArrayRef<std::string> names) {
  return "{" + llvm::join(names, ", ") + "}";
}

std::string Assembly::in(Value value) {
  inputs.push_back(value);
  inputConstraints.push_back(constraintOf(value.getType()));
  return "$" + std::to_string(outputs.size() + inputs.size() - 1);
}

std::string Assembly::in(ValueRange values) {
  SmallVector<std::string> names;
  for (Value value : values)
    names.push_back(in(value));
  return joined(names);
}

std::string Assembly::out(Type type) {
  assert(inputs.empty() && "outputs come first");
  outputs.push_back(type);
  return "$" + std::to_string(outputs.size() - 1);
}

std::string Assembly::out(TypeRange types) {
  SmallVector<std::string> names;
  for (Type type : types)
    names.push_back(out(type));
  return joined(names);
}

void Assembly::tie(ValueRange values) {
  for (auto [i, value] : llvm::enumerate(values)) {
    inputs.push_back(value);
    inputConstraints.push_back(std::to_string(i));
  }
}

SmallVector<Value> Assembly::emit(const Twine &text, bool touchesMemory, bool hasSideEffects) {
  std::string constraints;
  auto append = [&](StringRef constraint) {
    if (!constraints.empty())
      constraints += ',';
    constraints += constraint;
  };
  for (Type type : outputs)
    append("=" + constraintOf(type));
  for (const std::string &constraint : inputConstraints)
    append(constraint);
  if (touchesMemory)
    append("~{memory}");
  Type result;
  if (outputs.size() == 1)
    result = outputs[0];
  else if (outputs.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), outputs);
  auto op = LLVM::InlineAsmOp::create(b, loc, result ? TypeRange(result) : TypeRange(), inputs, text.str(), constraints,
                                      hasSideEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                      LLVM::AsmDialectAttr(), ArrayAttr());
  if (outputs.size() <= 1)
    return SmallVector<Value>(op->getResults());
  SmallVector<Value> results;
  for (size_t i = 0; i < outputs.size(); ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, loc, op->getResult(0), i));
  return results;
}
