// Instructions that only compute on registers.
#ifndef TLX_EMULATOR_ARITHMETIC_H
#define TLX_EMULATOR_ARITHMETIC_H

#include "Program.h"

namespace tlx::emu {

/// The 32 lanes of a slot.
inline uint64_t *lanesOf(uint64_t *registers, uint32_t slot) {
  return registers + static_cast<uint64_t>(slot) * 32;
}

/// Executes `inst` for the lanes of `mask`; false when it is no instruction of this family.
bool executeInteger(const Inst &inst, uint64_t *registers, uint32_t mask);
bool executeFloat(const Inst &inst, uint64_t *registers, uint32_t mask);
/// Moves between slots: copies, casts of bits, vectors.
bool executeMove(const Inst &inst, const Program &program, uint64_t *registers, uint32_t mask);

} // namespace tlx::emu

#endif
