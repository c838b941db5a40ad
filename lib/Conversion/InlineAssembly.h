// Inline PTX, built so that text, constraints and operands always agree.
#ifndef TLX_LIB_CONVERSION_INLINEASSEMBLY_H
#define TLX_LIB_CONVERSION_INLINEASSEMBLY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include <string>

namespace tlx::thread {

/// Builds one inline-assembly call: text, constraints and operands together, so that numbers always agree.
class Assembly {
public:
  explicit Assembly(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// Adds an input; returns how the text names it.
  std::string in(mlir::Value value) {
    inputs.push_back(value);
    inputConstraints.push_back(constraintOf(value.getType()));
    return "$" + std::to_string(outputs.size() + inputs.size() - 1);
  }
  /// Adds outputs; must come before any input.
  std::string out(mlir::Type type) {
    assert(inputs.empty() && "outputs come first");
    outputs.push_back(type);
    return "$" + std::to_string(outputs.size() - 1);
  }
  /// Inputs that share the register of output i, in order.
  void tie(mlir::ValueRange values) {
    for (auto [i, value] : llvm::enumerate(values)) {
      inputs.push_back(value);
      inputConstraints.push_back(std::to_string(i));
    }
  }

  mlir::SmallVector<mlir::Value> emit(const llvm::Twine &text, bool touchesMemory, bool hasSideEffects = true) {
    std::string constraints;
    auto append = [&](llvm::StringRef constraint) {
      if (!constraints.empty())
        constraints += ',';
      constraints += constraint;
    };
    for (mlir::Type type : outputs)
      append(("=" + constraintOf(type)));
    for (const std::string &constraint : inputConstraints)
      append(constraint);
    if (touchesMemory)
      append("~{memory}");
    mlir::Type result;
    if (outputs.size() == 1)
      result = outputs[0];
    else if (outputs.size() > 1)
      result = mlir::LLVM::LLVMStructType::getLiteral(b.getContext(), outputs);
    auto op = mlir::LLVM::InlineAsmOp::create(
        b, loc, result ? mlir::TypeRange(result) : mlir::TypeRange(), inputs, text.str(), constraints, hasSideEffects,
        /*is_align_stack=*/false, mlir::LLVM::TailCallKind::None, mlir::LLVM::AsmDialectAttr(), mlir::ArrayAttr());
    if (outputs.size() <= 1)
      return mlir::SmallVector<mlir::Value>(op->getResults());
    mlir::SmallVector<mlir::Value> results;
    for (size_t i = 0; i < outputs.size(); ++i)
      results.push_back(mlir::LLVM::ExtractValueOp::create(b, loc, op->getResult(0), i));
    return results;
  }

private:
  static std::string constraintOf(mlir::Type type) {
    if (type.isF32())
      return "f";
    if (type.isF64())
      return "d";
    if (auto pointer = mlir::dyn_cast<mlir::LLVM::LLVMPointerType>(type))
      return pointer.getAddressSpace() == 3 ? "r" : "l";
    unsigned bits = type.getIntOrFloatBitWidth();
    return bits <= 16 ? "h" : bits == 32 ? "r" : "l";
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::SmallVector<mlir::Type> outputs;
  mlir::SmallVector<mlir::Value> inputs;
  mlir::SmallVector<std::string> inputConstraints;
};

/// Copies of consecutive bytes, and what goes to other CTAs of the cluster.
void expandBulkCopy(mlir::Operation *op, mlir::OpBuilder &b);
/// Printing and failed assertions: calls of the device's runtime.
void expandReport(mlir::Operation *op, mlir::OpBuilder &b);
/// Tensor maps that the kernel writes.
void expandTensorMap(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace tlx::thread

#endif
