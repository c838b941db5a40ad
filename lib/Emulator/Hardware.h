// Small closed lists shared by the decoder and the interpreter.
#ifndef TLX_EMULATOR_HARDWARE_H
#define TLX_EMULATOR_HARDWARE_H

#include <cstdint>

namespace tlx::emu {

enum class SpecialRegister : uint8_t {
#define TLX_SPECIAL(enumerator, text) enumerator,
#include "SpecialRegisters.def"
};

/// What redux.sync computes.
enum class Reduction : uint8_t { Add, And, Or, Xor, UMax, UMin, Max, Min };

/// What a tensor-map store does to global memory.
enum class ReduceKind : uint8_t { None, Add, Min, Max, Inc, Dec, And, Or, Xor };

} // namespace tlx::emu

#endif
