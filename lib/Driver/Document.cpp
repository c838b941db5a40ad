#include "Document.h"
#include "OptionValues.h"
#include "tlx/Compiler/ModuleLoader.h"
#include "tlx/Syntax/Kernels.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace tlx;

Document::Document(std::string path, std::string text) {
  FileId file = files.add(std::move(path), std::move(text));
  input.file = file;
  readOptions();
  input.syntax = ModuleLoader(files, context, sink, searchPath).load(file);
}

/// Words of a line, quotes kept together.
static std::vector<std::string> wordsOf(llvm::StringRef line) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (char c : line) {
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    else if (!quote && (c == ' ' || c == '\t'))
      words.emplace_back();
    else
      words.back() += c;
  }
  llvm::erase(words, "");
  return words;
}

void Document::readOptions() {
  llvm::SmallVector<llvm::StringRef> lines;
  file().text().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (!line.consume_front("# tlxc:"))
      continue;
    std::vector<std::string> words = wordsOf(line), defines;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "-D")
        defines.push_back(words[i + 1]);
      else if (words[i] == "--signature")
        options.signature += (options.signature.empty() ? "" : ", ") + words[i + 1];
      else if (words[i] == "-I")
        searchPath.push_back(words[i + 1]);
    }
    // A malformed one is like none: the user sees that its value is missing.
    readDefines(defines, options.defines);
  }
}

/// What only the command line can give.
static bool isForTheCommandLine(diag::Kind kind) {
  return kind == diag::Kind::MissingConstexpr || kind == diag::Kind::MissingType || kind == diag::Kind::UnknownConfig ||
         kind == diag::Kind::UnknownKernel || kind == diag::Kind::UnknownParameter;
}

void Document::checkKernel(const std::string &name) {
  diag::Sink found;
  CompileOptions compileOptions;
  compileOptions.kernel = options;
  compileOptions.kernel.kernel = name;
  compileOptions.artifacts = {Artifact::TLX};
  compileOptions.stopAfter = Stage::Built;
  compile(input, compileOptions, files, found);
  for (const diag::Diagnostic &diagnostic : found.diagnostics())
    if (!isForTheCommandLine(diagnostic.kind))
      reported.push_back(diagnostic);
}

llvm::ArrayRef<diag::Diagnostic> Document::check() {
  reported.assign(sink.diagnostics().begin(), sink.diagnostics().end());
  if (!sink.hasErrors())
    for (const specialize::KernelInfo &kernel : specialize::findKernels(*input.syntax))
      checkKernel(kernel.name);
  std::set<std::pair<uint32_t, std::string>> seen;
  llvm::erase_if(reported, [&](const diag::Diagnostic &diagnostic) {
    return diagnostic.range.file != input.file || !seen.insert({diagnostic.range.begin, diagnostic.message}).second;
  });
  return reported;
}

static bool isOfName(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

/// The dotted name around a place, up to the end of the part that the place is in.
llvm::StringRef Document::wordAt(uint32_t offset) const {
  llvm::StringRef text = file().text();
  size_t begin = std::min<size_t>(offset, text.size()), end = begin;
  while (begin > 0 && isOfName(text[begin - 1]))
    --begin;
  while (end < text.size() && isOfName(text[end]) && text[end] != '.')
    ++end;
  return text.slice(begin, end);
}

/// A name as the table writes it.
std::string Document::fullName(llvm::StringRef word) const {
  llvm::StringRef rest = word;
  for (llvm::StringRef prefix : {"triton.language.extra.tlx.", "triton.language.", "language."})
    if (rest.consume_front(prefix))
      return (prefix.contains("tlx") ? "tlx." : "tl.") + rest.str();
  return word.str();
}

std::vector<Document::Completion> Document::complete(uint32_t offset) const {
  std::string typed = fullName(wordAt(offset));
  auto [base, partial] = llvm::StringRef(typed).rsplit('.');
  bool isDotted = typed.find('.') != std::string::npos;
  std::vector<Completion> completions;
  auto add = [&](llvm::StringRef prefix, const specialize::FunctionInfo &function) {
    llvm::StringRef name = function.name;
    if (!name.consume_front(prefix) || name.contains('.') || !name.starts_with(isDotted ? partial : typed))
      return false;
    completions.push_back({name.str(), "(" + function.parameters + ")",
                           function.summary + (function.isUnsupported ? " (not supported yet)" : "")});
    return true;
  };
  for (const specialize::FunctionInfo &function : specialize::listFunctions())
    add(isDotted ? (base + ".").str() : "", function);
  // Not a module: a value, whose methods are the table's.
  if (isDotted && completions.empty())
    for (const specialize::FunctionInfo &function : specialize::listFunctions())
      for (llvm::StringRef prefix : {"tile.", "descriptor.", "buffer."})
        add(prefix, function);
  if (isDotted)
    return completions;
  for (const ast::FunctionDef *function : ast::jitFunctions(*input.syntax))
    if (function->name.starts_with(typed))
      completions.push_back({function->name.str(), "function of this module", ""});
  if (const ast::FunctionDef *around = functionAround(offset))
    for (const ast::Param &param : around->params)
      if (param.name.starts_with(typed))
        completions.push_back({param.name.str(), "parameter", ""});
  return completions;
}

const ast::FunctionDef *Document::functionAround(uint32_t offset) const {
  const ast::FunctionDef *found = nullptr;
  for (const ast::FunctionDef *function : ast::jitFunctions(*input.syntax))
    if (function->range.begin <= offset && offset <= function->range.end + 1)
      found = function;
  return found;
}

/// The header of a function as it is written.
static std::string headerOf(const ast::FunctionDef &function, const SourceFile &file) {
  uint32_t end = function.body.empty() ? function.range.end : function.body.front()->range.begin;
  llvm::StringRef header = file.text().slice(function.nameRange.begin, end).rtrim();
  header.consume_back(":");
  return "def " + header.str();
}

std::optional<std::string> Document::hover(uint32_t offset) const {
  llvm::StringRef word = wordAt(offset);
  if (word.empty())
    return std::nullopt;
  std::string name = fullName(word);
  std::string method = "." + llvm::StringRef(name).rsplit('.').second.str();
  const specialize::FunctionInfo *found = nullptr;
  std::vector<specialize::FunctionInfo> functions = specialize::listFunctions();
  for (const specialize::FunctionInfo &function : functions)
    if (function.name == name)
      found = &function;
  for (const specialize::FunctionInfo &function : functions)
    for (const char *prefix : {"tile", "descriptor", "buffer"})
      if (!found && word.contains('.') && function.name == prefix + method)
        found = &function;
  if (found)
    return "```python\n" + name + "(" + found->parameters + ")\n```\n" + found->summary +
           (found->target.empty() ? "" : "\n\nfrom " + found->target) +
           (found->isUnsupported ? "\n\nnot supported yet" : "");
  for (const ast::FunctionDef *function : ast::jitFunctions(*input.syntax))
    if (function->name == word)
      return "```python\n" + headerOf(*function, file()) + "\n```";
  const ast::FunctionDef *around = functionAround(offset);
  return around && !word.contains('.') ? hoverBuffer(word, *around) : std::nullopt;
}

/// The line of the final form that allocates a buffer or barriers of that name: what it holds, where, in which layout.
std::optional<std::string> Document::hoverBuffer(llvm::StringRef name, const ast::FunctionDef &function) const {
  diag::Sink quiet;
  CompileOptions compileOptions;
  compileOptions.kernel = options;
  compileOptions.kernel.kernel = function.name.str();
  compileOptions.arch = findArch("sm_90a");
  compileOptions.artifacts = {Artifact::TLXFinal};
  compileOptions.stopAfter = Stage::Allocated;
  CompileResult result = compile(input, compileOptions, files, quiet);
  auto text = result.artifacts.find(Artifact::TLXFinal);
  if (text == result.artifacts.end())
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text->second).split(lines, '\n');
  std::string value;
  std::string allocation;
  unsigned uses = 0;
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (value.empty() && line.contains("alloc") && line.contains(("\"" + name + "\"").str())) {
      value = line.split(' ').first.str();
      allocation = line.split(" = ").second.str();
    } else if (!value.empty() && (line + " ").str().find(value + " ") != std::string::npos) {
      ++uses;
    }
  }
  if (value.empty())
    return std::nullopt;
  return "```mlir\n" + allocation + "\n```\n" + std::to_string(uses) + " views and uses, as compiled for sm_90a";
}

static const ast::Expr *findTarget(const ast::Expr *target, llvm::StringRef name) {
  if (const auto *bound = llvm::dyn_cast<ast::Name>(target))
    return bound->name == name ? bound : nullptr;
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(target))
    for (const ast::Expr *element : tuple->elements)
      if (const ast::Expr *found = findTarget(element, name))
        return found;
  return nullptr;
}

/// The first statement that gives the name a value.
static std::optional<SourceRange> findAssignment(ast::Body body, llvm::StringRef name) {
  for (const ast::Stmt *statement : body) {
    llvm::SmallVector<const ast::Expr *> targets;
    std::vector<ast::Body> inner;
    if (const auto *assign = llvm::dyn_cast<ast::Assign>(statement))
      targets.append(assign->targets.begin(), assign->targets.end());
    else if (const auto *annotated = llvm::dyn_cast<ast::AnnotatedAssign>(statement))
      targets.push_back(annotated->target);
    else if (const auto *loop = llvm::dyn_cast<ast::For>(statement)) {
      targets.push_back(loop->target);
      inner = {loop->body, loop->elseBody};
    } else if (const auto *loop = llvm::dyn_cast<ast::While>(statement))
      inner = {loop->body, loop->elseBody};
    else if (const auto *branch = llvm::dyn_cast<ast::If>(statement))
      inner = {branch->thenBody, branch->elseBody};
    else if (const auto *with = llvm::dyn_cast<ast::With>(statement))
      inner = {with->body};
    for (const ast::Expr *target : targets)
      if (const ast::Expr *found = findTarget(target, name))
        return found->range;
    for (ast::Body block : inner)
      if (auto found = findAssignment(block, name))
        return found;
  }
  return std::nullopt;
}

static std::optional<SourceRange> definedIn(const ast::Module &module, llvm::StringRef name) {
  for (const ast::FunctionDef *function : ast::jitFunctions(module))
    if (function->name == name)
      return function->nameRange;
  for (const ast::Stmt *statement : module.body) {
    if (const auto *function = llvm::dyn_cast<ast::FunctionDef>(statement); function && function->name == name)
      return function->nameRange;
    if (const auto *type = llvm::dyn_cast<ast::ClassDef>(statement); type && type->name == name)
      return type->nameRange;
  }
  return findAssignment(module.body, name);
}

std::optional<SourceRange> Document::definition(uint32_t offset) const {
  llvm::StringRef word = wordAt(offset);
  llvm::StringRef name = word.contains('.') ? word.rsplit('.').second : word;
  if (const ast::FunctionDef *around = word.contains('.') ? nullptr : functionAround(offset)) {
    for (const ast::Param &param : around->params)
      if (param.name == name)
        return param.nameRange;
    if (auto found = findAssignment(around->body, name))
      return found;
  }
  if (auto found = word.contains('.') ? std::nullopt : definedIn(*input.syntax, name))
    return found;
  for (const ast::ImportedModule &imported : input.syntax->imports)
    if (auto found = definedIn(*imported.module, name))
      return found;
  return std::nullopt;
}
