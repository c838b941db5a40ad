// The operand of s_waitcnt on gfx9.
#ifndef TLX_EMULATOR_WAITCOUNT_H
#define TLX_EMULATOR_WAITCOUNT_H

#include <cstdint>

namespace tlx::emu {

/// How many operations of each kind may still be in flight (CDNA3 ISA, s_waitcnt): vmcnt has bits 3:0 and 15:14,
/// expcnt 6:4, lgkmcnt 11:8; the others are not looked at.
struct WaitCount {
  unsigned vectorMemory, exports, lds;
  explicit WaitCount(uint32_t bits)
      : vectorMemory((bits & 15) | (bits >> 14 & 3) << 4), exports(bits >> 4 & 7), lds(bits >> 8 & 15) {}
};

} // namespace tlx::emu

#endif
