// Instructions that only compute on registers.
#ifndef TLX_EMULATOR_ARITHMETIC_H
#define TLX_EMULATOR_ARITHMETIC_H

#include "Lanes.h"
#include "Program.h"

namespace tlx::emu {

/// The register file of a warp: 1 << shift lanes for each slot.
struct Registers {
  uint64_t *data;
  unsigned shift;
};

/// The lanes of a slot.
inline uint64_t *lanesOf(Registers registers, uint32_t slot) {
  return registers.data + (static_cast<uint64_t>(slot) << registers.shift);
}

/// Executes `inst` for the lanes of `mask`; false when it is no instruction of this family.
bool executeInteger(const Inst &inst, Registers registers, LaneMask mask);
bool executeFloat(const Inst &inst, Registers registers, LaneMask mask);
/// Moves between slots: copies, casts of bits, vectors.
bool executeMove(const Inst &inst, const Program &program, Registers registers, LaneMask mask);

} // namespace tlx::emu

#endif
