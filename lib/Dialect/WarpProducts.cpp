// Registration of the operations of WarpProducts.td and ThreadWarpProducts.td.
#include "tlx/Dialect/WarpProducts.h"

using namespace mlir;
using namespace tlx;

#define GET_OP_CLASSES
#include "tlx/Dialect/WarpProductOps.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadWarpProductOps.cpp.inc"

SmallVector<Value> MmaDotOp::buffersRead() {
  SmallVector<Value> buffers;
  for (Value operand : {getA(), getB()})
    if (isa<BufferType>(operand.getType()))
      buffers.push_back(operand);
  return buffers;
}
SmallVector<Value> MmaDotOp::buffersWritten() {
  return {};
}
bool MmaDotOp::isAsyncProxy() {
  return false;
}
bool MmaDotOp::isAsynchronous() {
  return false;
}
