// Binds arguments to parameters, for builtins by the table, for the module's functions by inlining them.
#include "ConstEval.h"
#include "Specializer.h"
#include "tlx/Support/NearestName.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

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
    if (keyword.name.empty())
      return LogicalResult(unsupported(keyword.value->range, "`**` in a call"));
    auto value = evaluate(keyword.value);
    if (failed(value))
      return failure();
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
  if (callee->is<const Builtin *>() || callee->is<const ast::FunctionDef *>())
    return callFunction(*callee, *given, expr->range);
  if (const auto *method = callee->getIf<MethodValue>()) {
    given->insert(given->begin(), {*method->self, expr->callee->range, {}, {}});
    return callBuiltin(*method->builtin, *given, expr->range);
  }
  return callFunction(*callee, *given, expr->callee->range);
}

Result Specializer::callFunction(const Datum &callee, const GivenArguments &given, SourceRange range) {
  if (const auto *builtin = callee.getIf<const Builtin *>())
    return callBuiltin(**builtin, given, range);
  if (const auto *function = callee.getIf<const ast::FunctionDef *>())
    return inlineFunction(*function, given, range);
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
    auto constant = evaluateConstant(param.defaultValue, [&](StringRef name) { return moduleConstant(*callee.module, name); });
    if (!constant) {
      sink.error(diag::Kind::NeedsConstexpr, param.defaultValue->range) << "a default is a compile-time value";
      return failure();
    }
    value = *constant;
  } else {
    sink.error(diag::Kind::MissingArgument, call).note(param.range, "declared here")
        << "`" << callee.function->name << "` needs `" << param.name << "`";
    return failure();
  }
  const auto *annotation = dyn_cast_if_present<ast::Attribute>(param.annotation);
  if (annotation && annotation->name == "constexpr" && !value.isConstant()) {
    sink.error(diag::Kind::NeedsConstexpr, range).note(param.range, "declared `tl.constexpr` here")
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

LogicalResult Specializer::bindParameters(Frame &callee, const GivenArguments &given, SourceRange range) {
  size_t position = 0;
  SmallVector<bool> used(given.size(), false);
  for (const ast::Param &param : callee.function->params) {
    if (param.kind == ast::ParamKind::VarKeywords)
      return LogicalResult(unsupported(param.range, "a `**` parameter"));
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
    bool isKnown = isKeyword && callee.names.count(given[i].keyword);
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

/// A function of another place than the caller: library functions are given functions of the user's.
static const ast::Module *moduleOf(const ast::FunctionDef *function, const ast::Module &user, const Library *library) {
  return function->range.file == libraryFile ? &library->module() : &user;
}

Result Specializer::callLibrary(StringRef function, const GivenArguments &given, SourceRange range) {
  if (!library)
    library = std::make_unique<Library>(sink);
  const ast::FunctionDef *callee = findFunction(library->module(), function);
  assert(callee && "Library.tlx has no such function");
  SourceRange outer = sink.redirect(libraryFile, range);
  auto result = inlineFunction(callee, given, range);
  sink.redirect(libraryFile, outer);
  return result;
}

Result Specializer::inlineFunction(const ast::FunctionDef *callee, const GivenArguments &given, SourceRange range) {
  // A function may call itself as long as a compile-time condition ends it.
  constexpr unsigned mostInlined = 1 << 15;
  if (++inlined > mostInlined) {
    sink.error(diag::Kind::RecursiveCall, range) << "more than " << mostInlined << " calls are inlined";
    return failure();
  }
  if (frames.size() > 64) {
    sink.error(diag::Kind::RecursiveCall, range).note(callee->nameRange, "defined here")
        << "`" << callee->name << "` is called " << frames.size() << " functions deep; the limit is 64";
    return failure();
  }
  auto inner = std::make_unique<Frame>();
  inner->function = callee;
  inner->module = moduleOf(callee, module, library.get());
  if (failed(bindParameters(*inner, given, range)))
    return failure();
  OptionalLocation outerSite = emit.callSite;
  if (inner->module == &module)
    emit.callSite = emit.location();
  frames.push_back(std::move(inner));
  auto flow = execute(callee->body, nullptr);
  Datum returned = frame().returned;
  frames.pop_back();
  emit.callSite = outerSite;
  if (failed(flow))
    return failure();
  return *flow == Flow::Returned ? Result(returned) : Result(Datum(NoneValue()));
}
