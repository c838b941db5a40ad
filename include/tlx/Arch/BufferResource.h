//===- BufferResource.h - the last word of AMD's buffer resource descriptors -----------------------------===//

#ifndef TLX_ARCH_BUFFERRESOURCE_H
#define TLX_ARCH_BUFFERRESOURCE_H

#include <cstdint>

namespace tlx {

/// What bits 96 to 127 of a buffer resource descriptor say besides zeros (CDNA3 ISA, buffer resource descriptor).
struct BufferFormat {
  /// Bits 0 to 11, three for each component: 0 gives zero, 1 one, 4 to 7 the components of memory.
  unsigned x = 0, y = 0, z = 0, w = 0;
  /// Bits 12 to 14: 7 is float.
  unsigned number = 0;
  /// Bits 15 to 18: 4 is one component of 32 bits.
  unsigned data = 0;
};

constexpr uint32_t lastWordOf(const BufferFormat &format) {
  return format.x | format.y << 3 | format.z << 6 | format.w << 9 | format.number << 12 | format.data << 15;
}

/// Raw words: components are not selected, since raw instructions move words as they are.
constexpr BufferFormat rawWords = {0, 0, 0, 0, /*number=*/7, /*data=*/4};

} // namespace tlx

#endif // TLX_ARCH_BUFFERRESOURCE_H
