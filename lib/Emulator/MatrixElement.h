// Elements of the operands of matrix products, as they lie in memory and registers.
#ifndef TLX_EMULATOR_MATRIXELEMENT_H
#define TLX_EMULATOR_MATRIXELEMENT_H

#include "Numbers.h"
#include "Program.h"

namespace tlx::emu {

inline unsigned bytesOf(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 2;
  case MatrixType::TF32:
  case MatrixType::F32:
  case MatrixType::S32:
    return 4;
  default:
    return 1;
  }
}

/// Elements in one byte: two of 4 bits, the first in the low half.
inline unsigned elementsPerByte(MatrixType type) {
  return type == MatrixType::E2M1 ? 2 : 1;
}

/// One element as a float; all operand formats are exact in it.
inline float decodeElement(uint32_t bits, MatrixType type) {
  switch (type) {
  case MatrixType::F16:
    return decodeF16(static_cast<uint16_t>(bits));
  case MatrixType::BF16:
    return decodeBF16(static_cast<uint16_t>(bits));
  case MatrixType::TF32:
    return truncateTF32(bits);
  case MatrixType::E4M3:
    return decodeFloat(bits & 0xff, formatE4M3);
  case MatrixType::E5M2:
    return decodeFloat(bits & 0xff, formatE5M2);
  case MatrixType::E2M1:
    return decodeFloat(bits & 0xf, formatE2M1);
  case MatrixType::S8:
    return static_cast<float>(static_cast<int8_t>(bits));
  case MatrixType::U8:
    return static_cast<float>(static_cast<uint8_t>(bits));
  default:
    return 0;
  }
}

} // namespace tlx::emu

#endif
