// Python's own functions, and loops' ranges.
#include "Fold.h"
#include "Specializer.h"
#include <limits>

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// Numbers that a loop cannot have. A factor or count of 0 leaves the choice to the compiler.
static LogicalResult checkLoopOption(Call &call, const BoundArgument &option) {
  StringRef name = option.parameter.name;
  bool isCount = name == "num_stages" || name == "loop_unroll_factor" || name == "data_partition_factor";
  auto value = option.value.asInt();
  if (!isCount || (value && *value >= 0))
    return success();
  call.error(diag::Kind::LaunchOption, name)
      << "`" << name << "` of a loop is " << option.value.describe() << "; it is an int that is not negative";
  return failure();
}

static Result makeRange(Call &call, bool isStatic) {
  auto keep = [](const Datum &value) { return std::make_shared<const Datum>(value); };
  RangeValue range;
  bool hasEnd = !call["second"].isNone();
  range.start = keep(hasEnd ? call["first"] : Datum(int64_t(0)));
  range.end = keep(hasEnd ? call["second"] : call["first"]);
  range.step = keep(call["third"].isNone() ? Datum(int64_t(1)) : call["third"]);
  range.isStatic = isStatic;
  for (const BoundArgument &bound : call.arguments) {
    bool isOption = bound.parameter.isConstexpr && bound.parameter.name != "first" &&
                    bound.parameter.name != "second" && bound.parameter.name != "third";
    if (!isOption || !bound.isGiven || bound.value.isNone())
      continue;
    if (failed(checkLoopOption(call, bound)))
      return failure();
    range.attributes.push_back({bound.parameter.name.str(), bound.value});
  }
  return Datum(range);
}

Result tlx::specialize::pythonRange(Call &call) {
  return makeRange(call, false);
}
Result tlx::specialize::tileRange(Call &call) {
  return makeRange(call, false);
}
Result tlx::specialize::staticRange(Call &call) {
  return makeRange(call, true);
}

static Result reduceValues(Call &call, bool isMax) {
  const SequenceValue *values = call["values"].asSequence();
  if (values->elements.size() == 1 && values->elements[0].asSequence())
    values = values->elements[0].asSequence();
  if (values->elements.empty()) {
    call.emit.error(diag::Kind::MissingArgument) << "`" << call.builtin.name << "` needs at least one value";
    return failure();
  }
  Datum best = values->elements[0];
  for (const Datum &value : ArrayRef<Datum>(values->elements).drop_front()) {
    auto next = call.emit.extremum(isMax, best, value);
    if (failed(next))
      return failure();
    best = *next;
  }
  return best;
}

Result tlx::specialize::pythonMin(Call &call) {
  return reduceValues(call, false);
}
Result tlx::specialize::pythonMax(Call &call) {
  return reduceValues(call, true);
}

Result tlx::specialize::pythonLen(Call &call) {
  const Datum &value = call["value"];
  if (value.asSequence() || value.asDict())
    return Datum(static_cast<int64_t>(value.asParts()->elements.size()));
  if (value.isTile())
    return Datum(shapeOf(value.irValue()).front());
  call.error(diag::Kind::ArgumentType, "value") << value.describe() << " has no length";
  return failure();
}

Result tlx::specialize::pythonFloat(Call &call) {
  const Datum &value = call["value"];
  if (auto number = value.asDouble())
    return Datum(*number);
  if (const auto *text = value.getIf<std::string>()) {
    StringRef rest = StringRef(*text).trim();
    bool isNegative = rest.consume_front("-");
    if (!isNegative)
      rest.consume_front("+");
    double magnitude = 0;
    bool isKnown = true;
    if (rest.equals_insensitive("inf") || rest.equals_insensitive("infinity"))
      magnitude = std::numeric_limits<double>::infinity();
    else if (rest.equals_insensitive("nan"))
      magnitude = std::numeric_limits<double>::quiet_NaN();
    else
      isKnown = !rest.getAsDouble(magnitude);
    if (isKnown)
      return Datum(isNegative ? -magnitude : magnitude);
  }
  if (value.isScalar() || value.isTile()) {
    auto converted = call.emit.cast(*value.getIf<IRValue>(), {ScalarKind::F32});
    return failed(converted) ? Result(failure()) : Result(Datum(*converted));
  }
  call.error(diag::Kind::ArgumentType, "value") << value.describe() << " is not a number";
  return failure();
}

Result tlx::specialize::pythonInt(Call &call) {
  const Datum &value = call["value"];
  if (auto integer = value.asInt())
    return Datum(*integer);
  if (auto number = value.asDouble(); number && *number > -9.2e18 && *number < 9.2e18)
    return Datum(static_cast<int64_t>(*number));
  if (value.isScalar() || value.isTile()) {
    auto converted = call.emit.cast(*value.getIf<IRValue>(), {ScalarKind::I32});
    return failed(converted) ? Result(failure()) : Result(Datum(*converted));
  }
  call.error(diag::Kind::ArgumentType, "value") << value.describe() << " is not a number";
  return failure();
}

Result tlx::specialize::pythonBool(Call &call) {
  if (auto truth = call["value"].truth())
    return Datum(*truth);
  auto condition = call.emit.asCondition(call["value"]);
  return failed(condition) ? Result(failure()) : Result(Datum(*condition));
}

Result tlx::specialize::pythonStr(Call &call) {
  return Datum(call["value"].text());
}

static Result convertSequence(Call &call, bool isList) {
  if (const SequenceValue *sequence = call["values"].asSequence())
    return Datum::sequence(sequence->elements, isList);
  call.error(diag::Kind::ArgumentType, "values") << call["values"].describe() << " is not a tuple or list";
  return failure();
}

Result tlx::specialize::pythonTuple(Call &call) {
  return convertSequence(call, false);
}
Result tlx::specialize::pythonList(Call &call) {
  return convertSequence(call, true);
}

Result tlx::specialize::isInstance(Call &call) {
  const Datum &value = call["value"];
  const auto *const *kind = call["kind"].getIf<const Builtin *>();
  StringRef name = kind ? StringRef((*kind)->name) : StringRef();
  if (name == "tl.constexpr")
    return Datum(value.isConstant());
  if (name == "tuple" || name == "list")
    return Datum(value.asSequence() && value.asSequence()->isList == (name == "list"));
  if (name == "int" || name == "float" || name == "bool" || name == "str")
    return Datum(name == "int"     ? value.is<int64_t>()
                 : name == "float" ? value.is<double>()
                 : name == "bool"  ? value.is<bool>()
                                   : value.is<std::string>());
  call.error(diag::Kind::ArgumentType, "kind") << "`isinstance` knows int, float, bool, str, tuple, list and "
                                                  "tl.constexpr; this is "
                                               << call["kind"].describe();
  return failure();
}
