// Chooses the kernel and its configuration, and gives each parameter a constant or a type.
#include "Kernel.h"
#include "AssignedNames.h"
#include "Inference.h"
#include "LaunchOptions.h"
#include "ModuleScope.h"
#include "Scan.h"
#include "Shorthand.h"
#include "tlx/Support/NearestName.h"
#include "tlx/Syntax/Kernels.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::StringRef;

std::vector<KernelInfo> tlx::specialize::findKernels(const ast::Module &module) {
  auto functions = ast::jitFunctions(module);
  llvm::StringSet<> called;
  for (const ast::FunctionDef *function : functions)
    forEachExpr(function->body, [&](const ast::Expr *expr) {
      if (const auto *name = llvm::dyn_cast<ast::Name>(expr); name && name->name != function->name)
        called.insert(name->name);
    });
  std::vector<KernelInfo> kernels;
  for (auto [index, function] : llvm::enumerate(functions)) {
    bool isReplaced = llvm::any_of(llvm::ArrayRef(functions).drop_front(index + 1),
                                   [&](const ast::FunctionDef *later) { return later->name == function->name; });
    if (called.contains(function->name) || isReplaced)
      continue;
    KernelInfo info{function->name.str(), function->nameRange, {}, {}, 0};
    for (const ast::Param &param : function->params) {
      info.parameters.push_back(param.name.str());
      if (isConstexprAnnotation(param.annotation))
        info.constexprs.push_back(param.name.str());
    }
    info.configs = static_cast<unsigned>(readConfigs(module, *function).configs.size());
    kernels.push_back(std::move(info));
  }
  return kernels;
}

namespace {
class KernelResolver {
public:
  KernelResolver(const ast::Module &module, const SpecializeOptions &options, diag::Sink &sink)
      : module(module), options(options), sink(sink) {}

  std::optional<Kernel> run() {
    unsigned errors = sink.errorCount();
    if (!choose() || !chooseConfig())
      return std::nullopt;
    noteHostDecisions();
    collectConstants();
    collectTypes();
    chooseLaunch();
    return sink.errorCount() == errors ? std::optional(std::move(kernel)) : std::nullopt;
  }

private:
  std::optional<Datum> lookup(StringRef name) const {
    for (const KernelParameter &parameter : kernel.parameters)
      if (parameter.param->name == name)
        return parameter.isConstant ? std::optional(parameter.constant) : std::nullopt;
    return moduleConstant(module, name);
  }

  bool choose();
  bool isTopLevel(const ast::FunctionDef *function) const { return llvm::is_contained(module.body, function); }
  bool chooseConfig();
  void collectConstants();
  bool constantOf(const ast::Param &param, Datum &value);
  bool checkDefinedKind(const ast::Param &param, StringRef text, const Datum &value);
  void checkDefines();
  void noteHostDecisions();
  void collectTypes();
  bool declaredType(KernelParameter &parameter, const llvm::StringMap<StringRef> &signature);
  bool readType(KernelParameter &parameter, StringRef text, SourceRange range);
  void inferTypes(llvm::SmallVector<KernelParameter *> open, llvm::StringSet<> &integers);
  void reportUnknownType(KernelParameter &parameter);
  void chooseLaunch();
  llvm::StringMap<StringRef> readSignature();
  void reportUnknownParameter(StringRef name, SourceRange range, StringRef where);
  const ast::Param *parameterNamed(StringRef name) const;

  const ast::Module &module;
  const SpecializeOptions &options;
  diag::Sink &sink;
  Kernel kernel;
  KernelConfig config;
};
} // namespace

bool KernelResolver::choose() {
  auto kernels = findKernels(module);
  SourceRange start{module.file->id(), 0, 0};
  std::string names;
  for (const KernelInfo &info : kernels)
    names += (names.empty() ? "`" : ", `") + info.name + "`";
  if (options.kernel.empty() && kernels.size() != 1) {
    auto builder = sink.error(diag::Kind::UnknownKernel, start);
    if (kernels.empty())
      builder << "the file has no `triton.jit` function";
    else
      builder << "the file has " << kernels.size() << " kernels; choose one with `-k`: " << names;
    return false;
  }
  StringRef wanted = options.kernel.empty() ? StringRef(kernels[0].name) : StringRef(options.kernel);
  for (const ast::FunctionDef *function : ast::jitFunctions(module))
    if (function->name == wanted)
      kernel.function = function;
  for (const ast::Stmt *statement : module.body)
    if (const auto *other = llvm::dyn_cast<ast::FunctionDef>(statement);
        other && kernel.function && other != kernel.function && other->name == wanted && isTopLevel(kernel.function)) {
      sink.error(diag::Kind::DuplicateName, kernel.function->nameRange).note(other->nameRange, "the other one")
          << "there are two functions `" << wanted << "`";
      return false;
    }
  if (!kernel.function)
    sink.error(diag::Kind::UnknownKernel, start)
        << "there is no kernel `" << wanted << "`" << (names.empty() ? "" : "; there is " + names);
  return kernel.function;
}

bool KernelResolver::chooseConfig() {
  ConfigList list = readConfigs(module, *kernel.function);
  SourceRange range = list.decorator ? list.decorator->range : kernel.function->nameRange;
  if (!list.isReadable && (options.config || list.decorator)) {
    // Without a choice, `-D` and defaults can still give everything.
    if (!options.config)
      return true;
    SourceRange place = list.reason.empty() ? range : list.stop;
    sink.error(diag::Kind::UnknownConfig, range)
            .note(place, list.reason.empty() ? "there is no list" : "reading them stops here, at " + list.reason)
        << "the configurations are computed when the host runs; give their values with `-D`";
    return false;
  }
  if (options.config && (*options.config < 0 || *options.config >= static_cast<int>(list.configs.size()))) {
    sink.error(diag::Kind::UnknownConfig, range) << "configuration " << *options.config << " is chosen; `"
                                                 << kernel.function->name << "` has " << list.configs.size();
    return false;
  }
  if (!list.configs.empty())
    config = list.configs[options.config.value_or(0)];
  for (const auto &[name, value] : config.values)
    if (!parameterNamed(name))
      reportUnknownParameter(name, range, "the configuration");
  return true;
}

const ast::Param *KernelResolver::parameterNamed(StringRef name) const {
  for (const ast::Param &param : kernel.function->params)
    if (param.name == name)
      return &param;
  return nullptr;
}

void KernelResolver::reportUnknownParameter(StringRef name, SourceRange range, StringRef where) {
  llvm::SmallVector<StringRef> candidates;
  for (const ast::Param &param : kernel.function->params)
    candidates.push_back(param.name);
  auto builder = sink.error(diag::Kind::UnknownParameter, range);
  builder << where << " names `" << name << "`, which is not a parameter of `" << kernel.function->name << "`";
  if (auto nearest = nearestName(name, candidates))
    builder << "; did you mean `" << *nearest << "`?";
}

void KernelResolver::checkDefines() {
  for (const auto &[name, text] : options.defines) {
    const ast::Param *param = parameterNamed(name);
    if (!param)
      reportUnknownParameter(name, {}, "`-D`");
    else if (!isConstexprAnnotation(param->annotation))
      sink.error(diag::Kind::UnknownParameter, param->range)
          << "`-D` names `" << name << "`, which is a run-time parameter; fix its value with `--signature \"" << name
          << "=i32=" << text << "\"`";
  }
}

/// What runs on the host before a launch has no part in an image, and the user should know.
void KernelResolver::noteHostDecisions() {
  for (const ast::Expr *decorator : kernel.function->decorators) {
    const auto *call = llvm::dyn_cast<ast::Call>(decorator);
    if (!call)
      continue;
    if (calleeName(call) == "heuristics")
      sink.remark(diag::Kind::HeuristicsIgnored, call->range)
          << "the heuristics of `" << kernel.function->name << "` run on the host and are ignored";
    for (const ast::KeywordArgument &keyword : call->keywords)
      if (keyword.name.ends_with("hook") || keyword.name == "prune_configs_by")
        sink.remark(diag::Kind::HeuristicsIgnored, keyword.nameRange)
            << "`" << keyword.name << "` runs on the host and is ignored";
  }
}

/// A number that is an int everywhere else is not to become a bool or a float by accident.
bool KernelResolver::checkDefinedKind(const ast::Param &param, StringRef text, const Datum &value) {
  auto found = config.values.find(param.name.str());
  std::optional<Datum> usual;
  if (found != config.values.end())
    usual = found->second;
  else if (param.defaultValue)
    usual = evaluateConstant(param.defaultValue, [&](StringRef name) { return lookup(name); });
  bool isOther = value.is<bool>() || value.is<double>();
  if (!usual || !usual->is<int64_t>() || !isOther)
    return true;
  sink.error(diag::Kind::MalformedDefine, param.range)
      << "`-D " << param.name << "=" << text << "` gives a " << (value.is<bool>() ? "bool" : "float") << "; `"
      << param.name << "` is an int, " << usual->text()
      << (found != config.values.end() ? " in the configuration" : " by default");
  return false;
}

/// From `-D`, else the configuration, else the default.
bool KernelResolver::constantOf(const ast::Param &param, Datum &value) {
  auto names = [&](StringRef name) { return lookup(name); };
  for (const auto &[name, text] : llvm::reverse(options.defines))
    if (param.name == name) {
      auto given = parseDefineText(text, names);
      if (!given)
        sink.error(diag::Kind::MalformedDefine, param.range)
            << "`-D " << name << "=" << text
            << "` gives neither a number, a type, a tuple nor a word; strings of other "
            << "characters are written in quotes, `-D '" << name << "=\"...\"'`";
      else
        value = *given;
      return given.has_value() && checkDefinedKind(param, text, value);
    }
  if (auto found = config.values.find(param.name.str()); found != config.values.end()) {
    value = found->second;
    return true;
  }
  if (!param.defaultValue) {
    sink.error(diag::Kind::MissingConstexpr, param.range)
        << "`" << param.name << "` has no value; give one with `-D " << param.name << "=...`";
    return false;
  }
  if (auto constant = evaluateConstant(param.defaultValue, names)) {
    value = *constant;
    return true;
  }
  sink.error(diag::Kind::NeedsConstexpr, param.defaultValue->range) << "a default is a compile-time value";
  return false;
}

void KernelResolver::collectConstants() {
  checkDefines();
  for (const ast::Param &param : kernel.function->params) {
    KernelParameter parameter{&param, isConstexprAnnotation(param.annotation), Datum(), {}};
    if (param.kind == ast::ParamKind::VarArgs || param.kind == ast::ParamKind::VarKeywords)
      sink.error(diag::Kind::UnsupportedConstruct, param.range) << "a kernel has no `*` parameters";
    if (parameter.isConstant)
      constantOf(param, parameter.constant);
    kernel.parameters.push_back(std::move(parameter));
  }
}

llvm::StringMap<StringRef> KernelResolver::readSignature() {
  llvm::StringMap<StringRef> signature;
  for (StringRef entry : splitAtCommas(options.signature)) {
    auto [name, type] = entry.split('=');
    name = name.trim();
    if (!entry.contains('='))
      sink.error(diag::Kind::MalformedType, {}) << "`--signature` holds `" << entry << "`; it is a list of `name=type`";
    else if (!parameterNamed(name))
      reportUnknownParameter(name, {}, "`--signature`");
    else if (auto [before, isNew] = signature.try_emplace(name, type.trim()); !isNew)
      sink.error(diag::Kind::MalformedType, parameterNamed(name)->range)
          << "`--signature` gives `" << name << "` twice, as `" << before->second << "` and as `" << type.trim() << "`";
  }
  return signature;
}

bool KernelResolver::readType(KernelParameter &parameter, StringRef text, SourceRange range) {
  std::string why;
  auto type = parseTypeText(text, [&](StringRef name) { return lookup(name); }, why);
  if (!type) {
    sink.error(diag::Kind::MalformedType, range)
        << "`" << text << "` is not the type of `" << parameter.param->name << "`: " << why;
    return false;
  }
  parameter.type = *type;
  return true;
}

/// From the signature, else the annotation; false when neither says anything.
bool KernelResolver::declaredType(KernelParameter &parameter, const llvm::StringMap<StringRef> &signature) {
  const ast::Param &param = *parameter.param;
  auto given = signature.find(param.name);
  const auto *text = llvm::dyn_cast_if_present<ast::StringLiteral>(param.annotation);
  if (text && !readType(parameter, text->value, param.annotation->range))
    return true;
  ParameterType annotated = parameter.type;
  if (given != signature.end()) {
    bool isRead = readType(parameter, given->second, param.range);
    bool isSame = annotated.element == parameter.type.element &&
                  annotated.isDescriptor == parameter.type.isDescriptor && annotated.block == parameter.type.block;
    if (text && isRead && !isSame)
      sink.error(diag::Kind::MalformedType, param.annotation->range)
          << "`--signature` says that `" << param.name << "` is `" << parameter.type.text()
          << "`; its annotation says `" << annotated.text() << "`";
    return true;
  }
  if (text)
    return true;
  if (!param.annotation)
    return false;
  auto annotation = evaluateConstant(param.annotation, [&](StringRef name) { return moduleConstant(module, name); });
  const DType *type = annotation ? annotation->getIf<DType>() : nullptr;
  if (type)
    parameter.type.element = *type;
  return type;
}

/// What one parameter is found to be can tell what another is.
void KernelResolver::inferTypes(llvm::SmallVector<KernelParameter *> open, llvm::StringSet<> &integers) {
  auto isInferred = [&](KernelParameter *parameter) {
    if (!isInferredInteger(module, *kernel.function, parameter->param->name, integers))
      return false;
    parameter->type.element = {ScalarKind::I32};
    integers.insert(parameter->param->name);
    return true;
  };
  for (size_t before = open.size() + 1; open.size() < before;) {
    before = open.size();
    llvm::erase_if(open, isInferred);
  }
  for (KernelParameter *parameter : open)
    reportUnknownType(*parameter);
}

void KernelResolver::reportUnknownType(KernelParameter &parameter) {
  const ast::Param &param = *parameter.param;
  if (param.defaultValue && llvm::isa<ast::NoneLiteral>(param.defaultValue)) {
    parameter.isConstant = true;
    parameter.constant = Datum(NoneValue());
    return;
  }
  sink.error(diag::Kind::MissingType, param.range)
      << "the type of `" << param.name << "` is not known; write it with `--signature \"" << param.name
      << "=...\"`, for example `*fp16:16`, `i32`, `fp32` or `tensordesc<fp16[128,64]>`";
}

void KernelResolver::collectTypes() {
  llvm::StringMap<StringRef> signature = readSignature();
  llvm::StringSet<> integers;
  llvm::SmallVector<KernelParameter *> open;
  for (KernelParameter &parameter : kernel.parameters) {
    if (!parameter.isConstant && !declaredType(parameter, signature))
      open.push_back(&parameter);
    bool isInteger = parameter.isConstant ? parameter.constant.asInt().has_value()
                                          : !parameter.type.isDescriptor && parameter.type.element.isInteger();
    if (isInteger && (open.empty() || open.back() != &parameter))
      integers.insert(parameter.param->name);
  }
  inferTypes(open, integers);
  for (const KernelParameter &parameter : kernel.parameters) {
    if (!parameter.isConstant)
      continue;
    if (signature.contains(parameter.param->name))
      sink.error(diag::Kind::UnknownParameter, parameter.param->range)
          << "`--signature` names `" << parameter.param->name << "`, which is a `tl.constexpr`; give it with `-D`";
  }
}

void KernelResolver::chooseLaunch() {
  // The shorthand counts all warps of the block, the language those of the default task.
  int64_t otherwise = usesWarpGroups(*kernel.function) ? 12 : 4;
  kernel.numWarps = options.numWarps ? *options.numWarps : config.numWarps.value_or(otherwise);
  kernel.numStages = config.numStages;
  if (auto found = config.others.find("maxnreg"); found != config.others.end())
    kernel.maxRegisters = found->second;
  kernel.cluster = options.cluster ? *options.cluster : config.cluster.value_or(std::array<int, 3>{1, 1, 1});
  checkLaunch(kernel, config, options, sink);
}

std::optional<Kernel> tlx::specialize::resolveKernel(const ast::Module &module, const SpecializeOptions &options,
                                                     diag::Sink &sink) {
  return KernelResolver(module, options, sink).run();
}
