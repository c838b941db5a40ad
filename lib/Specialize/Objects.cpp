// Classes of the source: objects whose fields are values of the kernel, their methods and constructors. An object is
// set up by `__init__`, by a dataclass's fields in order, or by a named tuple's, and does not change afterwards.
#include "ModuleScope.h"
#include "Specializer.h"
#include "tlx/Support/NearestName.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static StringRef lastName(const ast::Expr *expr) {
  if (const auto *call = dyn_cast<ast::Call>(expr))
    return lastName(call->callee);
  if (const auto *attribute = dyn_cast<ast::Attribute>(expr))
    return attribute->name;
  const auto *name = dyn_cast<ast::Name>(expr);
  return name ? name->name : StringRef();
}

static bool hasDecorator(const ast::FunctionDef &function, StringRef name) {
  return llvm::any_of(function.decorators, [&](const ast::Expr *decorator) { return lastName(decorator) == name; });
}

bool tlx::specialize::isConstexprFunction(const ast::FunctionDef &function) {
  return hasDecorator(function, "constexpr_function");
}

/// The class and those that it extends, nearest first.
SmallVector<const ast::ClassDef *> Specializer::lineage(const ast::ClassDef *type) {
  constexpr unsigned longest = 16;
  SmallVector<const ast::ClassDef *> classes;
  while (type && classes.size() < longest) {
    classes.push_back(type);
    const ast::ClassDef *base = nullptr;
    for (const ast::Expr *expr : type->bases)
      if (const ast::ClassDef *found = findClass(moduleOf(type->range), lastName(expr)); found && !base)
        base = found;
    type = base;
  }
  return classes;
}

const ast::FunctionDef *Specializer::methodNamed(const ast::ClassDef *type, StringRef name) {
  for (const ast::ClassDef *definition : lineage(type))
    for (const ast::Stmt *statement : definition->body)
      if (const auto *function = dyn_cast<ast::FunctionDef>(statement); function && function->name == name)
        return function;
  return nullptr;
}

namespace {
struct Field {
  StringRef name;
  SourceRange range;
  /// Null when the constructor must be given one.
  const ast::Expr *defaultValue;
};
} // namespace

/// The annotated fields, those of the base classes first.
static SmallVector<Field> fieldsOf(ArrayRef<const ast::ClassDef *> lineage) {
  SmallVector<Field> fields;
  for (const ast::ClassDef *definition : llvm::reverse(lineage))
    for (const ast::Stmt *statement : definition->body)
      if (const auto *field = dyn_cast<ast::AnnotatedAssign>(statement))
        if (const auto *name = dyn_cast<ast::Name>(field->target)) {
          llvm::erase_if(fields, [&](const Field &other) { return other.name == name->name; });
          fields.push_back({name->name, name->range, field->value});
        }
  return fields;
}

/// An object without `__init__`: its fields take the arguments in order or by name.
Result Specializer::constructFields(const ast::ClassDef *type, const GivenArguments &given, SourceRange range) {
  auto classes = lineage(type);
  SequenceValue object;
  object.type = type;
  for (const ast::ClassDef *definition : classes)
    object.isNamedTuple |=
        llvm::any_of(definition->bases, [](const ast::Expr *base) { return lastName(base) == "NamedTuple"; });
  SmallVector<bool> used(given.size(), false);
  size_t position = 0;
  for (const Field &field : fieldsOf(classes)) {
    const GivenArgument *found = nullptr;
    for (size_t i = 0; i < given.size() && !found; ++i)
      if (given[i].keyword.empty() ? i == position : given[i].keyword == field.name) {
        found = &given[i];
        used[i] = true;
      }
    ++position;
    if (!found && !field.defaultValue) {
      sink.error(diag::Kind::MissingArgument, range).note(field.range, "declared here")
          << "`" << type->name << "` needs `" << field.name << "`";
      return failure();
    }
    auto value = found ? Result(found->value) : evaluateInModule(moduleOf(type->range), field.defaultValue);
    if (failed(value))
      return failure();
    object.fields.push_back(field.name);
    object.elements.push_back(*value);
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!used[i]) {
      sink.error(diag::Kind::UnexpectedArgument, given[i].range).note(type->nameRange, "the class is defined here")
          << "`" << type->name << "` has " << object.fields.size() << " fields"
          << (given[i].keyword.empty() ? "" : ", none of them `" + given[i].keyword.str() + "`");
      return failure();
    }
  return Datum::object(std::move(object));
}

Result Specializer::construct(const ast::ClassDef *type, GivenArguments given, SourceRange range) {
  const ast::FunctionDef *constructor = methodNamed(type, "__init__");
  if (!constructor)
    return constructFields(type, given, range);
  if (constructor->params.empty())
    return unsupported(constructor->nameRange, "an `__init__` without `self`");
  SequenceValue empty;
  empty.type = type;
  given.insert(given.begin(), {Datum::object(std::move(empty)), range, {}, {}});
  Datum self;
  auto returned = inlineFunction(constructor, given, range, &self);
  return failed(returned) ? returned : Result(self);
}

/// `self.name = value` in `__init__`.
LogicalResult Specializer::assignField(const ast::Attribute *target, const Datum &value) {
  const auto *base = dyn_cast<ast::Name>(target->base);
  const ast::FunctionDef *function = frame().function;
  bool isSelf = base && function && function->name == "__init__" && !function->params.empty() &&
                function->params.front().name == base->name;
  auto found = isSelf ? frame().names.find(base->name) : frame().names.end();
  const SequenceValue *parts = found == frame().names.end() ? nullptr : found->second.value.asParts();
  if (!parts || !parts->type) {
    sink.error(diag::Kind::UnsupportedConstruct, target->range)
        << "a field is given its value in `__init__` only; make a new object instead";
    return failure();
  }
  SequenceValue object = *parts;
  auto place = llvm::find(object.fields, target->name);
  if (place != object.fields.end())
    object.elements[place - object.fields.begin()] = value;
  else {
    object.fields.push_back(target->name);
    object.elements.push_back(value);
  }
  found->second.value = Datum::object(std::move(object));
  return success();
}

/// A method, or a constant of the class.
std::optional<Result> Specializer::classMember(const ast::ClassDef *type, const Datum *self,
                                               const ast::Attribute *expr) {
  if (const ast::FunctionDef *method = methodNamed(type, expr->name)) {
    if (!self || hasDecorator(*method, "staticmethod"))
      return Datum(method);
    MethodValue bound{std::make_shared<const Datum>(*self), nullptr, method};
    if (!hasDecorator(*method, "property"))
      return Datum(std::move(bound));
    return inlineFunction(method, {{*self, expr->range, {}, {}}}, expr->range);
  }
  for (const ast::ClassDef *definition : lineage(type))
    for (const ast::Stmt *statement : llvm::reverse(definition->body)) {
      const ast::Expr *value = nullptr;
      auto consider = [&](const ast::Expr *target, const ast::Expr *assigned) {
        const auto *name = dyn_cast<ast::Name>(target);
        if (name && name->name == expr->name)
          value = assigned;
      };
      if (const auto *assign = dyn_cast<ast::Assign>(statement))
        for (const ast::Expr *target : assign->targets)
          consider(target, assign->value);
      if (const auto *annotated = dyn_cast<ast::AnnotatedAssign>(statement))
        consider(annotated->target, annotated->value);
      if (value)
        return evaluateInModule(moduleOf(definition->range), value);
    }
  return std::nullopt;
}

Result Specializer::attributeOfObject(const Datum &object, const ast::Attribute *expr) {
  if (const Datum *field = object.field(expr->name))
    return *field;
  if (auto member = classMember(object.asParts()->type, &object, expr))
    return *member;
  auto builder = sink.error(diag::Kind::UnknownName, SourceRange(expr->nameRange));
  builder << object.describe() << " has no `" << expr->name << "`";
  if (auto nearest = nearestName(expr->name, object.asParts()->fields))
    (builder << "; did you mean `" << *nearest << "`").fixIt(*nearest) << "?";
  return failure();
}

Result Specializer::attributeOfClass(const ast::ClassDef *type, const ast::Attribute *expr) {
  if (auto member = classMember(type, nullptr, expr))
    return *member;
  sink.error(diag::Kind::UnknownName, expr->nameRange)
      << "the class `" << type->name << "` has no `" << expr->name << "`";
  return failure();
}
