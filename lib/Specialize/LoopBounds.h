// The bounds of a run-time loop over a range, as a counter that goes up.
#ifndef TLX_SPECIALIZE_LOOPBOUNDS_H
#define TLX_SPECIALIZE_LOOPBOUNDS_H

#include "Emitter.h"

namespace tlx::specialize {

struct LoopBounds {
  static mlir::FailureOr<LoopBounds> of(Emitter &emit, const RangeValue &range);
  /// The loop's variable where the counter has that value.
  mlir::Value variableAt(Emitter &emit, mlir::Value counter) const;

  DType type;
  mlir::Value lower, upper, step;
  /// For a loop that counts down: what the variable is at iteration 0, and by how much it falls.
  mlir::Value start, stride;
};

} // namespace tlx::specialize

#endif
