// The tlx dialect: types, attributes, operations (see TLXDialect.td, TLXOps.td).
#ifndef TLX_DIALECT_TLXDIALECT_H
#define TLX_DIALECT_TLXDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tlx/Dialect/TLXDialect.h.inc"
#include "tlx/Dialect/TLXEnums.h.inc"
#include "tlx/Dialect/TLXInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tlx/Dialect/TLXAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tlx/Dialect/TLXTypes.h.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/TLXOps.h.inc"

#endif
