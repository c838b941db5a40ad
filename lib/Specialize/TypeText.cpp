// Parses type strings. Extents of tensor maps are expressions, for which the language's own parser is used.
#include "TypeText.h"
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Syntax/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::StringRef;

mlir::Type ParameterType::toMLIR(mlir::MLIRContext *context) const {
  if (isDescriptor)
    return DescriptorType::get(context, block, element.toMLIR(context));
  return element.toMLIR(context);
}

std::string ParameterType::text() const {
  if (!isDescriptor)
    return element.name();
  std::string result = "tensordesc<" + element.name() + "[";
  llvm::raw_string_ostream stream(result);
  llvm::interleave(block, stream, ",");
  return result + "]>";
}

llvm::SmallVector<StringRef> tlx::specialize::splitAtCommas(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += StringRef("([<{").contains(text[i]);
    depth -= StringRef(")]>}").contains(text[i]);
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.drop_front(begin).trim().empty())
    parts.push_back(text.drop_front(begin).trim());
  return parts;
}

/// The value of an expression that stands outside the user's files.
static std::optional<Datum> evaluateText(StringRef text, NameLookup lookup) {
  if (text.contains('\n') || text.contains('#'))
    return std::nullopt;
  SourceFile file(/*id=*/0, "<text>", ("(" + text + ")\n").str());
  ast::Context arena;
  diag::Sink quiet;
  const ast::Module *module = ast::parse(file, arena, quiet);
  if (quiet.hasErrors() || module->body.size() != 1)
    return std::nullopt;
  const auto *statement = llvm::dyn_cast<ast::ExprStmt>(module->body.front());
  return statement ? evaluateConstant(statement->value, lookup) : std::nullopt;
}

/// An element type by its own name, or by the name of a constant that holds one.
static std::optional<DType> elementNamed(StringRef text, NameLookup lookup) {
  if (auto type = parseDType(text))
    return type;
  bool isPointer = text.consume_front("*");
  auto value = lookup(text);
  if (!value)
    return std::nullopt;
  std::optional<DType> type;
  if (const auto *known = value->getIf<DType>())
    type = *known;
  else if (const auto *name = value->getIf<std::string>())
    type = parseDType(*name);
  return type && isPointer ? std::optional(type->pointer()) : type;
}

static bool parseDescriptor(StringRef text, NameLookup lookup, ParameterType &type, std::string &why) {
  auto [element, rest] = text.split('[');
  auto parsed = elementNamed(element.trim(), lookup);
  if (!parsed || parsed->isPointer || !rest.consume_back("]")) {
    why = "a tensor map is written `tensordesc<fp16[128,64]>`";
    return false;
  }
  auto extents = evaluateText((rest + ",").str(), lookup);
  if (!extents || !extents->asSequence()) {
    why = "the extents `" + rest.str() + "` are not constants";
    return false;
  }
  for (const Datum &extent : extents->asSequence()->elements) {
    if (extent.asInt().value_or(0) < 1 || *extent.asInt() > (1 << 16)) {
      why = "`" + extent.text() + "` is not an extent from 1 to 65536";
      return false;
    }
    type.block.push_back(*extent.asInt());
  }
  // CUDA driver API, cuTensorMapEncodeTiled: one to five axes.
  if (type.block.empty() || type.block.size() > 5) {
    why = "a tensor map has 1 to 5 axes; this one has " + std::to_string(type.block.size());
    return false;
  }
  type.element = *parsed;
  type.isDescriptor = true;
  return true;
}

std::optional<ParameterType> tlx::specialize::parseTypeText(StringRef text, NameLookup lookup, std::string &why) {
  ParameterType type;
  text = text.trim();
  StringRef body = text;
  if (body.consume_front("tensordesc<")) {
    if (!body.consume_back(">")) {
      why = "a tensor map is written `tensordesc<fp16[128,64]>`";
      return std::nullopt;
    }
    return parseDescriptor(body, lookup, type, why) ? std::optional(type) : std::nullopt;
  }
  auto [beforeColon, divisor] = body.split(':');
  auto [name, value] = beforeColon.split('=');
  int64_t number = 0;
  if (body.contains(':')) {
    if (divisor.trim().getAsInteger(10, number) || number < 1) {
      why = "`" + divisor.str() + "` is not a positive number to be divisible by";
      return std::nullopt;
    }
    if (!llvm::isPowerOf2_64(number) || number > (1 << 30)) {
      why = "a divisor is a power of two, and " + divisor.trim().str() +
            " is not one (of use are 16, and 2, 4 and 8 of numbers)";
      return std::nullopt;
    }
    type.divisibility = number;
  }
  auto parsed = elementNamed(name.trim(), lookup);
  if (!parsed) {
    why = "there is no type `" + name.trim().str() + "`";
    return std::nullopt;
  }
  type.element = *parsed;
  if (beforeColon.contains('=')) {
    if (value.trim().getAsInteger(10, number) || !parsed->isInteger()) {
      why = "`=" + value.str() + "` is not a value of an integer";
      return std::nullopt;
    }
    type.equalTo = number;
  }
  return type;
}

/// A word stands for itself, as `relu` does: nobody wants to quote it twice for the shell.
static bool isWord(StringRef text) {
  bool startsWell = !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_');
  return startsWell &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_.-").contains(c); });
}

std::optional<Datum> tlx::specialize::parseDefineText(StringRef text, NameLookup lookup) {
  auto known = [&](StringRef name) -> std::optional<Datum> {
    if (auto type = parseDType(name))
      return Datum(*type);
    return lookup(name);
  };
  // Between brackets, nothing is an empty tuple.
  auto value = text.trim().empty() ? std::nullopt : evaluateText(text.trim(), known);
  bool isUseful = value && (value->isNumber() || value->isNone() || value->is<std::string>() || value->is<DType>() ||
                            value->asSequence());
  if (isUseful)
    return *value;
  return isWord(text.trim()) ? std::optional(Datum(text.trim().str())) : std::nullopt;
}
