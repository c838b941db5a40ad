// Any text at all gives IR that verifies, or diagnostics: parsed, each kernel specialised with types and values that
// follow from the names of its parameters, and every diagnostic printed.
#include "tlx/Source/DiagnosticPrinter.h"
#include "tlx/Specialize/Specialize.h"
#include "tlx/Syntax/Parser.h"
#include <cstdlib>

using namespace tlx;

static bool isConstexpr(const specialize::KernelInfo &kernel, llvm::StringRef parameter) {
  for (const std::string &name : kernel.constexprs)
    if (name == parameter)
      return true;
  return false;
}

static std::string typeOf(llvm::StringRef parameter) {
  if (parameter.contains("desc"))
    return "tensordesc<fp16[64,64]>";
  bool isPointer = parameter.contains("ptr") || parameter.starts_with("p");
  return isPointer ? "*fp16:16" : parameter.starts_with("f") ? "fp32" : "i32";
}

static specialize::SpecializeOptions optionsFor(const specialize::KernelInfo &kernel) {
  specialize::SpecializeOptions options;
  options.kernel = kernel.name;
  // What takes long is not what is looked for.
  options.limits = {/*unrolled=*/256, /*inlined=*/256};
  for (const std::string &parameter : kernel.parameters)
    if (isConstexpr(kernel, parameter))
      options.defines.emplace_back(parameter, "16");
    else
      options.signature += (options.signature.empty() ? "" : ",") + parameter + "=" + typeOf(parameter);
  return options;
}

static void specializeOne(const ast::Module &module, const specialize::SpecializeOptions &options,
                          const SourceManager &files) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  diag::Sink sink;
  auto made = specialize::specialize(module, options, context, files, sink);
  if (!made && !sink.hasErrors())
    std::abort();
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  diag::print(sink, files, stream);
}

/// LLVM's allocators poison what they have not given out, and take that back where they give it: inlined here, with the
/// sanitizer, they do the first; in libMLIR, without it, they do not do the second.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager files;
  FileId id = files.add("fuzz.py", std::string(reinterpret_cast<const char *>(data), size));
  ast::Context context;
  diag::Sink sink;
  const ast::Module *module = ast::parse(files.file(id), context, sink);
  if (sink.hasErrors())
    return -1;
  unsigned most = 2;
  for (const specialize::KernelInfo &kernel : specialize::findKernels(*module)) {
    if (most-- == 0)
      break;
    specializeOne(*module, optionsFor(kernel), files);
    // Without the signature, annotations and uses give the types.
    specialize::SpecializeOptions plain = optionsFor(kernel);
    plain.signature.clear();
    plain.defines.clear();
    specializeOne(*module, plain, files);
  }
  return 0;
}
