// The generated header: typed arguments in, the C interface of libtlxrt out.
#include "tlx/Compiler/Package.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tlx;

std::string tlx::packageName(const CompileResult &result) {
  std::string name = result.kernel;
  if (!result.variant.empty())
    name += "_" + result.variant;
  for (char &c : name)
    if (!llvm::isAlnum(c) && c != '_')
      c = '_';
  return name;
}

/// The C type by which callers pass a parameter.
static std::string typeInC(const rt::Param &param) {
  if (param.kind == rt::ParamKind::TensorMap)
    return "const tlxrt_tensor *";
  if (param.kind == rt::ParamKind::Pointer)
    return "void *";
  std::optional<rt::ElementType> type = param.elementType();
  if (type && rt::isFloat(*type))
    return *type == rt::ElementType::FP64 ? "double " : "float ";
  unsigned bits = 8 * param.size;
  bool isSigned = !type || rt::isSigned(*type);
  return (isSigned ? "int" : "uint") + std::to_string(bits) + "_t ";
}

/// "TLXRT_ARG_I64" and the member of the union.
static std::pair<std::string, std::string> tagOf(const rt::Param &param) {
  if (param.kind == rt::ParamKind::TensorMap)
    return {"TLXRT_ARG_TENSOR", "tensor"};
  if (param.kind == rt::ParamKind::Pointer)
    return {"TLXRT_ARG_POINTER", "pointer"};
  std::optional<rt::ElementType> type = param.elementType();
  if (type && rt::isFloat(*type))
    return {"TLXRT_ARG_F64", "f64"};
  return {"TLXRT_ARG_I64", "i64"};
}

/// A name that a C or C++ compiler takes for a parameter of the launch function.
static std::string nameInC(llvm::StringRef name) {
  static constexpr llvm::StringRef taken[] = {
      // Names of the launch function itself.
      "stream", "grid", "args", "status", "kernel", "refused", "i",
      // Words of C and C++ that Python leaves free.
      "auto", "bool", "case", "catch", "char", "const", "default", "delete", "do", "double", "enum", "explicit",
      "extern", "float", "friend", "goto", "inline", "int", "long", "mutable", "namespace", "new", "operator",
      "private", "protected", "public", "register", "restrict", "short", "signed", "sizeof", "static", "struct",
      "switch", "template", "this", "throw", "typedef", "typename", "union", "unsigned", "using", "virtual", "void",
      "volatile"};
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  return llvm::is_contained(taken, name) ? result + "_" : result;
}

static std::vector<rt::Param> visibleParams(const rt::Manifest &manifest) {
  std::vector<rt::Param> visible;
  for (const rt::Param &param : manifest.params)
    if (!param.isHidden()) {
      visible.push_back(param);
      visible.back().name = nameInC(param.name);
    }
  return visible;
}

static void writeConditions(const rt::Param &param, llvm::raw_ostream &stream) {
  if (param.divisibleBy > 1)
    stream << ", a multiple of " << param.divisibleBy << (param.kind == rt::ParamKind::Pointer ? " bytes" : "");
  if (param.equalTo)
    stream << ", equal to " << *param.equalTo;
}

static void writeParamDoc(const rt::Param &param, llvm::raw_ostream &stream) {
  stream << " *   " << param.name << ": ";
  if (param.tensorMap) {
    const rt::TensorMap &map = *param.tensorMap;
    std::string_view element = rt::spelling(map.dtype);
    stream << "tensor of " << llvm::StringRef(element.data(), element.size()) << ", rank " << map.rank
           << ", tiles of [";
    llvm::interleaveComma(map.block, stream);
    stream << "]";
  } else {
    stream << param.type;
  }
  writeConditions(param, stream);
  stream << "\n";
}

static void writeLaunch(const std::string &name, llvm::ArrayRef<rt::Param> params, llvm::raw_ostream &stream) {
  stream << "static inline tlxrt_status " << name << "_launch(void *stream, const int grid[3]";
  for (const rt::Param &param : params)
    stream << ",\n    " << typeInC(param) << param.name;
  stream << ") {\n  tlxrt_arg args[" << std::max<size_t>(1, params.size()) << "];\n";
  for (auto [index, param] : llvm::enumerate(params)) {
    auto [tag, member] = tagOf(param);
    stream << "  args[" << index << "].kind = " << tag << ";\n  args[" << index << "].value." << member << " = "
           << param.name << ";\n";
  }
  // The first image that a device here loads is the one; the order is that of the command line. Where there is none,
  // the status of a device that is here but the wrong one says more than that of a driver that is not.
  stream << "  tlxrt_status status = TLXRT_ERROR_WRONG_DEVICE;\n"
         << "  tlxrt_kernel *kernel = 0, *refused = 0;\n"
         << "  for (int i = 0; i < " << name << "_image_count; ++i) {\n"
         << "    status = " << name << "_kernel(i, &kernel);\n"
         << "    if (status == TLXRT_SUCCESS)\n"
         << "      status = tlxrt_launch(kernel, stream, grid, args, " << params.size() << ");\n"
         << "    if (status == TLXRT_ERROR_WRONG_DEVICE)\n"
         << "      refused = kernel;\n"
         << "    else if (status != TLXRT_ERROR_DRIVER_MISSING && status != TLXRT_ERROR_NO_DEVICE)\n"
         << "      return status;\n"
         << "  }\n"
         << "  return refused ? tlxrt_launch(refused, stream, grid, args, " << params.size() << ") : status;\n}\n";
}

static void writeLoader(const std::string &name, llvm::raw_ostream &stream) {
  stream << "/* Loads image `index` once for the process; several threads may call this at the same time. */\n"
         << "static inline tlxrt_status " << name << "_kernel(int index, tlxrt_kernel **kernel) {\n"
         << "  *kernel = __atomic_load_n(&" << name << "_handles[index], __ATOMIC_ACQUIRE);\n"
         << "  if (*kernel)\n    return TLXRT_SUCCESS;\n"
         << "  tlxrt_status status = tlxrt_kernel_load_memory(" << name << "_manifests[index], " << name
         << "_images[index],\n"
         << "                                                 (size_t)" << name << "_image_bytes[index], kernel);\n"
         << "  if (status != TLXRT_SUCCESS)\n    return status;\n"
         << "  tlxrt_kernel *first = 0;\n"
         << "  if (!__atomic_compare_exchange_n(&" << name
         << "_handles[index], &first, *kernel, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {\n"
         << "    tlxrt_kernel_free(*kernel);\n    *kernel = first;\n  }\n"
         << "  return TLXRT_SUCCESS;\n}\n";
}

std::string tlx::packageHeader(llvm::ArrayRef<CompileResult> results) {
  const rt::Manifest &manifest = results.front().manifest;
  std::string name = packageName(results.front());
  std::vector<rt::Param> params = visibleParams(manifest);
  std::string guard = "TLX_KERNEL_" + llvm::StringRef(name).upper() + "_H";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "/* Kernel `" << manifest.kernel << "` of " << manifest.source.file << ", for";
  for (const CompileResult &result : results)
    stream << " " << result.arch->name;
  stream << ". Made by tlxc " << compilerVersion() << "; not to be edited. */\n"
         << "#ifndef " << guard << "\n#define " << guard << "\n\n#include \"tlx/Runtime/tlxrt.h\"\n\n"
         << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
         << "extern const char *const " << name << "_manifests[];\n"
         << "extern const void *const " << name << "_images[];\n"
         << "extern const uint64_t " << name << "_image_bytes[];\n"
         << "extern tlxrt_kernel *" << name << "_handles[];\n"
         << "enum { " << name << "_image_count = " << results.size() << ", " << name
         << "_threads = " << manifest.launch.threads << ", " << name
         << "_cluster_size = " << manifest.launch.cluster[0] * manifest.launch.cluster[1] * manifest.launch.cluster[2]
         << " };\n\n";
  writeLoader(name, stream);
  stream
      << "\n/* Launches on `stream` (0: the default stream). `grid` counts blocks. What went wrong is in the status\n"
      << " * (tlxrt_status_string) and in tlxrt_last_error().\n";
  for (const rt::Param &param : params)
    writeParamDoc(param, stream);
  stream << " */\n";
  writeLaunch(name, params, stream);
  stream << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
