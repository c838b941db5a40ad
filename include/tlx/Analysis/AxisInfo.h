//===- AxisInfo.h - what is known of the integers and addresses in a tile -------------------------------===//
//
// Contiguity, constancy and divisibility along each axis: what decides how many elements one access may move.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_ANALYSIS_AXISINFO_H
#define TLX_ANALYSIS_AXISINFO_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tlx/Dialect/TLXDialect.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tlx {

/// All numbers are powers of two. A scalar is a tile with one axis of one element.
struct AxisInfo {
  struct Axis {
    /// The axis falls into aligned groups of this size in which each value is the one before it plus 1 (plus one
    /// element, for addresses).
    int64_t contiguity = 1;
    /// The axis falls into aligned groups of this size in which all values are equal.
    int64_t constancy = 1;
    /// Divides the first value of each contiguous group. Bytes for addresses.
    int64_t divisibility = 1;
    bool operator==(const Axis &other) const = default;
  };
  llvm::SmallVector<Axis, 2> axes;
  std::optional<int64_t> constant;
  /// No value is below zero: what division and remainder need, which round towards zero.
  bool nonNegative = false;

  /// Nothing is known.
  static AxisInfo unknown(mlir::Type type);
  /// The same value everywhere.
  static AxisInfo uniform(mlir::Type type, int64_t divisibility, std::optional<int64_t> constant = std::nullopt);

  /// What holds for both.
  AxisInfo join(const AxisInfo &other) const;
  /// Divides the first value of each group of `size` along the axis.
  int64_t divisibilityAt(int axis, int64_t size) const;
  /// Divides every value.
  int64_t commonDivisor() const;
  bool operator==(const AxisInfo &other) const = default;
};

/// The largest power of two that divides `value`; a huge one for 0.
int64_t powerOfTwoDivisor(int64_t value);

/// What follows for the result of an operation without regions from what is known of its operands.
AxisInfo inferAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands, mlir::Value result);

/// Computes the facts for every integer and address in a kernel.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::func::FuncOp kernel);
  AxisInfo get(mlir::Value value) const;

private:
  void visit(mlir::Block &block);
  void visitOp(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp loop);
  void visitWhile(mlir::scf::WhileOp loop);
  void set(mlir::Value value, AxisInfo info) { facts[value] = std::move(info); }
  void joinInto(mlir::Value value, mlir::Value source);

  llvm::DenseMap<mlir::Value, AxisInfo> facts;
};

/// How one access to a tile of addresses may be cut into vectors.
struct AccessWidth {
  /// The axis along which neighbours are next to each other in memory.
  int axis = 0;
  int64_t elements = 1;
};
AccessWidth accessWidth(const AxisInfo &pointers, const AxisInfo *mask, int elementBits, llvm::ArrayRef<int64_t> shape);

} // namespace tlx

#endif // TLX_ANALYSIS_AXISINFO_H
