// Which way leads from LLVM IR to an image: PTX and NVIDIA's assembler, or an object and lld.
#include "tlx/Target/Image.h"

#include "tlx/Target/CodeGenerator.h"

using namespace tlx;

/// Assembles `result.text`.
static void assembleText(const ImageJob &job, ImageResult &result) {
  std::optional<std::string> assembler = findAssembler();
  if (!assembler) {
    result.toolFailure = "no ptxas: it comes with the CUDA toolkit and is looked for in $TLXC_PTXAS, $CUDA_HOME/bin, "
                         "$CUDA_PATH/bin, /usr/local/cuda/bin and PATH; `--emit=ptx` needs none";
    return;
  }
  auto assembly = assemble({*assembler, result.text, job.kernel, &job.arch, job.lineInfo, job.keepOnFailure});
  if (!assembly) {
    result.toolFailure = llvm::toString(assembly.takeError());
    return;
  }
  result.image = std::move(assembly->image);
  result.assembler = std::move(assembly->report);
  result.assemblerVersion = llvm::expectedToOptional(assemblerVersion(*assembler)).value_or("");
}

static llvm::Error makeCodeObject(const ImageJob &job, ImageResult &result) {
  llvm::Expected<std::string> object = emitObject(job.module, job.arch);
  if (!object)
    return object.takeError();
  llvm::Expected<std::string> image = linkCodeObject(*object, job.lineInfo);
  if (!image)
    return image.takeError();
  llvm::Expected<CodeObjectReport> report = readCodeObject(*image, job.kernel);
  if (!report)
    return report.takeError();
  result.image = std::move(*image);
  result.codeObject = std::move(*report);
  return llvm::Error::success();
}

llvm::Expected<ImageResult> tlx::makeImage(const ImageJob &job) {
  ImageResult result;
  bool assemblesText = job.arch.isNVIDIA();
  if (job.wantsText || assemblesText) {
    llvm::Expected<std::string> text = emitAssembly(job.module, job.arch);
    if (!text)
      return text.takeError();
    result.text = std::move(*text);
  }
  if (!job.wantsImage)
    return result;
  if (assemblesText)
    assembleText(job, result);
  else if (llvm::Error error = makeCodeObject(job, result))
    return error;
  return result;
}
