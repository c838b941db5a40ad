// Registration of the thread dialect; all of it is generated.
#include "tlx/Dialect/ThreadDialect.h"

#include "tlx/Dialect/ThreadDialect.cpp.inc"
#include "tlx/Dialect/ThreadEnums.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadOps.cpp.inc"

void tlx::thread::ThreadDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tlx/Dialect/ThreadOps.cpp.inc"
      >();
}
