// Registration of the operations of TileOps.td.
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
