// Spellings of the enumerations of a manifest, shared by reader and writer.
#ifndef TLX_LIB_MANIFEST_NAMES_H
#define TLX_LIB_MANIFEST_NAMES_H

#include "tlx/Manifest/Manifest.h"

namespace tlx::rt {

template <typename T> struct Spelled {
  T value;
  const char *text;
};

inline constexpr Spelled<ImageKind> imageKinds[] = {
    {ImageKind::Cubin, "cubin"}, {ImageKind::Hsaco, "hsaco"}, {ImageKind::Ptx, "ptx"}};
inline constexpr Spelled<ParamKind> paramKinds[] = {{ParamKind::Pointer, "pointer"},
                                                    {ParamKind::Scalar, "scalar"},
                                                    {ParamKind::TensorMap, "tensor_map"},
                                                    {ParamKind::Scratch, "scratch"}};
inline constexpr Spelled<Fill> fills[] = {{Fill::Zero, "zero"}, {Fill::NaN, "nan"}};

template <typename T, size_t N> const char *nameOf(const Spelled<T> (&table)[N], T value) {
  for (const Spelled<T> &row : table)
    if (row.value == value)
      return row.text;
  return "?";
}

} // namespace tlx::rt

#endif
