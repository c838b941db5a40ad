// Operations of the tlx dialect that few files need (see TileOps.td).
#ifndef TLX_DIALECT_TILEOPS_H
#define TLX_DIALECT_TILEOPS_H

#include "tlx/Dialect/TLXDialect.h"

#define GET_OP_CLASSES
#include "tlx/Dialect/TileOps.h.inc"

#endif
