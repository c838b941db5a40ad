#include "tlx/Compiler/ModuleLoader.h"
#include "tlx/Syntax/Parser.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace tlx;

const ast::Module *ModuleLoader::load(FileId file) {
  ast::Module *module = context.make(*ast::parse(files.file(file), context, sink));
  llvm::SmallString<256> real;
  if (!llvm::sys::fs::real_path(files.file(file).path(), real))
    loaded[real] = module;
  link(*module);
  return module;
}

/// Statements that may run when the module is imported, and those inside functions: kernels may stand there.
static void forEachStatement(ast::Body body, llvm::function_ref<void(const ast::Stmt &)> visit) {
  for (const ast::Stmt *statement : body) {
    visit(*statement);
    if (const auto *branch = llvm::dyn_cast<ast::If>(statement)) {
      forEachStatement(branch->thenBody, visit);
      forEachStatement(branch->elseBody, visit);
    } else if (const auto *with = llvm::dyn_cast<ast::With>(statement)) {
      forEachStatement(with->body, visit);
    } else if (const auto *opaque = llvm::dyn_cast<ast::OpaqueStmt>(statement)) {
      forEachStatement(opaque->body, visit);
    }
  }
}

static bool isOfTheLanguage(llvm::StringRef path) {
  return path.split('.').first == "triton";
}

void ModuleLoader::link(ast::Module &module) {
  llvm::SmallVector<ast::ImportedModule> found;
  auto add = [&](unsigned level, const llvm::Twine &path) {
    std::string name = path.str();
    if (level == 0 && isOfTheLanguage(name))
      return;
    if (const ast::Module *imported = import(module, level, name))
      found.push_back({context.copy(std::string(level, '.') + name), imported});
  };
  forEachStatement(module.body, [&](const ast::Stmt &statement) {
    if (const auto *plain = llvm::dyn_cast<ast::Import>(&statement))
      for (const ast::ImportedName &name : plain->names)
        add(0, name.path);
    const auto *from = llvm::dyn_cast<ast::ImportFrom>(&statement);
    if (!from)
      return;
    add(from->level, from->module);
    for (const ast::ImportedName &name : from->names)
      if (name.path != "*")
        add(from->level, from->module + (from->module.empty() ? "" : ".") + name.path);
  });
  module.imports = context.copy(llvm::ArrayRef(found));
}

const ast::Module *ModuleLoader::import(const ast::Module &from, unsigned level, llvm::StringRef path) {
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(from.file->path()));
  for (unsigned up = 1; up < level; ++up)
    llvm::sys::path::append(folder, "..");
  std::vector<std::string> folders{folder.str().str()};
  if (level == 0)
    folders.insert(folders.end(), searchPath.begin(), searchPath.end());
  std::string relative = path.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  for (const std::string &base : folders)
    for (const char *suffix : {".tlx", ".py", "/__init__.py"}) {
      llvm::SmallString<256> candidate(base);
      llvm::sys::path::append(candidate, relative + suffix);
      if (llvm::sys::fs::is_regular_file(candidate))
        return open(candidate);
    }
  return nullptr;
}

const ast::Module *ModuleLoader::open(llvm::StringRef path) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(path, real))
    return nullptr;
  if (auto known = loaded.find(real); known != loaded.end())
    return known->second;
  llvm::Expected<FileId> file = files.open(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return loaded[real] = nullptr;
  }
  return load(*file);
}
