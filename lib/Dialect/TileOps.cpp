// Registration of the operations of TileOps.td, and what they answer to TouchesBuffer.
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

#define GET_OP_CLASSES
#include "tlx/Dialect/TileOps.cpp.inc"

void TLXDialect::registerTileOps() {
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/TileOps.cpp.inc"
      >();
}

using Buffers = SmallVector<Value>;

#define TOUCHES(Op, read, written, async, unfinished)                                                                  \
  Buffers Op::buffersRead() { return read; }                                                                           \
  Buffers Op::buffersWritten() { return written; }                                                                     \
  bool Op::isAsyncProxy() { return async; }                                                                            \
  bool Op::isAsynchronous() { return unfinished; }

TOUCHES(LocalGatherOp, {getBuffer()}, {}, false, false)
TOUCHES(LocalScatterOp, {}, {getBuffer()}, false, false)
TOUCHES(BulkLoadOp, {}, {getBuffer()}, true, true)
TOUCHES(BulkStoreOp, {getBuffer()}, {}, true, true)
// The buffer written is another CTA's: its own tasks and barriers order that.
TOUCHES(RemoteStoreOp, {}, {}, false, false)
TOUCHES(RemoteCopyOp, {getSource()}, {}, true, true)

Buffers FmaDotOp::buffersRead() { return {getA(), getB()}; }
Buffers FmaDotOp::buffersWritten() { return {}; }
bool FmaDotOp::isAsyncProxy() { return false; }
bool FmaDotOp::isAsynchronous() { return false; }
