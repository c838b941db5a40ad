// The last step for every vendor: an optimised module becomes assembly text and an image.
#ifndef TLX_TARGET_IMAGE_H
#define TLX_TARGET_IMAGE_H

#include "tlx/Target/Assembler.h"
#include "tlx/Target/CodeObject.h"
#include "llvm/IR/Module.h"

namespace tlx {

struct ImageJob {
  const llvm::Module &module;
  const Arch &arch;
  std::string kernel;
  bool wantsText = false;
  bool wantsImage = false;
  bool lineInfo = false;
  /// Where the text is left for the user when the vendor's assembler refuses it.
  std::string keepOnFailure;
};

struct ImageResult {
  /// PTX or AMD assembly; empty when neither asked for nor needed.
  std::string text;
  std::string image;
  /// What NVIDIA's assembler said, and its version.
  AssemblerReport assembler;
  std::string assemblerVersion;
  /// What AMD's image says.
  std::optional<CodeObjectReport> codeObject;
  /// Set when a program that the step needs is missing or failed: then there is no image.
  std::string toolFailure;
};

/// Makes text and image. An error is a bug of ours; a missing or failing tool is `toolFailure`.
llvm::Expected<ImageResult> makeImage(const ImageJob &job);

} // namespace tlx

#endif
