// The thread dialect's operations on tensor memory (see ThreadTensorMemory.td).
#ifndef TLX_DIALECT_THREADTENSORMEMORY_H
#define TLX_DIALECT_THREADTENSORMEMORY_H

#include "tlx/Dialect/ThreadDialect.h"

#include "tlx/Dialect/ThreadTensorMemoryEnums.h.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadTensorMemoryOps.h.inc"

#endif
