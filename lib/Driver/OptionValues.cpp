// Reading and refusing the values of options.
#include "OptionValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace tlx;

Problem tlx::readTargets(const std::vector<std::string> &typed, std::vector<const Arch *> &targets) {
  for (const std::string &name : typed) {
    const Arch *arch = findArch(name);
    if (!arch)
      return "unknown target `" + name + "` (known: " + archNames() + ")";
    if (!llvm::is_contained(targets, arch))
      targets.push_back(arch);
  }
  return std::nullopt;
}

Problem tlx::readStopAfter(const std::string &typed, Stage &stage) {
  if (typed.empty())
    return std::nullopt;
  std::optional<Stage> found = findStage(typed);
  if (!found)
    return "unknown gate `" + typed + "` (known: " + stageNames() + ")";
  stage = *found;
  return std::nullopt;
}

static Problem readArtifact(llvm::StringRef name, ArtifactSet &artifacts, Stage &latest) {
  std::optional<Artifact> artifact = findArtifact(name);
  if (!artifact)
    return "unknown kind `" + name.str() + "` to emit (known: " + artifactNames() + ")";
  artifacts.insert(*artifact);
  latest = std::max(latest, stageOf(*artifact));
  return std::nullopt;
}

Problem tlx::readEmit(const std::vector<std::string> &typed, Stage &stage, ArtifactSet &artifacts) {
  bool adds = !typed.empty() && llvm::StringRef(typed.front()).starts_with("+");
  if (typed.empty() || adds) {
    if (std::optional<Artifact> text = textOf(stage))
      artifacts.insert(*text);
    else
      artifacts = CompileOptions().artifacts;
  }
  Stage latest = adds || typed.empty() ? stage : Stage::Parsed;
  for (llvm::StringRef name : typed) {
    name.consume_front("+");
    if (Problem problem = readArtifact(name, artifacts, latest))
      return problem;
  }
  if (latest > stage)
    return "what `--emit` names does not exist yet at the gate `" + spelling(stage).str() + "` of `--stop-after`";
  stage = latest;
  return std::nullopt;
}

Problem tlx::checkEmit(const std::vector<std::string> &typed, const std::vector<const Arch *> &targets,
                       const ArtifactSet &artifacts) {
  if (targets.empty())
    return std::nullopt;
  for (llvm::StringRef name : typed) {
    name.consume_front("+");
    Artifact artifact = *findArtifact(name);
    if (llvm::none_of(targets, [&](const Arch *arch) { return isMadeFor(artifact, *arch); }))
      return "`" + name.str() + "` is not made for `" + targets.front()->name.str() + "`, which has `" +
             spelling(assemblyOf(*targets.front())).str() + "` and `" + spelling(imageOf(*targets.front())).str() + "`";
  }
  for (const Arch *arch : targets)
    if (artifacts.madeFor(*arch).size() == 0)
      return "`--emit` names nothing that is made for `" + arch->name.str() + "`, which has `" +
             spelling(assemblyOf(*arch)).str() + "` and `" + spelling(imageOf(*arch)).str() + "`";
  return std::nullopt;
}

Problem tlx::readDefines(const std::vector<std::string> &typed,
                         std::vector<std::pair<std::string, std::string>> &defines) {
  for (llvm::StringRef text : typed) {
    auto [name, value] = text.split('=');
    if (name.trim().empty() || !text.contains('='))
      return "write `-D NAME=VALUE`, not `-D " + text.str() + "`";
    if (llvm::Regex(",[ \t]*[A-Za-z_][A-Za-z_0-9]*[ \t]*=[^=]").match(value))
      return "write one `-D` for each value: `-D " + text.str() + "`";
    for (auto &[known, before] : defines)
      if (known == name.trim())
        return "`-D " + known + "` is given twice, as `" + before + "` and as `" + value.trim().str() + "`";
    defines.emplace_back(name.trim().str(), value.trim().str());
  }
  return std::nullopt;
}

Problem tlx::readCluster(const std::string &typed, std::optional<std::array<int, 3>> &cluster) {
  if (typed.empty())
    return std::nullopt;
  std::array<int, 3> sizes = {1, 1, 1};
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(typed).split(parts, ',');
  if (parts.size() > 3)
    return "a cluster has three axes at most: `--cluster " + typed + "`";
  for (auto [size, part] : llvm::zip(sizes, parts))
    if (part.trim().getAsInteger(10, size) || size < 1)
      return "`--cluster " + typed + "` is not a list of positive numbers";
  // CUDA programming guide, thread block clusters: 16 blocks need a non-portable launch, more do not exist.
  if (int64_t blocks = int64_t(sizes[0]) * sizes[1] * sizes[2]; blocks > 16)
    return "a cluster of " + std::to_string(blocks) + " blocks is too large; 16 is the most";
  cluster = sizes;
  return std::nullopt;
}

Problem tlx::readConfig(const std::string &typed, std::optional<int> &config, bool &all) {
  all = typed == "all";
  int index;
  if (typed.empty() || all)
    return std::nullopt;
  if (llvm::StringRef(typed).getAsInteger(10, index) || index < 0)
    return "`--config " + typed + "` is neither a number from 0 nor `all`";
  config = index;
  return std::nullopt;
}

Problem tlx::checkVariant(const std::string &typed) {
  if (typed.empty() || llvm::Regex("^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$").match(typed))
    return std::nullopt;
  return "`--variant " + typed + "` becomes a part of file names: up to 100 letters, digits, `_`, `.` and `-`";
}

Problem tlx::readNumWarps(std::optional<int> typed, std::optional<int> &numWarps) {
  if (!typed)
    return std::nullopt;
  bool fits = *typed >= 1 && *typed <= 32 && (llvm::isPowerOf2_32(*typed) || *typed % 4 == 0);
  if (!fits)
    return "`--num-warps " + std::to_string(*typed) +
           "` is neither a power of two nor a multiple of 4 between 1 and 32";
  numWarps = typed;
  return std::nullopt;
}
