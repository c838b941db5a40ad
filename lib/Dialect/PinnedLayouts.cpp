// Registration of the operations of PinnedLayouts.td.
#include "tlx/Dialect/PinnedLayouts.h"

using namespace mlir;
using namespace tlx;

#define GET_OP_CLASSES
#include "tlx/Dialect/PinnedLayoutOps.cpp.inc"
