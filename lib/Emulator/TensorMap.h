// Tensor maps: how a box of a tensor in global memory and its image in shared memory correspond.
#ifndef TLX_EMULATOR_TENSORMAP_H
#define TLX_EMULATOR_TENSORMAP_H

#include "tlx/Emulator/Emulator.h"

#include <array>
#include <functional>

namespace tlx::emu {

/// One contiguous run of a box along the innermost axis.
struct BoxRun {
  /// Address in global memory and bytes there; bytes is 0 for a run that lies outside the tensor.
  uint64_t global = 0;
  uint32_t bytes = 0;
  /// Offset in the box's image before swizzling, of all `imageBytes` that this row takes.
  uint32_t image = 0, imageBytes = 0;
  /// Bytes of the row before the run, outside the tensor on the low side.
  uint32_t before = 0;
};

class TensorMap {
public:
  TensorMap(const HostTensorMap &map, uint64_t address) : map(map), address(address) {}

  unsigned rank() const { return map.rank; }
  ElementType type() const { return map.type; }
  unsigned swizzle() const { return map.swizzle; }
  unsigned buffer() const { return map.buffer; }
  bool fillNaN() const { return map.fillNaN; }
  /// Elements of the image along an axis: the box, thinned by the element strides.
  uint32_t extent(unsigned axis) const {
    // The element stride of axis 0 has no effect without interleaving.
    return axis == 0 ? map.box[0] : (map.box[axis] + map.elementStrides[axis] - 1) / map.elementStrides[axis];
  }
  uint32_t imageBytes() const;
  /// Alignment that the image needs in shared memory.
  uint32_t imageAlignment() const { return 128; }
  /// What the driver would refuse; empty when nothing.
  std::string refusal() const;
  /// Calls `visit` for every row of the box at `coordinates` (innermost first).
  void forEachRun(const std::array<int32_t, 5> &coordinates, const std::function<void(const BoxRun &)> &visit) const;

private:
  HostTensorMap map;
  uint64_t address;
};

/// The swizzle of a mode of `width` bytes (0, 32, 64, 128) on a shared-memory byte address: 16-byte chunks are
/// exchanged by bits 7 to 9 (PTX ISA, tensor swizzling modes).
inline uint32_t swizzled(uint32_t byteAddress, unsigned width) {
  uint32_t chunks = width == 128 ? 0x70 : width == 64 ? 0x30 : width == 32 ? 0x10 : 0;
  return byteAddress ^ ((byteAddress >> 3) & chunks);
}

} // namespace tlx::emu

#endif
