// Bit by bit from PTX ISA 8.7, tcgen05.
#include "tlx/Arch/MatrixDescriptors.h"

#include <cassert>

using namespace tlx;

uint32_t Tcgen05Instruction::encode() const {
  assert(n % 8 == 0 && n <= 256 && m % 16 == 0 && m <= 256 && "the fields hold N/8 and M/16");
  const uint32_t accumulator = isInteger ? 2 : 1;
  return accumulator << 4 | static_cast<uint32_t>(aType) << 7 | static_cast<uint32_t>(bType) << 10 |
         static_cast<uint32_t>(transposeA) << 15 | static_cast<uint32_t>(transposeB) << 16 | (n >> 3) << 17 |
         (m >> 4) << 24;
}

uint32_t Tcgen05ScaledInstruction::encode() const {
  assert(n % 8 == 0 && n <= 256 && m % 16 == 0 && m <= 256 && "the fields hold N/8 and M/16");
  assert(aScale < 4 && bScale < 4 && "a column has four bytes");
  return bScale << 4 | static_cast<uint32_t>(aType) << 7 | static_cast<uint32_t>(bType) << 10 |
         static_cast<uint32_t>(transposeA) << 15 | static_cast<uint32_t>(transposeB) << 16 | (n >> 3) << 17 |
         static_cast<uint32_t>(exponentScales) << 23 | (m >> 4) << 24 | aScale << 29;
}

uint64_t Tcgen05Operand::encode() const {
  assert(leading % 16 == 0 && stride % 16 == 0 && leading >> 4 < 1u << 14 && stride >> 4 < 1u << 14 &&
         "distances have 14 bits, in units of 16 bytes");
  uint64_t mode = swizzle == 128 ? 2 : swizzle == 64 ? 4 : swizzle == 32 ? 6 : 0;
  constexpr uint64_t version = 1;
  return static_cast<uint64_t>(leading >> 4) << 16 | static_cast<uint64_t>(stride >> 4) << 32 | version << 46 |
         mode << 61;
}
