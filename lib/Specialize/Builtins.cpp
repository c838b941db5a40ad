// Looks up rows of the table and reads their parameter lists.
#include "Builtins.h"
#include "tlx/Support/NearestName.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::StringRef;

static constexpr Builtin builtinRows[] = {
#define TLX_BUILTIN(NAME, HANDLER, PARAMETERS, FEATURE, SUMMARY) {NAME, HANDLER, PARAMETERS, FEATURE, SUMMARY},
#include "Builtins.def"
};

namespace {
struct Alias {
  llvm::StringLiteral name;
  llvm::StringLiteral row;
};
} // namespace

static constexpr Alias aliases[] = {
#define TLX_ALIAS(NAME, ROW) {NAME, ROW},
#include "Builtins.def"
};

llvm::ArrayRef<Builtin> tlx::specialize::allBuiltins() {
  return builtinRows;
}

const Builtin *tlx::specialize::findBuiltin(StringRef name) {
  for (const Alias &alias : aliases)
    if (alias.name == name) {
      name = alias.row;
      break;
    }
  for (const Builtin &row : builtinRows)
    if (row.name == name)
      return &row;
  return nullptr;
}

bool tlx::specialize::isNamespace(StringRef prefix) {
  std::string dotted = (prefix + ".").str();
  return prefix == "tlx.storage_kind" || prefix == "tlx.reuse_group_type" || prefix == "tl.PropagateNan" ||
         llvm::any_of(builtinRows, [&](const Builtin &row) { return row.name.starts_with(dotted); });
}

std::optional<Datum> tlx::specialize::findConstant(StringRef name) {
  if (name.consume_front("tlx.storage_kind.") || name.consume_front("tlx.reuse_group_type.") ||
      name.consume_front("tl.PropagateNan."))
    return Datum(name.str());
  if (!name.consume_front("tl."))
    return std::nullopt;
  // Only the long names: `tl.fp16` is not one of the language.
  auto type = parseDType(name);
  bool isShort = type && name == type->name() && name != "void";
  if (!type || type->isPointer || isShort || name.starts_with("fp8"))
    return std::nullopt;
  return Datum(*type);
}

std::optional<std::string> tlx::specialize::nearestBuiltin(StringRef prefix, StringRef name) {
  std::string dotted = prefix.empty() ? "" : (prefix + ".").str();
  llvm::SmallVector<StringRef> candidates;
  auto consider = [&](StringRef candidate) {
    if (candidate.starts_with(dotted) && !candidate.drop_front(dotted.size()).contains('.'))
      candidates.push_back(candidate.drop_front(dotted.size()));
  };
  for (const Builtin &row : builtinRows)
    consider(row.name);
  for (const Alias &alias : aliases)
    consider(alias.name);
  // Names that the project's own documents use for the same function.
  if (prefix == "tlx" && name == "alloc_barrier")
    return "tlx.alloc_barriers";
  if (auto nearest = nearestName(name, candidates))
    return dotted + nearest->str();
  return std::nullopt;
}

std::string tlx::specialize::prefixOfModule(StringRef module) {
  static constexpr Alias modules[] = {
      {"triton.language", "tl"},
      {"triton.language.math", "tl.math"},
      {"triton.language.extra.tlx", "tlx"},
      {"triton.language.extra.tlx.warp_spec", "tlx"},
      {"triton.language.extra.libdevice", "libdevice"},
      {"triton.language.extra.cuda.libdevice", "libdevice"},
      {"triton", "triton"},
  };
  for (const Alias &row : modules)
    if (row.name == module)
      return row.row.str();
  return "";
}

/// A default as the table writes it.
static Datum parseDefault(StringRef text) {
  if (text == "True" || text == "False")
    return Datum(text == "True");
  if (text == "[]" || text == "()")
    return Datum::sequence({}, text == "[]");
  if (text == "(1, 0)")
    return Datum::sequence({Datum(int64_t(1)), Datum(int64_t(0))}, false);
  if (text.consume_front("'"))
    return Datum(text.drop_back().str());
  int64_t number = 0;
  if (!text.getAsInteger(10, number))
    return Datum(number);
  assert(text == "None" && "a default that the table's reader does not know");
  return Datum(NoneValue());
}

/// Splits at commas outside brackets.
static llvm::SmallVector<StringRef> splitParameters(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[';
    depth -= text[i] == ')' || text[i] == ']';
    if (text[i] == ',' && depth == 0) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  if (!text.trim().empty())
    parts.push_back(text.drop_front(begin).trim());
  return parts;
}

llvm::SmallVector<BuiltinParameter> tlx::specialize::parseParameters(StringRef text) {
  llvm::SmallVector<BuiltinParameter> parameters;
  bool keywordOnly = false;
  for (StringRef part : splitParameters(text)) {
    if (part == "*") {
      keywordOnly = true;
      continue;
    }
    BuiltinParameter parameter;
    parameter.isKeywordOnly = keywordOnly;
    parameter.isSwallow = part.consume_front("**");
    parameter.isRest = !parameter.isSwallow && part.consume_front("*");
    keywordOnly |= parameter.isRest;
    auto [declaration, defaultText] = part.split('=');
    if (part.contains('='))
      parameter.defaultValue = parseDefault(defaultText.trim());
    auto [name, annotation] = declaration.split(':');
    parameter.name = name.trim();
    parameter.isConstexpr = annotation.trim() == "constexpr";
    parameters.push_back(parameter);
  }
  return parameters;
}
