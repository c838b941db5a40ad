// The thread dialect: hardware operations on the thread level (see ThreadOps.td).
#ifndef TLX_DIALECT_THREADDIALECT_H
#define TLX_DIALECT_THREADDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tlx/Dialect/ThreadDialect.h.inc"
#include "tlx/Dialect/ThreadEnums.h.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadOps.h.inc"

#endif
