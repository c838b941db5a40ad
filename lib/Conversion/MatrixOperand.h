// Operands of matrix products in shared memory: where the hardware finds their elements.
#ifndef TLX_LIB_CONVERSION_MATRIXOPERAND_H
#define TLX_LIB_CONVERSION_MATRIXOPERAND_H

#include "Emitter.h"

namespace tlx {

/// Its tile has `major` axis (M or N) and K axis.
struct MatrixOperand {
  /// `kIsRow`: the view's row axis is K (operand B is K x N), else its column axis (operand A is M x K).
  MatrixOperand(Emitter &emitter, mlir::Value buffer, bool kIsRow);

  /// K runs along the tile's rows in memory (K-major) or across them (MN-major).
  bool kMajor;
  layout::SharedTile tile;
  int elementBytes;

  /// Byte offset of the element (major, k) when that is the first of an instruction's operand.
  int64_t offset(int64_t major, int64_t k) const;
  /// Bytes from one panel to the next (leading) and from 8 rows to the next 8 (stride), as PTX ISA's canonical layouts
  /// have them.
  int64_t leadingBytes() const;
  int64_t strideBytes() const { return 8 * tile.swizzleBytes; }
  /// The 64-bit matrix descriptor of wgmma for the operand that starts `bytes` further.
  mlir::Value descriptor(int64_t bytes) const;
  /// Any descriptor whose start address is in bits 0 to 13: `fixed` are the other bits.
  mlir::Value descriptor(int64_t bytes, uint64_t fixed) const;
  /// Adds what the warp group decides to the start address.
  void addRuntimeOffset(mlir::Value bytes);

  Emitter &emitter;
  /// Start address >> 4, without the constant part.
  mlir::Value start;
};

} // namespace tlx

#endif
