// The bit fields by which tcgen05.mma is told what to multiply. Pure encoding: what the fields should say is decided by
// Conversion.
#ifndef TLX_ARCH_MATRIXDESCRIPTORS_H
#define TLX_ARCH_MATRIXDESCRIPTORS_H

#include <cstdint>

namespace tlx {

/// Codes of operand types in the instruction descriptor; kinds f16, tf32, f8f6f4 (and mxf8f6f4), i8 and mxf4 (and
/// mxf4nvf4) number theirs separately.
enum class Tcgen05Type : uint8_t { F16 = 0, BF16 = 1, TF32 = 2, E4M3 = 0, E5M2 = 1, U8 = 0, S8 = 1, E2M1 = 1 };

/// PTX ISA 8.7, tcgen05 instruction descriptor, kinds f16, tf32, f8f6f4: dense products that accumulate in f32; kind
/// i8: in s32.
struct Tcgen05Instruction {
  Tcgen05Type aType, bType;
  /// M (N) runs along the operand's rows in memory instead of K.
  bool transposeA = false, transposeB = false;
  /// Rows and columns of the whole product, that of a pair of CTAs included.
  unsigned m = 0, n = 0;
  bool isInteger = false;

  uint32_t encode() const;
};

/// PTX ISA 8.7, tcgen05 instruction descriptor, kinds mxf8f6f4, mxf4 and mxf4nvf4: dense products with block scales.
struct Tcgen05ScaledInstruction {
  Tcgen05Type aType, bType;
  bool transposeA = false, transposeB = false;
  unsigned m = 0, n = 0;
  /// The byte of each column of scales with the first factor.
  unsigned aScale = 0, bScale = 0;
  /// Powers of two (ue8m0); else 8-bit floats (ue4m3).
  bool exponentScales = true;

  uint32_t encode() const;
};

/// PTX ISA 8.7, tcgen05 shared memory descriptor, without the start address.
struct Tcgen05Operand {
  /// Distances in bytes, multiples of 16.
  uint32_t leading = 0, stride = 0;
  /// 0, 32, 64 or 128 bytes.
  unsigned swizzle = 0;

  /// The fixed bits; the start address in units of 16 bytes goes into bits 0 to 13.
  uint64_t encode() const;
};

} // namespace tlx

#endif
