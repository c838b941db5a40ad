// The table as data and as text.
#include "tlx/Specialize/Language.h"
#include "Builtins.h"
#include <map>

using namespace tlx;
using namespace tlx::specialize;

static std::vector<std::pair<std::string, std::string>> aliases() {
  return {
#define TLX_ALIAS(NAME, ROW) {NAME, ROW},
#include "Builtins.def"
  };
}

std::vector<FunctionInfo> tlx::specialize::listFunctions() {
  std::vector<FunctionInfo> functions;
  std::map<std::string, size_t> places;
  for (const Builtin &builtin : allBuiltins()) {
    places[builtin.name.str()] = functions.size();
    functions.push_back({builtin.name.str(), builtin.parameters.str(), builtin.feature.str(), builtin.summary.str(), "",
                         builtin.handler == unsupportedBuiltin});
  }
  for (const auto &[name, row] : aliases()) {
    auto found = places.find(row);
    if (found == places.end())
      continue;
    FunctionInfo copy = functions[found->second];
    copy.name = name;
    copy.aliasOf = row;
    functions.push_back(std::move(copy));
  }
  return functions;
}

/// What stands before the first dot decides the section.
static std::string sectionOf(const std::string &name) {
  llvm::StringRef prefix = name.find('.') == std::string::npos ? "" : llvm::StringRef(name).split('.').first;
  if (prefix == "tl" || prefix == "triton")
    return "`tl`";
  if (prefix == "tlx")
    return "`tlx`";
  if (prefix.empty())
    return "Python";
  if (prefix == "tile" || prefix == "descriptor" || prefix == "buffer" || prefix == "dtype")
    return "Methods";
  return "Other modules";
}

/// A bar ends a cell.
static std::string cell(llvm::StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

void tlx::specialize::printFunctionsAsMarkdown(llvm::raw_ostream &stream) {
  std::vector<FunctionInfo> functions = listFunctions();
  std::map<std::string, std::string> otherNames;
  for (const FunctionInfo &function : functions)
    if (!function.aliasOf.empty())
      otherNames[function.aliasOf] += (otherNames[function.aliasOf].empty() ? "`" : ", `") + function.name + "`";
  for (const char *section : {"Python", "`tl`", "`tlx`", "Methods", "Other modules"}) {
    bool isFirst = true;
    for (const FunctionInfo &function : functions) {
      if (!function.aliasOf.empty() || sectionOf(function.name) != section)
        continue;
      if (isFirst)
        stream << "\n### " << section << "\n\n| function | what it does | from | also called |\n|---|---|---|---|\n";
      isFirst = false;
      stream << "| `" << function.name << '(' << cell(function.parameters) << ")` | " << cell(function.summary)
             << (function.isUnsupported ? " *(not supported yet)*" : "") << " | " << function.target << " | "
             << otherNames[function.name] << " |\n";
    }
  }
}
