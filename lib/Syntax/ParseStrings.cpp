// Strings: adjacent literals, escapes, and the replacement fields of f-strings.
#include "Literals.h"
#include "Parsing.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tlx;
using namespace tlx::ast;

/// Decodes text of the source and appends it.
bool Parsing::decodeInto(uint32_t begin, uint32_t end, bool isRaw, bool isBytes, std::string &decoded) {
  StringRef body = file.text().slice(begin, end);
  if (isRaw) {
    decoded += body;
    return true;
  }
  std::optional<EscapeProblem> problem = decodeEscapes(body, isBytes, decoded);
  if (!problem)
    return true;
  uint32_t at = begin + problem->offset;
  report(diag::Kind::MalformedEscape, {file.id(), at, at + problem->length}, "this escape names no character");
  return false;
}

/// Appends literal text, joined to the text before it.
void Parsing::addText(uint32_t begin, uint32_t end, StringRef text, llvm::SmallVectorImpl<FStringPart> &parts) {
  if (text.empty())
    return;
  bool isJoined = !parts.empty() && !parts.back().value;
  if (!isJoined) {
    parts.push_back({{file.id(), begin, end}, context.copy(text), nullptr, 0, false, nullptr});
    return;
  }
  parts.back().text = context.copy((parts.back().text + text).str());
  parts.back().range.end = end;
}

/// Adjacent literals: one string, or one f-string if any of them is one.
const Expr *Parsing::parseStrings() {
  uint32_t begin = token.begin;
  bool isBytes = splitString(textOf(token)).isBytes, isFormatted = false;
  std::string value;
  llvm::SmallVector<FStringPart, 8> parts;
  while (is(TokenKind::String)) {
    Token literal = take();
    StringParts split = splitString(textOf(literal));
    uint32_t cursor = literal.begin + split.bodyBegin, end = literal.begin + split.bodyEnd;
    if (split.isBytes != isBytes) {
      report(diag::Kind::ExpectedToken, rangeOf(literal), "a string of bytes and a string of text stand together");
      return nullptr;
    }
    if (split.isFormatted) {
      isFormatted = true;
      addText(begin, cursor, value, parts);
      value.clear();
      if (!parseFormatted(cursor, end, split.isRaw, /*isFormat=*/false, parts))
        return nullptr;
    } else if (!decodeInto(cursor, end, split.isRaw, isBytes, value)) {
      return nullptr;
    }
  }
  if (isFormatted) {
    addText(begin, lastEnd, value, parts);
    auto node = start<FString>();
    node.parts = copy(parts);
    return finishExpr(node, begin);
  }
  auto node = start<StringLiteral>();
  node.value = context.copy(StringRef(value));
  node.isBytes = isBytes;
  return finishExpr(node, begin);
}

/// The next place in text[cursor, end) that matters to an f-string: a brace. Escapes are passed over.
static uint32_t findBrace(StringRef text, uint32_t cursor, uint32_t end, bool isRaw) {
  while (cursor < end && text[cursor] != '{' && text[cursor] != '}') {
    // The name in \N{...} is no field.
    if (!isRaw && text.slice(cursor, end).starts_with("\\N{")) {
      size_t close = text.slice(0, end).find('}', cursor);
      cursor = close == StringRef::npos ? end : static_cast<uint32_t>(close + 1);
    } else {
      cursor += !isRaw && text[cursor] == '\\' && cursor + 1 < end && text[cursor + 1] == '\\' ? 2 : 1;
    }
  }
  return std::min(cursor, end);
}

/// Text and fields up to `end`, or, in a format, up to the `}` that ends it, where the cursor is left.
bool Parsing::parseFormatted(uint32_t &cursor, uint32_t end, bool isRaw, bool isFormat,
                             llvm::SmallVectorImpl<FStringPart> &parts) {
  StringRef text = file.text();
  while (cursor < end) {
    uint32_t brace = findBrace(text, cursor, end, isRaw);
    std::string decoded;
    if (!decodeInto(cursor, brace, isRaw, /*isBytes=*/false, decoded))
      return false;
    addText(cursor, brace, decoded, parts);
    cursor = brace;
    if (cursor == end)
      return true;
    bool isDoubled = cursor + 1 < end && text[cursor] == text[cursor + 1];
    if (isFormat && text[cursor] == '}')
      return true;
    if (isDoubled && !isFormat) {
      addText(cursor, cursor + 2, text.substr(cursor, 1), parts);
      cursor += 2;
      continue;
    }
    if (text[cursor] == '}') {
      report(diag::Kind::UnmatchedBracket, {file.id(), cursor, cursor + 1},
             "`}` closes no field of the f-string; `}}` writes a brace");
      return false;
    }
    if (!parseField(cursor, end, isRaw, parts))
      return false;
  }
  return true;
}

/// The expression of a field. The cursor, at its `{`, moves to the first character behind the expression.
const Expr *Parsing::parseFieldValue(uint32_t &cursor, uint32_t end) {
  // The field has tokens of its own; afterwards the outer ones go on where they were.
  Position outer = position();
  llvm::SaveAndRestore<bool> field(isInField, true);
  openBrackets.clear();
  lexer = Lexer(file.text(), cursor + 1, end);
  ahead.reset();
  take();
  const Expr *value = parseExpressions(/*isYieldAllowed=*/true);
  cursor = token.begin;
  goTo(outer);
  return value;
}

/// `{value}`, `{value=}`, `{value!r}`, `{value:format}`.
bool Parsing::parseField(uint32_t &cursor, uint32_t end, bool isRaw, llvm::SmallVectorImpl<FStringPart> &parts) {
  Nesting deeper(*this);
  if (deeper.isTooDeep())
    return false;
  StringRef text = file.text();
  uint32_t begin = cursor;
  FStringPart part = {};
  part.value = parseFieldValue(cursor, end);
  if (!part.value)
    return false;
  if (text.slice(cursor, end).starts_with("=")) {
    ++cursor;
    while (cursor < end && text[cursor] == ' ')
      ++cursor;
    part.isDebug = true;
    part.text = text.slice(begin + 1, cursor);
  }
  StringRef rest = text.slice(cursor, end);
  if (rest.size() > 1 && rest[0] == '!' && StringRef("rsa").contains(rest[1])) {
    part.conversion = rest[1];
    cursor += 2;
  }
  if (text.slice(cursor, end).starts_with(":") && !parseFormat(++cursor, end, isRaw, part))
    return false;
  if (cursor >= end || text[cursor] != '}') {
    report(diag::Kind::UnclosedBracket, {file.id(), begin, begin + 1},
           "`{` begins a field of the f-string that no `}` closes");
    return false;
  }
  ++cursor;
  part.range = {file.id(), begin, cursor};
  parts.push_back(part);
  return true;
}

bool Parsing::parseFormat(uint32_t &cursor, uint32_t end, bool isRaw, FStringPart &part) {
  llvm::SmallVector<FStringPart, 4> parts;
  uint32_t begin = cursor;
  if (!parseFormatted(cursor, end, isRaw, /*isFormat=*/true, parts))
    return false;
  auto node = start<FString>();
  node.parts = copy(parts);
  node.range = {file.id(), begin, cursor};
  part.format = llvm::cast_or_null<FString>(checkHeight(context.make(node)));
  return part.format != nullptr;
}
