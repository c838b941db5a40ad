// The one constant of global memory that lowered modules have: zeros, read where an access is masked out.
#ifndef TLX_EMULATOR_CONSTANTMEMORY_H
#define TLX_EMULATOR_CONSTANTMEMORY_H

#include <cstdint>

namespace tlx::emu {

/// How many zeros there are, and what stands for their address in a program until its memory is laid out.
constexpr uint64_t zerosBytes = 16, zerosPlaceholder = 0x7a65726f73b17e5full;

} // namespace tlx::emu

#endif
