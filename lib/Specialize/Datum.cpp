// Queries on values and the words that diagnostics use for them.
#include "Datum.h"
#include "Builtins.h"
#include "TensorMemory.h"
#include "tlx/Dialect/TLXDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

llvm::ArrayRef<int64_t> tlx::specialize::shapeOf(mlir::Value value) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return type.getShape();
  return {};
}

Datum SequenceValue::with(std::vector<Datum> others) const {
  SequenceValue copy = *this;
  copy.elements = std::move(others);
  return Datum::object(std::move(copy));
}

const SequenceValue *Datum::asParts() const {
  const auto *pointer = getIf<std::shared_ptr<const SequenceValue>>();
  return pointer ? pointer->get() : nullptr;
}

const SequenceValue *Datum::asSequence() const {
  const SequenceValue *parts = asParts();
  return parts && !parts->isDict && (!parts->type || parts->isNamedTuple) ? parts : nullptr;
}

const SequenceValue *Datum::asDict() const {
  const SequenceValue *parts = asParts();
  return parts && parts->isDict ? parts : nullptr;
}

bool SequenceValue::isLike(const SequenceValue &other) const {
  return elements.size() == other.elements.size() && isList == other.isList && type == other.type &&
         isDict == other.isDict && keys == other.keys;
}

const Datum *Datum::field(llvm::StringRef name) const {
  const SequenceValue *parts = asParts();
  for (size_t i = 0; parts && i < parts->fields.size(); ++i)
    if (parts->fields[i] == name)
      return &parts->elements[i];
  return nullptr;
}

bool Datum::isConstant() const {
  if (const SequenceValue *sequence = asParts())
    return llvm::all_of(sequence->elements, [](const Datum &element) { return element.isConstant(); });
  return !is<IRValue>() && !is<ChannelSlot>() && !is<WarpGroupId>() && !is<RangeValue>() && !is<MethodValue>();
}

std::optional<int64_t> Datum::asInt() const {
  if (const auto *integer = getIf<int64_t>())
    return *integer;
  if (const auto *boolean = getIf<bool>())
    return *boolean;
  return std::nullopt;
}

std::optional<double> Datum::asDouble() const {
  if (const auto *number = getIf<double>())
    return *number;
  if (auto integer = asInt())
    return static_cast<double>(*integer);
  return std::nullopt;
}

std::optional<bool> Datum::truth() const {
  if (isNone())
    return false;
  if (auto number = asDouble())
    return *number != 0;
  if (const auto *text = getIf<std::string>())
    return !text->empty();
  if (asSequence() || asDict())
    return !asParts()->elements.empty();
  if (is<DType>() || is<const ast::FunctionDef *>() || is<const Builtin *>() || is<const ast::ClassDef *>() ||
      is<LayoutValue>() || asParts())
    return true;
  return std::nullopt;
}

std::optional<DType> Datum::literalType() const {
  if (is<bool>())
    return DType{ScalarKind::Bool};
  if (is<double>())
    return DType{ScalarKind::F32};
  const auto *integer = getIf<int64_t>();
  if (!integer)
    return std::nullopt;
  if (*integer >= INT32_MIN && *integer <= INT32_MAX)
    return DType{ScalarKind::I32};
  if (*integer > 0 && *integer <= UINT32_MAX)
    return DType{ScalarKind::U32};
  return DType{ScalarKind::I64};
}

mlir::Value Datum::irValue() const {
  const auto *ir = getIf<IRValue>();
  return ir ? ir->value : mlir::Value();
}

bool Datum::isTile() const {
  return isIR() && isa<RankedTensorType>(irValue().getType());
}
bool Datum::isScalar() const {
  return isIR() && isa<IntegerType, FloatType, PointerType>(irValue().getType());
}

bool Datum::operator==(const Datum &other) const {
  const SequenceValue *left = asParts(), *right = other.asParts();
  if (left && right)
    return left->type == right->type && left->isDict == right->isDict && left->keys == right->keys &&
           left->elements == right->elements;
  if (data.index() != other.data.index())
    return isNumber() && other.isNumber() && *asDouble() == *other.asDouble();
  return std::visit(
      [&](const auto &mine) -> bool {
        using T = std::decay_t<decltype(mine)>;
        if constexpr (std::is_same_v<T, MethodValue> || std::is_same_v<T, RangeValue>)
          return false;
        else
          return mine == *other.getIf<T>();
      },
      data);
}

/// "fp16[64, 32]"
static std::string shaped(DType dtype, llvm::ArrayRef<int64_t> shape) {
  std::string text = dtype.name() + "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(shape, stream);
  return text + "]";
}

static std::string describeIR(const IRValue &ir) {
  Type type = ir.value.getType();
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return "a tile " + shaped(ir.dtype, tile.getShape());
  if (auto buffer = dyn_cast<BufferType>(type))
    return (buffer.getCount() ? std::to_string(buffer.getCount()) + " buffers " : "a buffer ") +
           shaped(ir.dtype, buffer.getShape());
  if (isTensorMemory(Datum::ir(ir.value, ir.dtype)))
    return describeTensorMemory(ir);
  if (auto barrier = dyn_cast<BarrierType>(type))
    return barrier.getCount() ? std::to_string(barrier.getCount()) + " barriers" : "a barrier";
  if (auto descriptor = dyn_cast<DescriptorType>(type))
    return "a descriptor " + shaped(ir.dtype, descriptor.getShape());
  if (isa<TokenType>(type))
    return "a token";
  if (isa<ChannelType>(type))
    return "barriers of loads";
  return (ir.dtype.isPointer ? "a pointer " : "a run-time ") + ir.dtype.name();
}

std::string Datum::describe() const {
  if (const auto *ir = getIf<IRValue>())
    return describeIR(*ir);
  if (isNumber() || isNone() || is<std::string>())
    return "`" + text() + "`";
  if (const auto *type = getIf<DType>())
    return "the type `" + type->name() + "`";
  if (const SequenceValue *sequence = asSequence())
    return (sequence->isList ? "a list of " : "a tuple of ") + std::to_string(sequence->elements.size());
  if (const SequenceValue *dictionary = asDict())
    return "a dictionary of " + std::to_string(dictionary->elements.size());
  if (const SequenceValue *object = asParts())
    return "an object of `" + object->type->name.str() + "`";
  if (const auto *type = getIf<const ast::ClassDef *>())
    return "the class `" + (*type)->name.str() + "`";
  if (const auto *imported = getIf<const ast::Module *>())
    return "the module `" + (*imported)->file->path().str() + "`";
  if (const auto *space = getIf<NamespaceValue>())
    return "the module `" + space->prefix + "`";
  if (const auto *builtin = getIf<const Builtin *>())
    return "the function `" + (*builtin)->name.str() + "`";
  if (const auto *method = getIf<MethodValue>())
    return "the method `" + (method->builtin ? method->builtin->name : method->function->name).str() + "`";
  if (const auto *function = getIf<const ast::FunctionDef *>())
    return "the function `" + (*function)->name.str() + "`";
  if (is<RangeValue>())
    return "a range";
  if (is<LayoutValue>())
    return "a layout";
  return is<ChannelSlot>() ? "a barrier of loads" : "a warp group id";
}

std::string Datum::text() const {
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (isNone())
    stream << "None";
  else if (const auto *boolean = getIf<bool>())
    stream << (*boolean ? "True" : "False");
  else if (const auto *integer = getIf<int64_t>())
    stream << *integer;
  else if (const auto *number = getIf<double>())
    stream << llvm::format("%.17g", *number);
  else if (const auto *string = getIf<std::string>())
    stream << *string;
  else if (const auto *type = getIf<DType>())
    stream << type->name();
  else if (const SequenceValue *sequence = asSequence()) {
    stream << (sequence->isList ? '[' : '(');
    llvm::interleaveComma(sequence->elements, stream, [&](const Datum &element) { stream << element.text(); });
    stream << (sequence->isList ? ']' : ')');
  } else
    stream << describe();
  return result;
}
