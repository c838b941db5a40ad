// Orders and kinds of atomic accesses.
#ifndef TLX_EMULATOR_MEMORYORDER_H
#define TLX_EMULATOR_MEMORYORDER_H

#include <cstdint>

namespace tlx::emu {

enum class MemoryOrder : uint8_t { Plain, Relaxed, Acquire, Release, AcquireRelease };
inline bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::AcquireRelease;
}
inline bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcquireRelease;
}

enum class AtomicKind : uint8_t {
  Exchange,
  Add,
  Sub,
  And,
  Or,
  Xor,
  SMax,
  SMin,
  UMax,
  UMin,
  FAdd,
  FMax,
  FMin,
  Inc,
  Dec,
};

} // namespace tlx::emu

#endif
