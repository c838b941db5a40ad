// What follows a value: attributes, methods, indices and slices.
#include "ModuleScope.h"
#include "SharedMemory.h"
#include "Specializer.h"
#include "TensorMemory.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

Result Specializer::attributeOfNamespace(const NamespaceValue &space, const ast::Attribute *expr) {
  std::string name = space.prefix + "." + expr->name.str();
  // `a.b` of `import a.b`.
  if (StringRef path = name; path.consume_front("import ")) {
    if (const ast::Module *found = findImport(currentModule(), path))
      return Datum(found);
    return Datum(NamespaceValue{name});
  }
  if (auto constant = findConstant(name))
    return *constant;
  if (const Builtin *builtin = findBuiltin(name))
    return Datum(builtin);
  if (std::string prefix = prefixOfModule(name == "triton.language" ? name : ""); !prefix.empty())
    return Datum(NamespaceValue{prefix});
  if (isNamespace(name))
    return Datum(NamespaceValue{name});
  auto builder = sink.error(diag::Kind::UnknownName, expr->range);
  builder << "`" << space.prefix << "` has no `" << expr->name << "`";
  if (auto nearest = nearestBuiltin(space.prefix, expr->name))
    builder << "; did you mean `" << *nearest << "`?";
  return failure();
}

static Datum shapeTuple(ArrayRef<int64_t> shape) {
  std::vector<Datum> extents(shape.begin(), shape.end());
  return Datum::sequence(std::move(extents), false);
}

/// The shape that `.shape` gives: that of a tile, a buffer or the block of a descriptor.
static std::optional<Datum> shapeAttribute(mlir::Value value) {
  Type type = value.getType();
  if (auto buffer = dyn_cast<BufferType>(type))
    return shapeTuple(buffer.getShape());
  if (auto descriptor = dyn_cast<DescriptorType>(type))
    return shapeTuple(descriptor.getShape());
  if (isTensorMemory(Datum::ir(value, {})))
    return shapeTuple(tensorMemoryShape(value));
  if (isa<RankedTensorType, IntegerType, FloatType, PointerType>(type))
    return shapeTuple(shapeOf(value));
  return std::nullopt;
}

Result Specializer::methodOf(const Datum &base, const ast::Attribute *expr) {
  bool isDescriptor = base.isIR() && isa<DescriptorType>(base.irValue().getType());
  bool isBuffers = base.isIR() && isa<BufferType>(base.irValue().getType());
  std::string prefix = isDescriptor ? "descriptor" : isBuffers ? "buffer" : "tile";
  if (isDescriptor || isBuffers || base.isNumber() || base.isTile() || base.isScalar())
    if (const Builtin *builtin = findBuiltin(prefix + "." + expr->name.str()))
      return Datum(MethodValue{std::make_shared<const Datum>(base), builtin});
  auto builder = sink.error(diag::Kind::UnknownName, SourceRange(expr->nameRange));
  builder << base.describe() << " has no `" << expr->name << "`";
  if (auto nearest = nearestBuiltin(prefix, expr->name))
    builder << "; did you mean `." << StringRef(*nearest).split('.').second << "`?";
  return failure();
}

Result Specializer::attributeOfIR(const Datum &base, const ast::Attribute *expr) {
  bool isTyped = base.isTile() || base.isScalar() || isa<BufferType, DescriptorType>(base.irValue().getType()) ||
                 isTensorMemory(base);
  if ((expr->name == "dtype" || expr->name == "type") && isTyped)
    return Datum(base.dtype());
  if (expr->name == "shape" || expr->name == "block_shape")
    if (auto shape = shapeAttribute(base.irValue()))
      return *shape;
  if (expr->name == "T" && base.isTile()) {
    GivenArguments given{{base, expr->range, {}, {}}};
    return callBuiltin(*findBuiltin("tl.trans"), given, expr->range);
  }
  return methodOf(base, expr);
}

Result Specializer::attributeOfDType(DType type, const ast::Attribute *expr) {
  if (expr->name == "element_ty" || expr->name == "scalar")
    return Datum(expr->name == "element_ty" ? type.pointee() : type);
  if (expr->name == "primitive_bitwidth" || expr->name == "itemsize")
    return Datum(static_cast<int64_t>(expr->name == "itemsize" ? type.bytes() : type.bits()));
  if (expr->name == "name")
    return Datum(type.name());
  if (const Builtin *query = findBuiltin("dtype." + expr->name.str()))
    return Datum(MethodValue{std::make_shared<const Datum>(type), query});
  sink.error(diag::Kind::UnknownName, expr->nameRange)
      << "the type `" << type.name() << "` has no `" << expr->name << "`";
  return failure();
}

Result Specializer::evaluateAttribute(const ast::Attribute *expr) {
  auto base = evaluate(expr->base);
  if (failed(base))
    return failure();
  if (const auto *space = base->getIf<NamespaceValue>())
    return attributeOfNamespace(*space, expr);
  if (const auto *type = base->getIf<DType>())
    return attributeOfDType(*type, expr);
  if (const auto *imported = base->getIf<const ast::Module *>())
    return attributeOfModule(*imported, expr);
  if (const auto *type = base->getIf<const ast::ClassDef *>())
    return attributeOfClass(*type, expr);
  if (const SequenceValue *parts = base->asParts(); parts && parts->type)
    return attributeOfObject(*base, expr);
  // What `tl.constexpr` wraps is the value itself here.
  if (expr->name == "value" && base->isConstant())
    return *base;
  return base->isIR() ? attributeOfIR(*base, expr) : methodOf(*base, expr);
}

Result Specializer::elementOf(const SequenceValue &sequence, const ast::Expr *indexExpr) {
  auto index = evaluate(indexExpr);
  if (failed(index))
    return failure();
  auto position = index->asInt();
  if (!position) {
    sink.error(diag::Kind::NeedsConstexpr, indexExpr->range)
        << "the index of a tuple or list is a compile-time int; this is " << index->describe();
    return failure();
  }
  auto count = static_cast<int64_t>(sequence.elements.size());
  if (*position < -count || *position >= count) {
    sink.error(diag::Kind::IndexOutOfRange, indexExpr->range)
        << "index " << *position << " of a sequence of " << count << " elements";
    return failure();
  }
  return sequence.elements[*position < 0 ? *position + count : *position];
}

Result Specializer::entryOf(const SequenceValue &dictionary, const ast::Expr *keyExpr) {
  auto key = evaluate(keyExpr);
  if (failed(key))
    return failure();
  auto found = llvm::find(dictionary.keys, *key);
  if (found != dictionary.keys.end())
    return dictionary.elements[found - dictionary.keys.begin()];
  std::string keys;
  for (const Datum &known : dictionary.keys)
    keys += (keys.empty() ? "" : ", ") + known.text();
  sink.error(diag::Kind::UnknownName, keyExpr->range)
      << "the dictionary has no key " << key->describe() << "; it has " << keys;
  return failure();
}

Result Specializer::sliceOf(const SequenceValue &sequence, const ast::Slice *slice) {
  auto count = static_cast<int64_t>(sequence.elements.size());
  auto bound = [&](const ast::Expr *expr, int64_t missing) -> FailureOr<int64_t> {
    if (!expr)
      return missing;
    auto value = evaluate(expr);
    if (failed(value))
      return failure();
    if (!value->asInt()) {
      sink.error(diag::Kind::NeedsConstexpr, expr->range) << "a bound of a slice is a compile-time int";
      return failure();
    }
    int64_t position = *value->asInt();
    return std::clamp<int64_t>(position < 0 ? position + count : position, 0, count);
  };
  if (slice->step)
    return unsupported(slice->step->range, "a step in a slice");
  auto begin = bound(slice->lower, 0), end = bound(slice->upper, count);
  if (failed(begin) || failed(end))
    return failure();
  std::vector<Datum> elements;
  for (int64_t i = *begin; i < *end; ++i)
    elements.push_back(sequence.elements[i]);
  return Datum::sequence(std::move(elements), sequence.isList);
}

/// `x[:, None]`: `:` keeps an axis, `None` adds one.
Result Specializer::indexTile(const Datum &tile, const ast::Expr *index) {
  ast::ExprList parts(&index, 1);
  if (const auto *tuple = dyn_cast<ast::Tuple>(index))
    parts = tuple->elements;
  IRValue value = *tile.getIf<IRValue>();
  unsigned axis = 0, kept = 0;
  unsigned rank = shapeOf(value.value).size();
  for (const ast::Expr *part : parts) {
    const auto *slice = dyn_cast<ast::Slice>(part);
    bool isWhole = slice && !slice->lower && !slice->upper && !slice->step;
    if (isWhole)
      ++kept;
    else if (isa<ast::NoneLiteral>(part) && (tile.isTile() || tile.isScalar()))
      value = shapeOf(value.value).empty() ? *emit.broadcast(value, {1}) : emit.expandDims(value, axis);
    else
      return unsupported(part->range, "an index of a tile other than `:` and `None`");
    ++axis;
  }
  if (kept > rank) {
    sink.error(diag::Kind::ShapeMismatch, index->range)
        << kept << " axes are indexed; " << tile.describe() << " has " << rank;
    return failure();
  }
  return Datum(value);
}

Result Specializer::viewOf(const Datum &base, const Datum &index, SourceRange indexRange) {
  Emitter::At at(emit, indexRange);
  mlir::Value source = base.irValue();
  Type type = source ? source.getType() : Type();
  int64_t count = 0;
  if (auto buffer = dyn_cast_if_present<BufferType>(type))
    count = buffer.getCount();
  else if (isTensorMemory(base))
    count = tensorMemoryCount(source);
  else if (auto barrier = dyn_cast_if_present<BarrierType>(type))
    count = barrier.getCount();
  else if (auto channel = dyn_cast_if_present<ChannelType>(type))
    count = channel.getCount();
  if (count == 0 || !(index.asInt() || (index.isScalar() && index.dtype().isInteger()))) {
    emit.error(diag::Kind::ArgumentType) << base.describe() << " cannot be indexed by " << index.describe();
    return failure();
  }
  if (auto position = index.asInt(); position && (*position < 0 || *position >= count)) {
    emit.error(diag::Kind::IndexOutOfRange) << "index " << *position << " of " << base.describe();
    return failure();
  }
  auto slot = emit.convert(index, {ScalarKind::I32});
  if (failed(slot))
    return failure();
  if (auto buffer = dyn_cast<BufferType>(type)) {
    auto place = aliasedIndex(emit, source, slot->value);
    if (failed(place))
      return failure();
    slot->value = *place;
    Type view = BufferType::get(emit.context(), buffer.getShape(), buffer.getElementType(), 0, buffer.getLayout());
    return Datum::ir(emit.create<LocalViewOp>(view, source, slot->value), base.dtype());
  }
  if (isTensorMemory(base))
    return viewTensorMemory(emit, base, slot->value);
  if (auto barrier = dyn_cast<BarrierType>(type)) {
    Type view = BarrierType::get(emit.context(), 0, barrier.getPerThread());
    return Datum::ir(emit.create<BarrierViewOp>(view, source, slot->value), base.dtype());
  }
  return Datum(ChannelSlot{source, slot->value});
}

Result Specializer::evaluateSubscript(const ast::Subscript *expr) {
  auto base = evaluate(expr->base);
  if (failed(base))
    return failure();
  if (const SequenceValue *sequence = base->asSequence()) {
    if (const auto *slice = dyn_cast<ast::Slice>(expr->index))
      return sliceOf(*sequence, slice);
    return elementOf(*sequence, expr->index);
  }
  if (const SequenceValue *dictionary = base->asDict())
    return entryOf(*dictionary, expr->index);
  if (base->isTile() || (base->isScalar() && isa<ast::Tuple, ast::NoneLiteral>(expr->index)))
    return indexTile(*base, expr->index);
  auto index = evaluate(expr->index);
  if (failed(index))
    return failure();
  if (base->isScalar() && base->dtype() == DType{ScalarKind::Void, true}) {
    // Tensor maps have 128 bytes each.
    auto offset = emit.binary(ast::BinaryOp::Multiply, *index, Datum(int64_t(128)));
    return failed(offset) ? offset : emit.binary(ast::BinaryOp::Add, *base, *offset);
  }
  return viewOf(*base, *index, expr->range);
}
