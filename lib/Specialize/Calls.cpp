// Binds arguments to parameters, for builtins by the table, for the module's functions by inlining them.
#include "AssignedNames.h"
#include "Escapes.h"
#include "ModuleScope.h"
#include "Specializer.h"
#include "tlx/Support/NearestName.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// `f(**options)`
LogicalResult Specializer::spreadKeywords(const Datum &value, SourceRange range, GivenArguments &given) {
  const SequenceValue *dictionary = value.asDict();
  if (!dictionary)
    return LogicalResult(unsupported(range, "`**` before something that is not a dictionary"));
  for (auto [key, element] : llvm::zip(dictionary->keys, dictionary->elements)) {
    if (!key.is<std::string>())
      return LogicalResult(unsupported(range, "`**` before a dictionary whose keys are not strings"));
    // Dictionaries come and go, names of arguments are only referred to.
    StringRef name = keywordNames.insert(key.text()).first->getKey();
    given.push_back({element, range, name, range});
  }
  return success();
}

FailureOr<GivenArguments> Specializer::evaluateArguments(const ast::Call *expr) {
  GivenArguments given;
  for (const ast::Expr *argument : expr->arguments) {
    const auto *starred = dyn_cast<ast::Starred>(argument);
    auto value = evaluate(starred ? starred->value : argument);
    if (failed(value))
      return failure();
    if (starred && !value->asSequence())
      return LogicalResult(unsupported(argument->range, "`*` before something that is not a tuple or list"));
    if (!starred) {
      given.push_back({*value, argument->range, {}, {}});
      continue;
    }
    for (const Datum &element : value->asSequence()->elements)
      given.push_back({element, argument->range, {}, {}});
  }
  for (const ast::KeywordArgument &keyword : expr->keywords) {
    auto value = evaluate(keyword.value);
    if (failed(value))
      return failure();
    if (keyword.name.empty()) {
      if (failed(spreadKeywords(*value, keyword.value->range, given)))
        return failure();
      continue;
    }
    given.push_back({*value, keyword.value->range, keyword.name, keyword.nameRange});
  }
  return given;
}

Result Specializer::evaluateCall(const ast::Call *expr) {
  auto callee = evaluate(expr->callee);
  if (failed(callee))
    return failure();
  auto given = evaluateArguments(expr);
  if (failed(given))
    return failure();
  if (const auto *method = callee->getIf<MethodValue>()) {
    given->insert(given->begin(), {*method->self, expr->callee->range, {}, {}});
    return method->function ? inlineFunction(method->function, *given, expr->range)
                            : callBuiltin(*method->builtin, *given, expr->range);
  }
  bool isFunction = callee->is<const Builtin *>() || callee->is<const ast::FunctionDef *>();
  if (isFunction || callee->is<const ast::ClassDef *>())
    return callFunction(*callee, *given, expr->range);
  return callFunction(*callee, *given, expr->callee->range);
}

Result Specializer::callElementwise(const Datum &callee, const GivenArguments &given, SourceRange range) {
  callsElementwise = callee.is<const ast::FunctionDef *>();
  return callFunction(callee, given, range);
}

Result Specializer::callFunction(const Datum &callee, const GivenArguments &given, SourceRange range) {
  if (const auto *builtin = callee.getIf<const Builtin *>())
    return callBuiltin(**builtin, given, range);
  if (const auto *function = callee.getIf<const ast::FunctionDef *>())
    return inlineFunction(*function, given, range);
  if (const auto *type = callee.getIf<const ast::ClassDef *>())
    return construct(*type, given, range);
  sink.error(diag::Kind::ArgumentType, range) << callee.describe() << " cannot be called";
  return failure();
}

//===-- builtins -----------------------------------------------------------===//

LogicalResult Specializer::bindKeyword(Call &call, const GivenArgument &argument) {
  for (BoundArgument &bound : call.arguments) {
    if (bound.parameter.name != argument.keyword || bound.parameter.isRest || bound.parameter.isSwallow)
      continue;
    if (bound.isGiven) {
      sink.error(diag::Kind::DuplicateArgument, argument.keywordRange)
          << "`" << argument.keyword << "` of `" << call.builtin.name << "` is given twice";
      return failure();
    }
    bound.value = argument.value;
    bound.range = argument.range;
    bound.isGiven = true;
    return success();
  }
  SmallVector<StringRef> names;
  for (const BoundArgument &bound : call.arguments) {
    if (bound.parameter.isSwallow)
      return success();
    names.push_back(bound.parameter.name);
  }
  auto builder = sink.error(diag::Kind::UnexpectedArgument, argument.keywordRange);
  builder << "`" << call.builtin.name << "` has no parameter `" << argument.keyword << "`";
  if (auto nearest = nearestName(argument.keyword, names))
    builder << "; did you mean `" << *nearest << "`?";
  else
    builder << "; it has (" << call.builtin.parameters << ")";
  return failure();
}

LogicalResult Specializer::finishArguments(Call &call) {
  for (BoundArgument &bound : call.arguments) {
    if (!bound.isGiven && bound.parameter.defaultValue)
      bound.value = *bound.parameter.defaultValue;
    else if (!bound.isGiven && !bound.parameter.isRest && !bound.parameter.isSwallow) {
      sink.error(diag::Kind::MissingArgument, call.range)
          << "`" << call.builtin.name << "` needs `" << bound.parameter.name << "`; its parameters are ("
          << call.builtin.parameters << ")";
      return failure();
    }
    if (bound.parameter.isConstexpr && !bound.value.isConstant()) {
      sink.error(diag::Kind::NeedsConstexpr, bound.range)
          << "`" << bound.parameter.name << "` of `" << call.builtin.name << "` is needed while compiling; this is "
          << bound.value.describe();
      return failure();
    }
  }
  return success();
}

LogicalResult Specializer::bindArguments(Call &call, const GivenArguments &given) {
  for (const BuiltinParameter &parameter : parseParameters(call.builtin.parameters)) {
    call.arguments.push_back({parameter, Datum(), call.range, false});
    if (parameter.isRest)
      call.arguments.back().value = Datum::sequence({}, false);
  }
  size_t position = 0;
  for (const GivenArgument &argument : given) {
    if (!argument.keyword.empty()) {
      if (failed(bindKeyword(call, argument)))
        return failure();
      continue;
    }
    if (position == call.arguments.size() || call.arguments[position].parameter.isKeywordOnly ||
        call.arguments[position].parameter.isSwallow) {
      sink.error(diag::Kind::UnexpectedArgument, argument.range)
          << "`" << call.builtin.name << "` takes at most " << position << " positional arguments";
      return failure();
    }
    BoundArgument &bound = call.arguments[position];
    if (!bound.parameter.isRest) {
      bound.value = argument.value;
      ++position;
    } else {
      std::vector<Datum> elements = bound.value.asSequence()->elements;
      elements.push_back(argument.value);
      bound.value = Datum::sequence(std::move(elements), false);
    }
    bound.range = bound.isGiven ? join(bound.range, argument.range) : argument.range;
    bound.isGiven = true;
  }
  return finishArguments(call);
}

Result Specializer::callBuiltin(const Builtin &builtin, const GivenArguments &given, SourceRange range) {
  Emitter::At at(emit, range);
  Call call(*this, emit, builtin, range);
  if (failed(bindArguments(call, given)))
    return failure();
  return builtin.handler(call);
}

//===-- functions of the module ------------------------------------------------===//

LogicalResult Specializer::bindParameter(Frame &callee, const ast::Param &param, const GivenArgument *argument,
                                         SourceRange call) {
  Datum value;
  SourceRange range = argument ? argument->range : param.range;
  if (argument)
    value = argument->value;
  else if (param.defaultValue) {
    auto constant = evaluateInModule(*callee.module, param.defaultValue);
    if (failed(constant))
      return failure();
    value = *constant;
  } else {
    sink.error(diag::Kind::MissingArgument, call).note(param.range, "declared here")
        << "`" << callee.function->name << "` needs `" << param.name << "`";
    return failure();
  }
  if ((callee.isConstexpr || isConstexprAnnotation(param.annotation)) && !value.isConstant()) {
    sink.error(diag::Kind::NeedsConstexpr, range)
            .note(param.range, callee.isConstexpr ? "of a constexpr function" : "declared `tl.constexpr` here")
        << "`" << param.name << "` of `" << callee.function->name << "` is needed while compiling; this is "
        << value.describe();
    return failure();
  }
  callee.names[param.name] = {value, range};
  return success();
}

/// The argument for a parameter: the next positional one, else the keyword of its name.
static const GivenArgument *argumentFor(const ast::Param &param, const GivenArguments &given, size_t &position,
                                        SmallVectorImpl<bool> &used) {
  if (param.kind != ast::ParamKind::KeywordOnly && position < given.size() && given[position].keyword.empty()) {
    used[position] = true;
    return &given[position++];
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i].keyword.empty() && given[i].keyword == param.name) {
      used[i] = true;
      return &given[i];
    }
  return nullptr;
}

/// What a `**` parameter holds: keyword arguments that no other parameter took.
static Datum collectKeywords(const GivenArguments &given, SmallVectorImpl<bool> &used) {
  SequenceValue dictionary;
  dictionary.isDict = true;
  for (size_t i = 0; i < given.size(); ++i) {
    Datum key(given[i].keyword.str());
    if (used[i] || given[i].keyword.empty() || llvm::is_contained(dictionary.keys, key))
      continue;
    used[i] = true;
    dictionary.keys.push_back(key);
    dictionary.elements.push_back(given[i].value);
  }
  return Datum::object(std::move(dictionary));
}

/// Whether an argument of the same name stands before.
static bool isRepeated(const GivenArguments &given, size_t index) {
  return llvm::any_of(ArrayRef(given).take_front(index),
                      [&](const GivenArgument &other) { return other.keyword == given[index].keyword; });
}

LogicalResult Specializer::bindParameters(Frame &callee, const GivenArguments &given, SourceRange range) {
  size_t position = 0;
  SmallVector<bool> used(given.size(), false);
  for (const ast::Param &param : callee.function->params) {
    if (param.kind == ast::ParamKind::VarKeywords) {
      callee.names[param.name] = {collectKeywords(given, used), param.range};
      continue;
    }
    if (param.kind == ast::ParamKind::VarArgs) {
      std::vector<Datum> rest;
      for (; position < given.size() && given[position].keyword.empty(); ++position) {
        used[position] = true;
        rest.push_back(given[position].value);
      }
      callee.names[param.name] = {Datum::sequence(std::move(rest), false), param.range};
      continue;
    }
    if (failed(bindParameter(callee, param, argumentFor(param, given, position, used), range)))
      return failure();
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (used[i])
      continue;
    bool isKeyword = !given[i].keyword.empty();
    bool isKnown = isKeyword && (callee.names.count(given[i].keyword) || isRepeated(given, i));
    sink.error(isKnown ? diag::Kind::DuplicateArgument : diag::Kind::UnexpectedArgument,
               isKeyword ? given[i].keywordRange : given[i].range)
            .note(callee.function->nameRange, "the function is defined here")
        << "`" << callee.function->name << "` "
        << (isKnown     ? "is given `" + given[i].keyword.str() + "` twice"
            : isKeyword ? "has no parameter `" + given[i].keyword.str() + "`"
                        : "takes at most " + std::to_string(position) + " positional arguments");
    return failure();
  }
  return success();
}

Result Specializer::callLibrary(StringRef function, const GivenArguments &given, SourceRange range) {
  if (!library) {
    library = std::make_unique<Library>(sink);
    addModules(library->module());
  }
  const ast::FunctionDef *callee = findFunction(library->module(), function);
  assert(callee && "Library.tlx has no such function");
  SourceRange outer = sink.redirect(libraryFile, range);
  auto result = inlineFunction(callee, given, range);
  sink.redirect(libraryFile, outer);
  return result;
}

/// What the function of the current frame gives to its caller.
Result Specializer::takeReturned(Flow flow) {
  auto found = frame().names.find(escapes::value);
  if (flow == Flow::Next || found == frame().names.end() || found->second.value.isNone())
    return Datum(NoneValue());
  if (flow == Flow::Escaped)
    return found->second.value;
  sink.error(diag::Kind::OperandType, found->second.range)
      << "`" << frame().function->name << "` gives " << found->second.value.describe()
      << " here and nothing where it ends without `return`";
  return failure();
}

/// `self` receives what the first parameter holds at the end.
Result Specializer::inlineFunction(const ast::FunctionDef *callee, const GivenArguments &given, SourceRange range,
                                   Datum *self) {
  // A function may call itself as long as a compile-time condition ends it.
  if (++inlined > limits.inlined) {
    isFatal = true;
    sink.error(diag::Kind::RecursiveCall, range) << "more than " << limits.inlined << " calls are inlined";
    return failure();
  }
  if (frames.size() > 64) {
    isFatal = true;
    sink.error(diag::Kind::RecursiveCall, range).note(callee->nameRange, "defined here")
        << "`" << callee->name << "` is called " << frames.size() << " functions deep; the limit is 64";
    return failure();
  }
  auto inner = std::make_unique<Frame>();
  inner->function = callee;
  inner->module = &moduleOf(callee->range);
  inner->isConstexpr = isConstexprFunction(*callee) || frame().isConstexpr;
  // The library calls what combines two elements of a reduction or scan.
  bool isCombining =
      frame().function && frame().function->range.file == libraryFile && callee->range.file != libraryFile;
  inner->isElementwise = std::exchange(callsElementwise, false) || frame().isElementwise || isCombining;
  if (failed(bindParameters(*inner, given, range)))
    return failure();
  OptionalLocation outerSite = emit.callSite;
  if (callee->range.file != libraryFile)
    emit.callSite = emit.location();
  frames.push_back(std::move(inner));
  auto flow = execute(callee->body);
  auto returned = failed(flow) ? Result(failure()) : takeReturned(*flow);
  if (self && succeeded(returned))
    *self = frame().names.lookup(callee->params.front().name).value;
  frames.pop_back();
  emit.callSite = outerSite;
  return returned;
}
