// What operations of launch control answer to the interfaces.
#include "tlx/Dialect/LaunchControl.h"

using namespace mlir;
using namespace tlx;

#define GET_OP_CLASSES
#include "tlx/Dialect/LaunchControlOps.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadLaunchControlOps.cpp.inc"

SmallVector<Value> LaunchRequestOp::buffersRead() { return {}; }
SmallVector<Value> LaunchRequestOp::buffersWritten() { return {getAnswer()}; }
bool LaunchRequestOp::isAsyncProxy() { return true; }
bool LaunchRequestOp::isAsynchronous() { return true; }

SmallVector<Value> LaunchAnswerOp::buffersRead() { return {getAnswer()}; }
SmallVector<Value> LaunchAnswerOp::buffersWritten() { return {}; }
bool LaunchAnswerOp::isAsyncProxy() { return false; }
bool LaunchAnswerOp::isAsynchronous() { return false; }
