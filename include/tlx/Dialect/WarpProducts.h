// Products of tiles by single warps of NVIDIA's machines (see WarpProducts.td), and of one warp on the thread level
// (see ThreadWarpProducts.td).
#ifndef TLX_DIALECT_WARPPRODUCTS_H
#define TLX_DIALECT_WARPPRODUCTS_H

#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/ThreadDialect.h"

#define GET_OP_CLASSES
#include "tlx/Dialect/WarpProductOps.h.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadWarpProductOps.h.inc"

#endif
