#include "Literals.h"
#include "Lexer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Unicode.h"
#include <cassert>

using namespace tlx;
using namespace tlx::ast;

static std::string withoutUnderscores(llvm::StringRef spelling) {
  std::string digits;
  for (char c : spelling)
    if (c != '_')
      digits.push_back(c);
  return digits;
}

IntValue ast::intValue(llvm::StringRef spelling) {
  unsigned base = 10;
  if (spelling.size() > 2 && spelling[0] == '0') {
    char letter = llvm::toLower(spelling[1]);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  }
  IntValue result;
  for (char c : base == 10 ? spelling : spelling.drop_front(2)) {
    if (c == '_')
      continue;
    unsigned __int128 wide = static_cast<unsigned __int128>(result.value) * base + llvm::hexDigitValue(c);
    result.value = static_cast<uint64_t>(wide);
    result.overflow |= (wide >> 64) != 0;
  }
  return result;
}

double ast::floatValue(llvm::StringRef spelling) {
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  auto status = value.convertFromString(withoutUnderscores(spelling), llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    assert(false && "the lexer passes only well-formed numbers");
  }
  return value.convertToDouble();
}

StringParts ast::splitString(llvm::StringRef literal) {
  std::optional<uint32_t> prefix = stringPrefixLength(literal);
  assert(prefix && "not a string");
  StringParts parts;
  for (char c : literal.take_front(*prefix)) {
    parts.isRaw |= llvm::toLower(c) == 'r';
    parts.isBytes |= llvm::toLower(c) == 'b';
    parts.isFormatted |= llvm::toLower(c) == 'f';
  }
  llvm::StringRef quoted = literal.drop_front(*prefix);
  uint32_t quoteLength = quoted.starts_with("'''") || quoted.starts_with("\"\"\"") ? 3 : 1;
  parts.bodyBegin = *prefix + quoteLength;
  parts.bodyEnd = static_cast<uint32_t>(literal.size()) - quoteLength;
  return parts;
}

static void appendCharacter(uint32_t character, bool isBytes, std::string &decoded) {
  if (isBytes) {
    decoded.push_back(static_cast<char>(character));
    return;
  }
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *cursor = buffer;
  llvm::ConvertCodePointToUTF8(character, cursor);
  decoded.append(buffer, cursor);
}

/// \xHH, \uHHHH, \UHHHHHHHH: the length of the escape, or 0 when it names no character.
static uint32_t decodeHex(llvm::StringRef escape, unsigned digits, bool isBytes, std::string &decoded) {
  uint32_t character = 0;
  llvm::StringRef number = escape.substr(2, digits);
  // getAsInteger would take a sign.
  if (number.size() != digits || !llvm::all_of(number, llvm::isHexDigit) || number.getAsInteger(16, character))
    return 0;
  if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
    return 0;
  appendCharacter(character, isBytes, decoded);
  return 2 + digits;
}

/// \N{NAME}
static uint32_t decodeNamed(llvm::StringRef escape, std::string &decoded) {
  size_t close = escape.find('}');
  if (!escape.starts_with("\\N{") || close == llvm::StringRef::npos)
    return 0;
  auto character = llvm::sys::unicode::nameToCodepointStrict(escape.slice(3, close));
  if (!character)
    return 0;
  appendCharacter(*character, /*isBytes=*/false, decoded);
  return static_cast<uint32_t>(close + 1);
}

static uint32_t decodeOctal(llvm::StringRef escape, bool isBytes, std::string &decoded) {
  uint32_t length = 1, character = 0;
  while (length < 4 && length < escape.size() && escape[length] >= '0' && escape[length] <= '7')
    character = character * 8 + static_cast<uint32_t>(escape[length++] - '0');
  appendCharacter(character, isBytes, decoded);
  return length;
}

/// Resolves the escape at the front of the text: its length, or 0 when it names no character.
static uint32_t decodeOne(llvm::StringRef escape, bool isBytes, std::string &decoded) {
  static constexpr std::pair<char, char> simple[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},  {'a', '\a'}, {'b', '\b'},
                                                     {'f', '\f'},  {'n', '\n'},  {'r', '\r'}, {'t', '\t'}, {'v', '\v'}};
  char letter = escape.size() > 1 ? escape[1] : '\0';
  for (auto [name, value] : simple)
    if (name == letter) {
      decoded.push_back(value);
      return 2;
    }
  if (letter == '\n')
    return 2;
  if (escape.starts_with("\\\r\n"))
    return 3;
  if (letter >= '0' && letter <= '7')
    return decodeOctal(escape, isBytes, decoded);
  if (letter == 'x')
    return decodeHex(escape, 2, isBytes, decoded);
  if (letter == 'u' && !isBytes)
    return decodeHex(escape, 4, isBytes, decoded);
  if (letter == 'U' && !isBytes)
    return decodeHex(escape, 8, isBytes, decoded);
  if (letter == 'N' && !isBytes)
    return decodeNamed(escape, decoded);
  decoded.push_back('\\');
  return 1;
}

std::optional<EscapeProblem> ast::decodeEscapes(llvm::StringRef body, bool isBytes, std::string &decoded) {
  size_t cursor = 0;
  while (cursor < body.size()) {
    size_t backslash = std::min(body.find('\\', cursor), body.size());
    decoded += body.slice(cursor, backslash);
    cursor = backslash;
    if (cursor == body.size())
      break;
    uint32_t length = decodeOne(body.drop_front(cursor), isBytes, decoded);
    if (length == 0)
      return EscapeProblem{static_cast<uint32_t>(cursor), 2};
    cursor += length;
  }
  return std::nullopt;
}
