// What each operation answers to TouchesBuffer and Synchronizes.
#include "tlx/Dialect/KernelAttributes.h"
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;

#include "tlx/Dialect/TLXInterfaces.cpp.inc"

using Buffers = SmallVector<Value>;

#define TOUCHES(Op, read, written, async, unfinished)                                                                  \
  Buffers Op::buffersRead() {                                                                                          \
    return read;                                                                                                       \
  }                                                                                                                    \
  Buffers Op::buffersWritten() {                                                                                       \
    return written;                                                                                                    \
  }                                                                                                                    \
  bool Op::isAsyncProxy() {                                                                                            \
    return async;                                                                                                      \
  }                                                                                                                    \
  bool Op::isAsynchronous() {                                                                                          \
    return unfinished;                                                                                                 \
  }

TOUCHES(LocalLoadOp, {getBuffer()}, {}, false, false)
TOUCHES(LocalStoreOp, {}, {getBuffer()}, false, false)
// cp.async writes through the generic proxy, later.
TOUCHES(AsyncLoadOp, {}, {getBuffer()}, false, true)
TOUCHES(TMALoadOp, {}, {getBuffer()}, true, true)
TOUCHES(ChannelLoadOp, {}, {getBuffer()}, true, true)
TOUCHES(TMAStoreOp, {getBuffer()}, {}, true, true)
TOUCHES(LocalGatherOp, {getBuffer()}, {}, false, false)
TOUCHES(LocalScatterOp, {}, {getBuffer()}, false, false)
TOUCHES(BulkLoadOp, {}, {getBuffer()}, true, true)
TOUCHES(BulkStoreOp, {getBuffer()}, {}, true, true)
// The buffer written is another CTA's: its own tasks and barriers order that.
TOUCHES(RemoteStoreOp, {}, {}, false, false)
TOUCHES(RemoteCopyOp, {getSource()}, {}, true, true)

Buffers FmaDotOp::buffersRead() {
  return {getA(), getB()};
}
Buffers FmaDotOp::buffersWritten() {
  return {};
}
bool FmaDotOp::isAsyncProxy() {
  return false;
}
bool FmaDotOp::isAsynchronous() {
  return false;
}

Buffers AsyncDotOp::buffersRead() {
  if (isa<BufferType>(getA().getType()))
    return {getA(), getB()};
  return {getB()};
}
Buffers AsyncDotOp::buffersWritten() {
  return {};
}
bool AsyncDotOp::isAsyncProxy() {
  return true;
}
bool AsyncDotOp::isAsynchronous() {
  return true;
}

bool AsyncWaitOp::gathersTask() {
  return true;
}
bool TMAStoreWaitOp::gathersTask() {
  return true;
}
bool BarrierExpectOp::gathersTask() {
  return true;
}
bool BarrierWaitOp::gathersTask() {
  return false;
}
bool BarrierArriveOp::gathersTask() {
  return !getBarrier().getType().getPerThread() && !getConverged() && !(*this)->hasAttr(eachGroupAttribute);
}
bool NamedBarrierArriveOp::gathersTask() {
  return false;
}
bool NamedBarrierWaitOp::gathersTask() {
  return true;
}
bool TaskBarrierOp::gathersTask() {
  return true;
}
bool ClusterBarrierOp::gathersTask() {
  return true;
}
bool FenceOp::gathersTask() {
  return false;
}
bool DependentWaitOp::gathersTask() {
  return false;
}
bool DependentLaunchOp::gathersTask() {
  return false;
}
bool AsyncDotWaitOp::gathersTask() {
  return false;
}
bool ChannelWaitOp::gathersTask() {
  return false;
}
bool ChannelReleaseOp::gathersTask() {
  return true;
}
