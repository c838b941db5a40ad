// What is legal and often a mistake: reported only when the user asks for it (`-W…`).
#ifndef TLX_ANALYSIS_STRICTNESS_H
#define TLX_ANALYSIS_STRICTNESS_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace tlx {

enum class StrictRule { DivergentPhase, Int32Overflow, NegativeModulo };

struct StrictFinding {
  StrictRule rule;
  mlir::Location place;
  std::string message;
};

/// Looks through a module as it was built, before any pass.
std::vector<StrictFinding> checkStrictly(mlir::ModuleOp module);

} // namespace tlx

#endif
