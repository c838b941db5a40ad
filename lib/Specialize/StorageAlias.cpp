// Several allocations in the same memory: storage_alias_spec, reuse_group, set_buffer_overlap.
//
// A spec is an allocation of bytes that grows with what is put into it. A group says how buffers lie in one slot:
// `shared` ones begin together, `distinct` ones follow each other; slot i holds buffer i of each (with a group size g,
// buffers g*i to g*i+g-1). The place in a slot is an attribute of the allocation, the distance of slots a factor of its
// indices.
#include "SharedMemory.h"
#include "Specializer.h"
#include "tlx/Dialect/LayoutConversion.h"

#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static constexpr StringLiteral specAttribute = "tlx.alias_spec";
static constexpr StringLiteral groupMarker = "reuse group ";

LocalAllocOp tlx::specialize::aliasSpec(const Datum &value) {
  mlir::Value buffer = value.irValue();
  auto alloc = buffer ? buffer.getDefiningOp<LocalAllocOp>() : LocalAllocOp();
  return alloc && alloc->hasAttr(specAttribute) ? alloc : LocalAllocOp();
}

static int64_t bytesOf(LocalAllocOp alloc) {
  return tileStride(alloc.getType()) * std::max<int64_t>(1, alloc.getType().getCount());
}

static void resize(LocalAllocOp spec, int64_t bytes) {
  BufferType type = spec.getType();
  spec.getResult().setType(BufferType::get(type.getContext(), {bytes}, type.getElementType(), 1, type.getLayout()));
}

Result tlx::specialize::storageAliasSpec(Call &call) {
  if (failed(call.refuse("storage")))
    return failure();
  int64_t bytes = 0;
  if (call.given("buffer_size_bytes")) {
    auto size = call.integer("buffer_size_bytes");
    if (failed(size))
      return failure();
    bytes = *size;
  }
  if (bytes < 0) {
    call.error(diag::Kind::ArgumentType, "buffer_size_bytes") << bytes << " bytes cannot be allocated";
    return failure();
  }
  auto allocated = allocateBuffers(call, {std::max<int64_t>(bytes, 1)}, {ScalarKind::I8}, 1, mlir::Value());
  if (failed(allocated))
    return failure();
  // The value is the size that the kernel fixes, or 0.
  allocated->irValue().getDefiningOp()->setAttr(specAttribute, call.emit.builder.getI64IntegerAttr(bytes));
  return allocated;
}

/// Makes room in the spec for bytes up to `end`.
static LogicalResult reserve(Call &call, LocalAllocOp spec, int64_t end) {
  int64_t fixed = spec->getAttrOfType<IntegerAttr>(specAttribute).getInt();
  if (fixed && end > fixed) {
    call.emit.error(diag::Kind::ShapeMismatch)
        << "the allocation needs " << end << " bytes; the storage that it shares has " << fixed;
    return failure();
  }
  if (end > spec.getType().tileBytes())
    resize(spec, end);
  return success();
}

LogicalResult tlx::specialize::placeInSpec(Call &call, LocalAllocOp alloc, LocalAllocOp spec) {
  return reserve(call, spec, bytesOf(alloc));
}

Result tlx::specialize::reuseGroup(Call &call) {
  auto kind = call.string("group_type");
  auto size = call.integer("group_size");
  if (failed(kind) || failed(size))
    return failure();
  if ((*kind != "shared" && *kind != "distinct") || *size < 1) {
    call.error(diag::Kind::ArgumentType, *size < 1 ? "group_size" : "group_type")
        << "a group is `shared` or `distinct` and its size is at least 1";
    return failure();
  }
  std::vector<Datum> elements{Datum(groupMarker.str() + *kind + " " + std::to_string(*size))};
  for (const Datum &member : call["buffers"].asSequence()->elements) {
    bool isBuffers = member.isIR() && isa<BufferType>(member.irValue().getType());
    bool isGroup = member.asSequence() && !member.asSequence()->elements.empty() &&
                   member.asSequence()->elements[0].is<std::string>();
    if (!isBuffers && !isGroup) {
      call.error(diag::Kind::ArgumentType, "buffers")
          << "a group holds buffers and groups; this is " << member.describe();
      return failure();
    }
    elements.push_back(member);
  }
  return Datum::sequence(std::move(elements), false);
}

namespace {
/// Lays the tree of groups out in one slot.
class SlotLayout {
public:
  SlotLayout(Call &call, LocalAllocOp spec) : call(call), spec(spec) {}

  struct Leaf {
    LocalAllocOp alloc;
    int64_t offset, perSlot;
  };

  /// Where the member ends that begins at `offset`; fails with an error.
  FailureOr<int64_t> place(const Datum &member, int64_t offset, int64_t perSlot) {
    if (const SequenceValue *group = member.asSequence())
      return placeGroup(*group, offset, perSlot);
    auto alloc = member.irValue().getDefiningOp<LocalAllocOp>();
    if (!alloc || alloc.getReuse() != spec.getResult() || !alloc->use_empty()) {
      call.error(diag::Kind::ArgumentType, "group")
          << member.describe() << " was not allocated with `reuse=` this storage, or is in use already";
      return failure();
    }
    offset = llvm::alignTo(offset, sharedTile(alloc.getType()).alignment());
    leaves.push_back({alloc, offset, perSlot});
    return offset + tileStride(alloc.getType()) * perSlot;
  }

  FailureOr<int64_t> placeGroup(const SequenceValue &group, int64_t offset, int64_t perSlot) {
    StringRef text = *group.elements[0].getIf<std::string>();
    text.consume_front(groupMarker);
    auto [kind, number] = text.split(' ');
    int64_t size = 1, end = offset, next = offset;
    number.getAsInteger(10, size);
    for (const Datum &member : ArrayRef(group.elements).drop_front()) {
      auto after = place(member, next, perSlot * size);
      if (failed(after))
        return failure();
      end = std::max(end, *after);
      next = kind == "distinct" ? *after : offset;
    }
    return end;
  }

  SmallVector<Leaf> leaves;

private:
  Call &call;
  LocalAllocOp spec;
};
} // namespace

Result tlx::specialize::setBufferOverlap(Call &call) {
  LocalAllocOp spec = aliasSpec(call["self"]);
  const SequenceValue *group = call["group"].asSequence();
  bool isGroup = group && !group->elements.empty() && group->elements[0].is<std::string>();
  if (!spec || !isGroup || spec->hasAttr("tlx.alias_done")) {
    call.error(diag::Kind::ArgumentType, spec && !isGroup ? "group" : "self")
        << "`set_buffer_overlap` is called once, on a storage_alias_spec, with a reuse_group";
    return failure();
  }
  SlotLayout slot(call, spec);
  auto end = slot.placeGroup(*group, 0, 1);
  if (failed(end))
    return failure();
  // Slots are a whole number of each member's buffers apart.
  int64_t stride = *end, unit = 1, slots = 1;
  for (SlotLayout::Leaf &leaf : slot.leaves)
    unit = std::lcm(unit, tileStride(leaf.alloc.getType()));
  stride = llvm::alignTo(stride, unit);
  Builder &builder = call.emit.builder;
  for (SlotLayout::Leaf &leaf : slot.leaves) {
    int64_t count = std::max<int64_t>(1, leaf.alloc.getType().getCount());
    if (count % leaf.perSlot != 0) {
      call.error(diag::Kind::ShapeMismatch, "group")
          << "`" << leaf.alloc.getName() << "` has " << count << " buffers, which are not groups of " << leaf.perSlot;
      return failure();
    }
    slots = std::max(slots, count / leaf.perSlot);
    leaf.alloc->setAttr("tlx.alias_offset", builder.getI64IntegerAttr(leaf.offset));
    leaf.alloc->setAttr("tlx.alias_scale", builder.getI64IntegerAttr(stride / tileStride(leaf.alloc.getType())));
    leaf.alloc->setAttr("tlx.alias_group", builder.getI64IntegerAttr(leaf.perSlot));
  }
  spec->setAttr("tlx.alias_done", builder.getUnitAttr());
  if (failed(reserve(call, spec, stride * slots)))
    return failure();
  return Datum(NoneValue());
}

FailureOr<mlir::Value> tlx::specialize::aliasedIndex(Emitter &emit, mlir::Value buffers, mlir::Value index) {
  auto alloc = buffers.getDefiningOp<LocalAllocOp>();
  auto scale = alloc ? alloc->getAttrOfType<IntegerAttr>("tlx.alias_scale") : IntegerAttr();
  if (!scale)
    return index;
  int64_t group = alloc->getAttrOfType<IntegerAttr>("tlx.alias_group").getInt();
  Datum i = Datum::ir(index, {ScalarKind::I32});
  auto slot = emit.binary(ast::BinaryOp::FloorDivide, i, Datum(group));
  auto first = failed(slot) ? slot : emit.binary(ast::BinaryOp::Multiply, *slot, Datum(scale.getInt()));
  auto inside = failed(first) ? first : emit.binary(ast::BinaryOp::Modulo, i, Datum(group));
  auto sum = failed(inside) ? inside : emit.binary(ast::BinaryOp::Add, *first, *inside);
  return failed(sum) ? FailureOr<mlir::Value>(failure()) : FailureOr<mlir::Value>(sum->irValue());
}
