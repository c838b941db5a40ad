// The chain of steps, each leaving what was asked for.
#include "tlx/Compiler/Compiler.h"
#include "tlx/Compiler/ModuleLoader.h"

#include "Features.h"
#include "ManifestBuilder.h"
#include "PassDiagnostics.h"
#include "Pipeline.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tlx/Analysis/Strictness.h"
#include "tlx/Conversion/Conversion.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Manifest/Sha256.h"
#include "tlx/Syntax/Dump.h"
#include "tlx/Target/CodeGenerator.h"
#include "tlx/Target/Image.h"
#include "tlx/Target/Translation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace mlir;
using namespace tlx;

Input tlx::parseInput(SourceManager &files, FileId file, ast::Context &context, diag::Sink &sink,
                      const std::vector<std::string> &searchPath) {
  if (files.file(file).path().ends_with(".mlir"))
    return {file, nullptr};
  return {file, ModuleLoader(files, context, sink, searchPath).load(file)};
}

std::string CompileResult::stem() const {
  std::string name = kernel;
  if (!variant.empty())
    name += "." + variant;
  if (arch)
    name += ("." + arch->name).str();
  return name;
}

std::string CompileResult::fileName(Artifact artifact) const {
  return stem() + fileSuffix(artifact).str();
}

llvm::StringRef tlx::compilerVersion() {
  return TLXC_VERSION;
}

static std::string printed(ModuleOp module, bool withLocations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(withLocations, /*prettyForm=*/false);
  module.print(stream, flags);
  stream << '\n';
  return text;
}

namespace {

/// One compile. Each step returns false when the chain ends there, well or not.
class Chain {
public:
  Chain(const Input &input, const CompileOptions &options, const SourceManager &files, diag::Sink &sink)
      : input(input), options(options), files(files), sink(sink),
        context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    // Users do not know our operations.
    context.printOpOnDiagnostic(false);
    result.variant = options.variant;
    result.arch = options.arch;
  }

  CompileResult run() {
    if (parsed() && timed("built", &Chain::built) && timed("allocated", &Chain::passes) &&
        timed("lowered", &Chain::lowered) && timed("translated", &Chain::translated))
      describeImage();
    return std::move(result);
  }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// Remembers how long a step took.
  bool timed(const char *name, bool (Chain::*step)()) {
    auto begin = std::chrono::steady_clock::now();
    bool goesOn = (this->*step)();
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    result.times.push_back({name, taken.count()});
    return goesOn;
  }

  bool parsed();
  void dumpSyntax();
  bool built();
  void giveStrictWarnings();
  bool readMLIR();
  bool passes();
  bool lowered();
  bool translated();
  bool imaged(const llvm::Module &translation);
  void describeImage();
  void judge(const AssemblerReport &report);
  void judge(const CodeObjectReport &report);

  bool wants(Artifact artifact) const { return options.artifacts.contains(artifact); }
  bool wantsImage() const { return wants(imageOf(*result.arch)); }
  /// Keeps the text of a module when it was asked for; false when the chain stops at this gate.
  bool reach(Stage stage, Artifact artifact);
  bool stop(CompileStatus status, std::string why = {}) {
    result.status = status;
    result.failure = std::move(why);
    return false;
  }
  /// After a step of MLIR failed.
  bool stopAfterPasses(const PassDiagnostics &diagnostics, llvm::StringRef step);
  bool internal(llvm::Error error) { return stop(CompileStatus::InternalError, llvm::toString(std::move(error))); }

  const Input &input;
  const CompileOptions &options;
  const SourceManager &files;
  diag::Sink &sink;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Stage start = Stage::Built;
  /// Where the kernel is defined.
  SourceRange place;
  std::string assemblerVersion;
  CompileResult result;
};

} // namespace

bool Chain::reach(Stage stage, Artifact artifact) {
  if (wants(artifact))
    result.artifacts[artifact] = printed(*module, /*withLocations=*/artifact == Artifact::LLVMDialect);
  return options.stopAfter != stage;
}

bool Chain::stopAfterPasses(const PassDiagnostics &diagnostics, llvm::StringRef step) {
  if (!diagnostics.internalError().empty())
    return stop(CompileStatus::InternalError, (step + ": " + diagnostics.internalError()).str());
  if (!sink.hasErrors())
    return stop(CompileStatus::InternalError, (step + " failed without saying why").str());
  return stop(CompileStatus::InputError);
}

void Chain::dumpSyntax() {
  llvm::raw_string_ostream stream(result.artifacts[Artifact::AST]);
  ast::dump(*input.syntax, stream);
}

bool Chain::parsed() {
  result.kernel = llvm::sys::path::stem(files.file(input.file).path()).str();
  if (sink.hasErrors())
    return stop(CompileStatus::InputError);
  if (!input.isMLIR() && wants(Artifact::AST))
    dumpSyntax();
  if (options.stopAfter == Stage::Parsed)
    return false;
  return true;
}

bool Chain::readMLIR() {
  const SourceFile &source = files.file(input.file);
  PassDiagnostics diagnostics(context, files, sink, diag::Kind::MalformedMLIR);
  module = parseSourceString<ModuleOp>(source.text(), ParserConfig(&context), source.path());
  if (!module)
    return stopAfterPasses(diagnostics, "reading MLIR");
  llvm::StringRef name = stageNamedIn(*module);
  std::optional<Stage> stage = name.empty() ? Stage::Built : findStage(name);
  if (!stage) {
    sink.error(diag::Kind::MalformedMLIR, {input.file, 0, 0})
        << "the module names the gate `" << name << "`, which there is not (known: " << stageNames() << ")";
    return stop(CompileStatus::InputError);
  }
  start = std::max(*stage, Stage::Built);
  return true;
}

/// The function that a kernel attribute marks, or null.
static Operation *findKernel(ModuleOp module) {
  for (Operation &op : module.getOps())
    if (op.hasAttr("tlx.kernel") || op.hasAttr("nvvm.kernel") || op.hasAttr("rocdl.kernel"))
      return &op;
  return nullptr;
}

static diag::Kind kindOf(StrictRule rule) {
  switch (rule) {
  case StrictRule::DivergentPhase:
    return diag::Kind::DivergentPhase;
  case StrictRule::Int32Overflow:
    return diag::Kind::Int32Overflow;
  case StrictRule::NegativeModulo:
    return diag::Kind::NegativeModulo;
  }
  llvm_unreachable("all rules are handled");
}

void Chain::giveStrictWarnings() {
  if (!sink.isOn(diag::Kind::DivergentPhase) && !sink.isOn(diag::Kind::Int32Overflow) &&
      !sink.isOn(diag::Kind::NegativeModulo))
    return;
  for (const StrictFinding &finding : checkStrictly(*module))
    sink.warning(kindOf(finding.rule), rangeOf(finding.place, files)) << finding.message;
}

bool Chain::built() {
  if (input.isMLIR()) {
    if (!readMLIR())
      return false;
  } else {
    PassDiagnostics diagnostics(context, files, sink);
    specialize::SpecializeOptions kernelOptions = options.kernel;
    kernelOptions.hasBlockScales = options.arch && archWith(*options.arch, Feature::TensorMemory);
    module = specialize::specialize(*input.syntax, kernelOptions, context, files, sink);
    if (!module)
      return stopAfterPasses(diagnostics, "building the tlx dialect");
    nameStage(*module, Stage::Built);
    giveStrictWarnings();
  }
  Operation *kernel = findKernel(*module);
  if (!kernel) {
    sink.error(diag::Kind::MalformedMLIR, {input.file, 0, 0})
        << "no function of this module has the attribute `tlx.kernel`";
    return stop(CompileStatus::InputError);
  }
  if (options.arch)
    nameTarget(*module, *options.arch);
  result.kernel = SymbolTable::getSymbolName(kernel).getValue().str();
  place = rangeOf(kernel->getLoc(), files);
  if (start != Stage::Built)
    return true;
  if (!reach(Stage::Built, Artifact::TLX))
    return false;
  return checkFamilies(*module, *options.arch, files, sink) || stop(CompileStatus::InputError);
}

bool Chain::passes() {
  PassDiagnostics diagnostics(context, files, sink);
  for (Stage stage : {Stage::Scheduled, Stage::LaidOut, Stage::Synchronized, Stage::Allocated}) {
    if (stage <= start)
      continue;
    if (failed(runStage(*module, stage, *options.arch, options.mapsPointers)) || !diagnostics.internalError().empty() ||
        sink.hasErrors())
      return stopAfterPasses(diagnostics, ("the passes up to gate `" + spelling(stage) + "`").str());
    if (!reach(stage, *textOf(stage)))
      return false;
  }
  return true;
}

bool Chain::lowered() {
  if (start != Stage::Lowered) {
    PassDiagnostics diagnostics(context, files, sink);
    if (failed(lowerToThreads(*module)) || !diagnostics.internalError().empty() || sink.hasErrors())
      return stopAfterPasses(diagnostics, "lowering to threads");
    if (failed(mlir::verify(*module)))
      return stopAfterPasses(diagnostics, "verifying the lowered module");
    nameStage(*module, Stage::Lowered);
  }
  const Arch *chosen = chooseArch(*module, *options.arch, files, sink);
  if (!chosen)
    return stop(CompileStatus::InputError);
  result.arch = chosen;
  nameTarget(*module, *chosen);
  return reach(Stage::Lowered, Artifact::LLVMDialect);
}

bool Chain::translated() {
  llvm::Expected<rt::Manifest> manifest = buildManifest(*module, *result.arch);
  if (!manifest)
    return internal(manifest.takeError());
  result.manifest = std::move(*manifest);
  {
    PassDiagnostics diagnostics(context, files, sink);
    if (failed(expandThreadOps(*module)))
      return stopAfterPasses(diagnostics, "expanding hardware operations");
  }
  llvm::LLVMContext llvmContext;
  auto translation = translateToLLVM(*module, llvmContext, *result.arch, options.lineInfo);
  if (!translation)
    return internal(translation.takeError());
  if (llvm::Error error = optimize(**translation, *result.arch))
    return internal(std::move(error));
  if (wants(Artifact::LLVM))
    result.artifacts[Artifact::LLVM] = printLLVM(**translation);
  return imaged(**translation);
}

/// Text, image, and what they tell for the manifest; false when no manifest follows.
bool Chain::imaged(const llvm::Module &translation) {
  const Arch &arch = *result.arch;
  Artifact text = assemblyOf(arch);
  if (!wants(text) && !wants(Artifact::Manifest) && !wantsImage())
    return false;
  llvm::SmallString<128> kept(options.outputFolder);
  llvm::sys::path::append(kept, result.fileName(text));
  // Where images need no vendor's program there is no manifest without one.
  bool makesImage = wantsImage() || (!arch.isNVIDIA() && wants(Artifact::Manifest));
  llvm::Expected<ImageResult> image =
      makeImage({translation, arch, result.kernel, wants(text), makesImage, options.lineInfo, kept.str().str()});
  if (!image)
    return internal(image.takeError());
  if (!image->text.empty())
    result.artifacts[text] = std::move(image->text);
  if (!image->toolFailure.empty())
    return stop(CompileStatus::ToolFailure, image->toolFailure);
  if (!makesImage)
    return true;
  result.artifacts[imageOf(arch)] = std::move(image->image);
  assemblerVersion = image->assemblerVersion;
  if (image->codeObject) {
    judge(*image->codeObject);
    if (llvm::Error error = addReport(*image->codeObject, arch, result.manifest))
      return internal(std::move(error));
    return true;
  }
  judge(image->assembler);
  addReport(image->assembler, result.manifest);
  return true;
}

void Chain::judge(const CodeObjectReport &report) {
  if (report.vectorSpills || report.scratch)
    sink.warning(diag::Kind::RegisterSpill, place)
        << "`" << result.kernel << "` spills: " << report.vectorSpills << " vector registers, " << report.scratch
        << " bytes of scratch memory for each lane, with " << report.vectorRegisters << " registers";
}

void Chain::judge(const AssemblerReport &report) {
  for (const AssemblerAdvice &advice : report.advice)
    sink.warning(advice.grade == AdviceGrade::Broken ? diag::Kind::RegistersIgnored : diag::Kind::MatrixSerialized,
                 place)
        << "`" << result.kernel << "`: " << advice.text << " (ptxas " << advice.code << ")";
  if (report.spillStores || report.spillLoads)
    sink.warning(diag::Kind::RegisterSpill, place)
        << "`" << result.kernel << "` spills: " << report.spillStores << " bytes stored and " << report.spillLoads
        << " bytes loaded, with " << report.registers << " registers";
  for (const std::string &warning : report.warnings)
    sink.warning(diag::Kind::AssemblerWarning, place) << warning;
}

static rt::ImageKind imageKindOf(Artifact artifact) {
  if (artifact == Artifact::Hsaco)
    return rt::ImageKind::Hsaco;
  return artifact == Artifact::PTX ? rt::ImageKind::Ptx : rt::ImageKind::Cubin;
}

void Chain::describeImage() {
  rt::Manifest &manifest = result.manifest;
  const SourceFile &source = files.file(input.file);
  bool hasImage = result.artifacts.count(imageOf(*result.arch));
  Artifact kind = hasImage ? imageOf(*result.arch) : assemblyOf(*result.arch);
  const std::string &image = result.artifacts[kind];
  manifest.variant = result.variant;
  manifest.source = {source.path().str(), rt::sha256(std::string_view(source.text()))};
  manifest.compiler = {compilerVersion().str(), llvmVersion(), assemblerVersion};
  manifest.image = {
      result.fileName(kind), imageKindOf(kind), static_cast<int64_t>(image.size()), rt::sha256(image), {}};
  if (auto ptx = result.artifacts.find(Artifact::PTX); ptx != result.artifacts.end())
    manifest.image.ptxSha256 = rt::sha256(ptx->second);
  if (result.artifacts.count(Artifact::LLVMDialect))
    manifest.moduleFile = result.fileName(Artifact::LLVMDialect);
  result.artifacts[Artifact::Manifest] = rt::write(manifest);
}

CompileResult tlx::compile(const Input &input, const CompileOptions &options, const SourceManager &files,
                           diag::Sink &sink) {
  return Chain(input, options, files, sink).run();
}
