// Brings what two branches leave in a name to one value, where that can be.
#ifndef TLX_SPECIALIZE_ARMMERGER_H
#define TLX_SPECIALIZE_ARMMERGER_H

#include "Specializer.h"

namespace tlx::specialize {

class ArmMerger {
public:
  ArmMerger(Emitter &emit, mlir::scf::IfOp skeleton);

  /// A value with null IR values where results of the branch go, or none.
  std::optional<Datum> merge(const Datum &thenValue, const Datum &elseValue);
  /// A value that only one arm has and that nobody reads after the other: there it is zero.
  std::optional<Datum> adopt(const Datum &value, unsigned arm);
  /// Exchanges the branch without results for one that yields what was merged.
  mlir::scf::IfOp finish();

private:
  std::optional<Datum> tryMerge(const Datum &first, const Datum &second);
  std::optional<Datum> tryAdopt(const Datum &value, unsigned arm);
  std::optional<Datum> mergeParts(const SequenceValue &a, const SequenceValue &b);
  std::optional<Datum> mergeLeaves(const Datum &first, const Datum &second);
  std::optional<DType> commonType(const Datum &first, const Datum &second);
  bool yield(unsigned arm, const Datum &value, DType type, llvm::ArrayRef<int64_t> shape);
  bool isInside(mlir::Value value) const;
  /// Runs an attempt; what it yielded is taken back when it fails.
  std::optional<Datum> attempt(llvm::function_ref<std::optional<Datum>()> run);

  Emitter &emit;
  mlir::scf::IfOp skeleton;
  mlir::Block *blocks[2];
  llvm::SmallVector<mlir::Value> yields[2];
};

} // namespace tlx::specialize

#endif
