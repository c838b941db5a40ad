// Where something stands in the user's text. Lives below the files themselves so that a diagnostic can name a place
// without knowing how files are held.
#ifndef TLX_SUPPORT_SOURCERANGE_H
#define TLX_SUPPORT_SOURCERANGE_H

#include <cstdint>

namespace tlx {

/// Index of a file in the SourceManager that owns it.
using FileId = uint32_t;

/// The FileId of a range that names no place, for example a mistake on the command line.
inline constexpr FileId noFile = ~FileId(0);

/// Half-open range of byte offsets in one file. A range with begin == end is the place before that byte.
struct SourceRange {
  FileId file = noFile;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isKnown() const { return file != noFile; }
  bool operator==(const SourceRange &) const = default;
};

/// The smallest range that holds both; an unknown side is ignored.
inline SourceRange join(SourceRange a, SourceRange b) {
  if (!a.isKnown())
    return b;
  if (!b.isKnown() || a.file != b.file)
    return a;
  return {a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

} // namespace tlx

#endif
