// Registration of the thread dialect; all of it is generated.
#include "tlx/Dialect/ThreadDialect.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/LaunchControl.h"
#include "tlx/Dialect/ThreadTensorMemory.h"
#include "tlx/Dialect/WarpProducts.h"

#include "tlx/Dialect/ThreadDialect.cpp.inc"
#include "tlx/Dialect/ThreadEnums.cpp.inc"
#include "tlx/Dialect/ThreadTensorMemoryEnums.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadOps.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadTensorMemoryOps.cpp.inc"

void tlx::thread::ThreadDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/ThreadOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/ThreadTensorMemoryOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/ThreadLaunchControlOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/ThreadAMDOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/ThreadWarpProductOps.cpp.inc"
      >();
}
