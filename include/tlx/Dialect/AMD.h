// What only AMD's machines have, on tiles (see AMD.td) and on threads (see ThreadAMD.td).
#ifndef TLX_DIALECT_AMD_H
#define TLX_DIALECT_AMD_H

#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/ThreadDialect.h"

#define GET_OP_CLASSES
#include "tlx/Dialect/AMDOps.h.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadAMDOps.h.inc"

#endif
