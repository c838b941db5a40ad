// Names of gates and artifacts.
#include "tlx/Compiler/Options.h"

#include "llvm/ADT/StringExtras.h"

using namespace tlx;

namespace {
struct ArtifactRow {
  llvm::StringRef spelling;
  llvm::StringRef suffix;
  Stage stage;
};
} // namespace

static constexpr llvm::StringRef stageTable[] = {
#define TLX_STAGE(NAME, SPELLING) SPELLING,
#include "tlx/Compiler/Stages.def"
};

static constexpr ArtifactRow artifactTable[] = {
#define TLX_ARTIFACT(NAME, SPELLING, SUFFIX, STAGE) {SPELLING, SUFFIX, Stage::STAGE},
#include "tlx/Compiler/Artifacts.def"
};

static const ArtifactRow &row(Artifact artifact) {
  return artifactTable[static_cast<unsigned>(artifact)];
}

llvm::StringRef tlx::spelling(Stage stage) {
  return stage == Stage::Finished ? "finished" : stageTable[static_cast<unsigned>(stage)];
}

llvm::StringRef tlx::spelling(Artifact artifact) {
  return row(artifact).spelling;
}
llvm::StringRef tlx::fileSuffix(Artifact artifact) {
  return row(artifact).suffix;
}
Stage tlx::stageOf(Artifact artifact) {
  return row(artifact).stage;
}

Artifact tlx::assemblyOf(const Arch &arch) {
  return arch.isNVIDIA() ? Artifact::PTX : Artifact::GCN;
}
Artifact tlx::imageOf(const Arch &arch) {
  return arch.isNVIDIA() ? Artifact::Cubin : Artifact::Hsaco;
}

bool tlx::isMadeFor(Artifact artifact, const Arch &arch) {
  bool isText = artifact == Artifact::PTX || artifact == Artifact::GCN;
  bool isImage = artifact == Artifact::Cubin || artifact == Artifact::Hsaco;
  return isText ? artifact == assemblyOf(arch) : !isImage || artifact == imageOf(arch);
}

ArtifactSet ArtifactSet::madeFor(const Arch &arch) const {
  ArtifactSet result;
  for (unsigned index = 0; index < std::size(artifactTable); ++index)
    if (contains(static_cast<Artifact>(index)) && isMadeFor(static_cast<Artifact>(index), arch))
      result.insert(static_cast<Artifact>(index));
  return result;
}

std::optional<Stage> tlx::findStage(llvm::StringRef spelling) {
  for (auto [index, name] : llvm::enumerate(stageTable))
    if (name == spelling)
      return static_cast<Stage>(index);
  return std::nullopt;
}

std::optional<Artifact> tlx::findArtifact(llvm::StringRef spelling) {
  for (auto [index, candidate] : llvm::enumerate(artifactTable))
    if (candidate.spelling == spelling)
      return static_cast<Artifact>(index);
  return std::nullopt;
}

std::string tlx::artifactNames() {
  return llvm::join(llvm::map_range(artifactTable, [](const ArtifactRow &entry) { return entry.spelling; }), ", ");
}

std::string tlx::stageNames() {
  return llvm::join(llvm::ArrayRef<llvm::StringRef>(stageTable), ", ");
}

std::optional<Artifact> tlx::textOf(Stage stage) {
  for (auto [index, entry] : llvm::enumerate(artifactTable))
    if (entry.stage == stage && stage != Stage::Finished)
      return static_cast<Artifact>(index);
  return std::nullopt;
}
