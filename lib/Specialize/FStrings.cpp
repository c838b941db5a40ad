// f-strings of compile-time values, with Python's format specifications.
#include "Specializer.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

namespace {
/// [[fill]align][sign][#][0][width][,][.precision][type]
struct FormatSpec {
  static std::optional<FormatSpec> read(StringRef text);

  char fill = ' ', align = 0, sign = '-', type = 0;
  bool hasPrefix = false, hasCommas = false;
  unsigned width = 0;
  std::optional<unsigned> precision;
};
} // namespace

static bool isAlign(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

std::optional<FormatSpec> FormatSpec::read(StringRef text) {
  constexpr unsigned widest = 1024;
  FormatSpec spec;
  if (text.size() >= 2 && isAlign(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    text = text.drop_front(2);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && StringRef("+- ").contains(text[0])) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.hasPrefix = text.consume_front("#");
  if (text.consume_front("0") && !spec.align) {
    spec.fill = '0';
    spec.align = '=';
  }
  if (!text.empty() && llvm::isDigit(text[0]) && text.consumeInteger(10, spec.width))
    return std::nullopt;
  spec.hasCommas = text.consume_front(",");
  if (unsigned digits = 0; text.consume_front(".")) {
    if (text.consumeInteger(10, digits))
      return std::nullopt;
    spec.precision = digits;
  }
  if (!text.empty()) {
    spec.type = text[0];
    text = text.drop_front();
  }
  if (!text.empty() || spec.width > widest || spec.precision.value_or(0) > widest)
    return std::nullopt;
  return spec;
}

static std::string withCommas(std::string digits) {
  size_t end = std::min(digits.find('.'), digits.size());
  for (size_t i = end; i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

static std::optional<std::string> magnitudeOf(double number, const FormatSpec &spec) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  unsigned precision = spec.precision.value_or(6);
  double shown = spec.type == '%' ? number * 100 : number;
  switch (spec.type) {
  case 'f':
  case 'F':
  case '%':
    stream << llvm::format("%.*f", precision, shown);
    break;
  case 'e':
  case 'E':
    stream << llvm::format("%.*e", precision, shown);
    break;
  case 'g':
  case 'G':
  case 0:
    stream << llvm::format("%.*g", spec.precision ? precision : spec.type ? 6 : 17, shown);
    break;
  default:
    return std::nullopt;
  }
  if (spec.type == '%')
    text += '%';
  return text;
}

static std::optional<std::string> magnitudeOf(uint64_t number, const FormatSpec &spec) {
  switch (spec.type) {
  case 0:
  case 'd':
    return llvm::utostr(number);
  case 'x':
    return (spec.hasPrefix ? "0x" : "") + llvm::utohexstr(number, /*LowerCase=*/true);
  case 'X':
    return (spec.hasPrefix ? "0X" : "") + llvm::utohexstr(number);
  case 'b':
  case 'o': {
    std::string digits;
    unsigned base = spec.type == 'b' ? 2 : 8;
    for (uint64_t rest = number; rest || digits.empty(); rest /= base)
      digits.insert(digits.begin(), static_cast<char>('0' + rest % base));
    return (spec.hasPrefix ? (spec.type == 'b' ? "0b" : "0o") : "") + digits;
  }
  default:
    return std::nullopt;
  }
}

static std::string padded(std::string text, StringRef sign, const FormatSpec &spec, char align) {
  size_t length = text.size() + sign.size();
  size_t missing = spec.width > length ? spec.width - length : 0;
  if (align == '=')
    return sign.str() + std::string(missing, spec.fill) + text;
  size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  return std::string(before, spec.fill) + sign.str() + text + std::string(missing - before, spec.fill);
}

static std::optional<std::string> formatted(const Datum &value, const FormatSpec &spec) {
  bool isText = !value.isNumber() || (value.is<bool>() && !spec.type);
  if (isText) {
    if (spec.type && spec.type != 's')
      return std::nullopt;
    std::string text = value.text();
    if (spec.precision)
      text.resize(std::min<size_t>(text.size(), *spec.precision));
    return padded(text, "", spec, spec.align ? spec.align : '<');
  }
  std::optional<std::string> digits;
  bool isNegative = *value.asDouble() < 0;
  bool asFloat = value.is<double>() || (spec.type && StringRef("fFeEgG%").contains(spec.type));
  if (asFloat)
    digits = magnitudeOf(std::abs(*value.asDouble()), spec);
  else
    digits = magnitudeOf(isNegative ? 0 - static_cast<uint64_t>(*value.asInt()) : static_cast<uint64_t>(*value.asInt()),
                         spec);
  if (!digits)
    return std::nullopt;
  if (spec.hasCommas)
    digits = withCommas(*digits);
  StringRef sign = isNegative ? "-" : spec.sign == '-' ? "" : spec.sign == '+' ? "+" : " ";
  return padded(*digits, sign, spec, spec.align ? spec.align : '>');
}

Result Specializer::evaluateFString(const ast::FString *expr) {
  std::string text;
  for (const ast::FStringPart &part : expr->parts) {
    text += part.text;
    if (!part.value)
      continue;
    auto value = evaluate(part.value);
    if (failed(value))
      return failure();
    // `repr` differs from `str` for text only.
    if (part.conversion && part.conversion != 's' && value->is<std::string>())
      value = Datum("'" + value->text() + "'");
    auto format = part.format ? evaluateFString(part.format) : Result(Datum(std::string()));
    if (failed(format))
      return failure();
    auto spec = FormatSpec::read(*format->getIf<std::string>());
    auto shown = spec && part.format ? formatted(*value, *spec) : std::optional(value->text());
    if (!spec || !shown)
      return unsupported(part.range, "the format `" + *format->getIf<std::string>() + "` of " + value->describe());
    text += *shown;
  }
  return Datum(text);
}
