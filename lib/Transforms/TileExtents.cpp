#include "TileExtents.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tlx;

InFlightDiagnostic tlx::refuseExtents(Operation *op, ArrayRef<int64_t> shape) {
  InFlightDiagnostic error = op->emitError("threads share the axes of a tile of [");
  llvm::interleaveComma(shape, error);
  error
      << "] by halves here, which takes powers of two; other extents are for buffers, accumulators of wgmma, those in "
         "tensor memory of 128 rows read by 4 warps, and what is computed from these element by element [tile-extent]";
  return error;
}
