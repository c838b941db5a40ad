// What a name means: a variable of the function, or what its module binds.
#include "ModuleScope.h"
#include "Specializer.h"
#include "tlx/Support/NearestName.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

void Specializer::addModules(const ast::Module &root) {
  if (!modules.insert({root.file->id(), &root}).second)
    return;
  for (const ast::ImportedModule &imported : root.imports)
    addModules(*imported.module);
}

const ast::Module &Specializer::moduleOf(SourceRange range) const {
  auto found = modules.find(range.file);
  return found == modules.end() ? module : *found->second;
}

const ast::Module &Specializer::currentModule() const {
  return frames.empty() || !frames.back()->module ? module : *frames.back()->module;
}

std::optional<Datum> Specializer::memberOf(const ast::Module &owner, StringRef name) {
  auto [found, isNew] = members.try_emplace({&owner, name.str()});
  if (isNew)
    found->second = moduleMember(owner, name);
  return found->second;
}

std::optional<Datum> Specializer::lookupConstant(StringRef name) {
  if (!frames.empty())
    if (auto found = frame().names.find(name); found != frame().names.end())
      return found->second.value.isConstant() ? std::optional(found->second.value) : std::nullopt;
  return memberOf(currentModule(), name);
}

/// An expression of the top level of a module, or a default: a compile-time value.
Result Specializer::evaluateInModule(const ast::Module &owner, const ast::Expr *expr) {
  if (auto constant = evaluateConstant(expr, [&](StringRef name) { return memberOf(owner, name); }))
    return *constant;
  if (!evaluating.insert(expr).second) {
    sink.error(diag::Kind::UnknownName, expr->range) << "the value depends on itself";
    return failure();
  }
  auto outside = std::make_unique<Frame>();
  outside->module = &owner;
  outside->isConstexpr = true;
  frames.push_back(std::move(outside));
  auto value = evaluate(expr);
  frames.pop_back();
  evaluating.erase(expr);
  if (succeeded(value) && !value->isConstant()) {
    sink.error(diag::Kind::NeedsConstexpr, expr->range)
        << "a value outside kernels is a compile-time value; this is " << value->describe();
    return failure();
  }
  return value;
}

/// A global that is more than a literal: an object, what a constexpr function gives.
Result Specializer::evaluateGlobal(const ast::Module &owner, StringRef name, const ast::Expr *expr) {
  auto value = evaluateInModule(owner, expr);
  if (succeeded(value))
    members[{&owner, name.str()}] = *value;
  return value;
}

Result Specializer::evaluateName(const ast::Name *expr) {
  auto found = frame().names.find(expr->name);
  if (found != frame().names.end())
    return found->second.value;
  if (frame().poisoned.count(expr->name))
    return failure();
  if (frame().lost.count(expr->name))
    return unknownName(expr);
  auto [doubt, isNew] = unsettled.try_emplace({&currentModule(), expr->name.str()});
  if (isNew)
    doubt->second = unsettledBy(currentModule(), expr->name);
  if (const ast::Stmt *why = doubt->second) {
    sink.error(diag::Kind::HostValue, expr->range).note(why->range, "this statement decides it when the module runs")
        << "the value of `" << expr->name << "` is not known without running the module";
    return failure();
  }
  if (auto constant = lookupConstant(expr->name))
    return *constant;
  if (const ast::Expr *assigned = assignedExpression(currentModule(), expr->name))
    return evaluateGlobal(currentModule(), expr->name, assigned);
  return unknownName(expr);
}

Result Specializer::attributeOfModule(const ast::Module *imported, const ast::Attribute *expr) {
  if (auto member = memberOf(*imported, expr->name))
    return *member;
  if (const ast::Expr *assigned = assignedExpression(*imported, expr->name))
    return evaluateGlobal(*imported, expr->name, assigned);
  sink.error(diag::Kind::UnknownName, expr->nameRange)
      << "`" << imported->file->path() << "` has no `" << expr->name << "`";
  return failure();
}

Result Specializer::unknownName(const ast::Name *expr) {
  auto lost = frame().lost.find(expr->name);
  if (lost != frame().lost.end()) {
    bool isTile = lost->second.isOutsideTask;
    sink.error(isTile ? diag::Kind::TileCaptured : diag::Kind::UnknownName, expr->range)
            .note(lost->second.range, lost->second.reason)
        << "`" << expr->name << "` " << (isTile ? "is a tile from outside the task" : "has no value here");
    return failure();
  }
  if (const ast::Stmt *import = foreignImport(currentModule(), expr->name)) {
    sink.error(diag::Kind::HostValue, expr->range)
            .note(import->range, "imported here, from a module that is on no search path (`-I`)")
        << "`" << expr->name << "` belongs to the host program";
    return failure();
  }
  SmallVector<StringRef> candidates;
  for (const auto &entry : frame().names)
    candidates.push_back(entry.first);
  for (const ast::Stmt *statement : topLevel(currentModule()))
    if (const auto *definition = dyn_cast<ast::FunctionDef>(statement))
      candidates.push_back(definition->name);
  auto nearest = nearestName(expr->name, candidates);
  auto builder = sink.error(diag::Kind::UnknownName, expr->range);
  builder << "`" << expr->name << "` is not defined";
  if (nearest)
    (builder << "; did you mean `" << *nearest << "`").fixIt(*nearest) << "?";
  return failure();
}
