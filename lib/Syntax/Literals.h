// What the spelling of a literal means.
#ifndef TLX_LIB_SYNTAX_LITERALS_H
#define TLX_LIB_SYNTAX_LITERALS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tlx::ast {

struct IntValue {
  /// The low 64 bits.
  uint64_t value = 0;
  bool overflow = false;
};

/// The value of a well-formed integer literal of any base.
IntValue intValue(llvm::StringRef spelling);
/// The nearest double of a well-formed float literal; infinity when it is too large.
double floatValue(llvm::StringRef spelling);

/// The parts of a string literal as it stands in the source.
struct StringParts {
  bool isRaw = false;
  bool isBytes = false;
  bool isFormatted = false;
  /// Where the text between the quotes lies within the literal.
  uint32_t bodyBegin = 0;
  uint32_t bodyEnd = 0;
};
StringParts splitString(llvm::StringRef literal);

/// An escape that does not name a character: offset within the body and length.
struct EscapeProblem {
  uint32_t offset;
  uint32_t length;
};
/// Appends `body` with its escapes resolved. Escapes that Python does not know stay as they are written.
std::optional<EscapeProblem> decodeEscapes(llvm::StringRef body, bool isBytes, std::string &decoded);

} // namespace tlx::ast

#endif
