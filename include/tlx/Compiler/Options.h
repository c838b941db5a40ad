// What a compile is asked for.
#ifndef TLX_COMPILER_OPTIONS_H
#define TLX_COMPILER_OPTIONS_H

#include "tlx/Arch/Arch.h"
#include "tlx/Specialize/Specialize.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"
#include <optional>
#include <string>

namespace tlx {

enum class Stage {
#define TLX_STAGE(NAME, SPELLING) NAME,
#include "tlx/Compiler/Stages.def"
  /// Beyond the last gate: the whole chain.
  Finished,
};

enum class Artifact {
#define TLX_ARTIFACT(NAME, SPELLING, SUFFIX, STAGE) NAME,
#include "tlx/Compiler/Artifacts.def"
};

llvm::StringRef spelling(Stage stage);
llvm::StringRef spelling(Artifact artifact);
std::optional<Stage> findStage(llvm::StringRef spelling);
std::optional<Artifact> findArtifact(llvm::StringRef spelling);
/// "ast, tlx, …" and "parsed, built, …", for messages.
std::string artifactNames();
std::string stageNames();
/// ".cubin".
llvm::StringRef fileSuffix(Artifact artifact);
/// What the last step makes for a target: assembly text (PTX, GCN), and the image (Cubin, Hsaco).
Artifact assemblyOf(const Arch &arch);
Artifact imageOf(const Arch &arch);
/// False for what only targets of another vendor have.
bool isMadeFor(Artifact artifact, const Arch &arch);
/// The gate that a compile must reach for this to exist.
Stage stageOf(Artifact artifact);
/// What is written when a compile stops at a gate and nothing else was asked for.
std::optional<Artifact> textOf(Stage stage);

/// A set of artifacts.
class ArtifactSet {
public:
  ArtifactSet() = default;
  ArtifactSet(std::initializer_list<Artifact> list) {
    for (Artifact artifact : list)
      insert(artifact);
  }
  void insert(Artifact artifact) { bits |= 1u << static_cast<unsigned>(artifact); }
  void erase(Artifact artifact) { bits &= ~(1u << static_cast<unsigned>(artifact)); }
  bool contains(Artifact artifact) const { return bits >> static_cast<unsigned>(artifact) & 1; }
  unsigned size() const { return llvm::popcount(bits); }
  /// Those of them that exist for a target.
  ArtifactSet madeFor(const Arch &arch) const;

private:
  uint32_t bits = 0;
};

struct CompileOptions {
  specialize::SpecializeOptions kernel;
  const Arch *arch = nullptr;
  /// Part of file names and of the manifest; empty for the only variant.
  std::string variant;
  /// What other vendors' targets have is left out.
  ArtifactSet artifacts = {Artifact::Cubin, Artifact::Hsaco, Artifact::Manifest};
  /// Nothing after this gate is run.
  Stage stopAfter = Stage::Finished;
  /// Keep the table from instructions to source lines in the image.
  bool lineInfo = false;
  /// Loads through pointers may become loads by tensor maps that the launcher makes: hidden parameters.
  bool mapsPointers = true;
  /// Folder for what must be left to the user when a tool fails.
  std::string outputFolder = ".";
};

} // namespace tlx

#endif
