// Types of scalars and tensor elements, and the exact conversion of single elements from and to double.
#ifndef TLX_MANIFEST_ELEMENTTYPE_H
#define TLX_MANIFEST_ELEMENTTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tlx::rt {

enum class ElementType : int {
#define TLX_ELEMENT_TYPE(NAME, SPELLING, BYTES, NUMBER) NAME = NUMBER,
#include "tlx/Manifest/ElementTypes.def"
};

/// The type that a type string such as `fp16` names.
std::optional<ElementType> parseElementType(std::string_view spelling);
std::string_view spelling(ElementType type);
int byteSize(ElementType type);

/// True for the binary floating-point types.
bool isFloat(ElementType type);
/// True for integers that hold negative values.
bool isSigned(ElementType type);
/// Smallest and largest integer of an integer type; of `u64` the part that fits into `int64_t`.
int64_t minInteger(ElementType type);
int64_t maxInteger(ElementType type);

/// The element at `bytes` as a double. Exact, except for 64-bit integers beyond 2^53.
double decodeElement(ElementType type, const void *bytes);

/// Stores `value` rounded to nearest even. The 16-bit and wider floats overflow to infinity; the 8-bit ones saturate,
/// as the only conversion of the hardware does. Integers truncate towards zero and clamp.
void encodeElement(ElementType type, double value, void *bytes);

} // namespace tlx::rt

#endif
