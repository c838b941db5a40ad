// `-W…`: which warnings are given, and whether they fail the compile.
#include "OptionValues.h"
#include "tlx/Support/NearestName.h"

using namespace tlx;

/// Remarks that nobody sees unless they ask are asked for like warnings.
static bool isOption(diag::Kind kind) {
  return diag::severityOf(kind) == diag::Severity::Warning || diag::isOffByDefault(kind);
}

/// Short names of warnings whose kinds say more.
static std::optional<diag::Kind> shortName(llvm::StringRef name) {
  if (name == "spill")
    return diag::Kind::RegisterSpill;
  if (name == "serialized-wgmma")
    return diag::Kind::MatrixSerialized;
  return std::nullopt;
}

static std::vector<llvm::StringRef> knownWarnings() {
  std::vector<llvm::StringRef> names{"spill", "serialized-wgmma"};
  for (diag::Kind kind : diag::allKinds())
    if (isOption(kind))
      names.push_back(diag::spelling(kind));
  return names;
}

std::string tlx::warningNames() {
  std::string off;
  for (diag::Kind kind : diag::allKinds())
    if (diag::isOffByDefault(kind))
      off += (off.empty() ? "" : ", ") + diag::spelling(kind).str();
  return "give a warning or remark that is off by default (" + off + "), leave one out, or make them errors";
}

Problem tlx::readWarnings(const std::vector<std::string> &typed, diag::WarningPolicy &policy) {
  for (const std::string &option : typed) {
    llvm::StringRef name = option;
    if (name == "error") {
      policy.areErrors = true;
      continue;
    }
    bool isOff = name.consume_front("no-");
    std::optional<diag::Kind> kind = shortName(name);
    if (!kind)
      kind = diag::kindOfSpelling(name);
    if (!kind || !isOption(*kind)) {
      std::string problem = "there is no warning `" + name.str() + "`";
      if (std::optional<llvm::StringRef> near = nearestName(name, knownWarnings()))
        problem += "; did you mean `" + near->str() + "`?";
      return problem;
    }
    // The last word on a warning counts.
    (isOff ? policy.disabled : policy.enabled).insert(*kind);
    (isOff ? policy.enabled : policy.disabled).erase(*kind);
  }
  return std::nullopt;
}
