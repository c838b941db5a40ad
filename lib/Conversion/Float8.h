// Conversions of 8-bit floats, two at a time: by the machine's instructions where it has them for the type, else by
// arithmetic on the bits.
#ifndef TLX_LIB_CONVERSION_FLOAT8_H
#define TLX_LIB_CONVERSION_FLOAT8_H

#include "Machine.h"

namespace tlx {

/// Two f32 rounded to nearest even, beyond the range to the largest, as a pair of bytes.
mlir::Value packFloat8(const Machine &machine, mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, mlir::Value low,
                       mlir::Value high);
/// A pair of bytes as a pair of f16 or f32.
mlir::Value unpackFloat8(const Machine &machine, mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                         mlir::Value bytes);

} // namespace tlx

#endif
