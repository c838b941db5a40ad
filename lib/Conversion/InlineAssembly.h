// Builds one inline-assembly call: text, constraints and operands together, so that numbers always agree.
#ifndef TLX_LIB_CONVERSION_INLINEASSEMBLY_H
#define TLX_LIB_CONVERSION_INLINEASSEMBLY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include <string>

namespace tlx {

class Assembly {
public:
  explicit Assembly(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// Adds an input; returns how the text names it.
  std::string in(mlir::Value value);
  /// Adds inputs; returns them as the text's vector.
  std::string in(mlir::ValueRange values);
  /// Adds outputs; must come before any input.
  std::string out(mlir::Type type);
  std::string out(mlir::TypeRange types);
  /// Inputs that share the register of output i, in order.
  void tie(mlir::ValueRange values);

  mlir::SmallVector<mlir::Value> emit(const llvm::Twine &text, bool touchesMemory, bool hasSideEffects = true);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::SmallVector<mlir::Type> outputs;
  mlir::SmallVector<mlir::Value> inputs;
  mlir::SmallVector<std::string> inputConstraints;
};

namespace thread {

/// Copies of consecutive bytes, and what goes to other CTAs of the cluster.
void expandBulkCopy(mlir::Operation *op, mlir::OpBuilder &b);
/// Printing and failed assertions: calls of the device's runtime.
void expandReport(mlir::Operation *op, mlir::OpBuilder &b);
/// Tensor maps that the kernel writes.
void expandTensorMap(mlir::Operation *op, mlir::OpBuilder &b);

} // namespace thread

} // namespace tlx

#endif
