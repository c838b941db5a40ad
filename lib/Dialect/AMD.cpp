// Registration of the operations of AMD.td and ThreadAMD.td.
#include "tlx/Dialect/AMD.h"

using namespace mlir;
using namespace tlx;

#define GET_OP_CLASSES
#include "tlx/Dialect/AMDOps.cpp.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadAMDOps.cpp.inc"
