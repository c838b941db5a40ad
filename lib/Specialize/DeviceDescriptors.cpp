// Tensor maps that the kernel makes, and the memory in which it keeps them.
#include "Specializer.h"
#include "tlx/Dialect/TileOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

/// Integers for each axis, in one type.
static FailureOr<SmallVector<mlir::Value>> integersOf(Call &call, StringRef name, size_t rank, DType type) {
  const SequenceValue *sequence = call[name].asSequence();
  SmallVector<mlir::Value> values;
  if (!sequence || sequence->elements.size() != rank) {
    call.error(diag::Kind::ShapeMismatch, name) << "`" << name << "` has an entry for each of the " << rank
                                                << " axes of the block; this is " << call[name].describe();
    return failure();
  }
  for (const Datum &element : sequence->elements) {
    if (!element.asInt() && !(element.isScalar() && element.dtype().isInteger())) {
      call.error(diag::Kind::ArgumentType, name) << "`" << name << "` takes integers; this is " << element.describe();
      return failure();
    }
    auto value = call.emit.convert(element, type);
    if (failed(value))
      return failure();
    values.push_back(value->value);
  }
  return values;
}

static Result makeDescriptor(Call &call, mlir::Value memory) {
  const Datum &base = call["base"];
  auto block = call.integers("block_shape");
  auto padding = call.string("padding_option");
  if (failed(block) || failed(padding))
    return failure();
  if (!base.isScalar() || !base.dtype().isPointer || base.dtype().kind == ScalarKind::Bool) {
    call.error(diag::Kind::ArgumentType, "base") << "the base is a pointer to numbers; this is " << base.describe();
    return failure();
  }
  if (block->empty() || block->size() > 5 || failed(call.emit.checkExtents(*block))) {
    if (block->empty() || block->size() > 5)
      call.error(diag::Kind::ShapeMismatch, "block_shape")
          << "a tensor map has 1 to 5 axes; this has " << block->size();
    return failure();
  }
  if (*padding != "zero" && *padding != "nan") {
    call.error(diag::Kind::ArgumentType, "padding_option") << "`" << *padding << "` is not one of zero, nan";
    return failure();
  }
  const SequenceValue *strides = call["strides"].asSequence();
  if (strides && strides->elements.size() == block->size() && strides->elements.back().asInt().value_or(0) != 1) {
    call.error(diag::Kind::ArgumentType, "strides")
        << "the innermost stride of a tensor map is 1, and known while compiling; this is "
        << strides->elements.back().describe();
    return failure();
  }
  auto sizes = integersOf(call, "shape", block->size(), {ScalarKind::I32});
  auto steps = failed(sizes) ? FailureOr<SmallVector<mlir::Value>>(failure())
                             : integersOf(call, "strides", block->size(), {ScalarKind::I64});
  if (failed(steps))
    return failure();
  DType type = base.dtype().pointee();
  Type result = DescriptorType::get(call.emit.context(), *block, type.toMLIR(call.emit.context()));
  steps->pop_back();
  auto op = call.emit.create<MakeDescriptorOp>(result, memory, base.irValue(), *sizes, *steps, StringRef(*padding));
  return Datum::ir(op, type);
}

Result tlx::specialize::makeTensorDescriptor(Call &call) {
  return makeDescriptor(call, mlir::Value());
}

/// A place in the memory of allocate_tensor_descriptor.
static FailureOr<mlir::Value> descriptorPlace(Call &call) {
  const Datum &place = call["desc_ptr"];
  if (place.isScalar() && place.dtype() == DType{ScalarKind::Void, true})
    return place.irValue();
  call.error(diag::Kind::ArgumentType, "desc_ptr")
      << "`desc_ptr` is memory of `tlx.allocate_tensor_descriptor`; this is " << place.describe();
  return failure();
}

Result tlx::specialize::makeTensorDescriptorAt(Call &call) {
  if (call["desc_ptr"].isNone())
    return makeDescriptor(call, mlir::Value());
  auto place = descriptorPlace(call);
  return failed(place) ? Result(failure()) : makeDescriptor(call, *place);
}

Result tlx::specialize::allocateTensorDescriptor(Call &call) {
  auto count = call.integer("num");
  if (failed(count))
    return failure();
  if (*count < 1 || *count > 1024) {
    call.error(diag::Kind::ArgumentType, "num") << *count << " tensor maps; from 1 to 1024 can be allocated";
    return failure();
  }
  DType type{ScalarKind::Void, true};
  Type pointer = type.toMLIR(call.emit.context());
  return Datum::ir(call.emit.create<DescriptorMemoryOp>(pointer, static_cast<uint32_t>(*count)), type);
}

Result tlx::specialize::reinterpretTensorDescriptor(Call &call) {
  auto place = descriptorPlace(call);
  auto block = call.integers("block_shape");
  auto type = call.dtype("dtype");
  if (failed(place) || failed(block) || failed(type) || failed(call.emit.checkExtents(*block)))
    return failure();
  Type result = DescriptorType::get(call.emit.context(), *block, type->toMLIR(call.emit.context()));
  return Datum::ir(call.emit.create<ReadDescriptorOp>(result, *place), *type);
}
