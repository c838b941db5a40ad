// The structure of a kernel: attributes, parameters, blocks, edges, constants.
#include "Decoder.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace tlx::emu {

llvm::Expected<Program> Decoder::decode() {
  program.name = kernel.getName().str();
  program.sites.push_back({});
  auto failed = [&] { return llvm::createStringError("%s", error.c_str()); };
  if (!readAttributes() || !createArguments())
    return failed();
  // Block arguments get their slots first: an edge may name a block that comes later.
  // Reverse post-order also puts every definition before its uses.
  llvm::ReversePostOrderTraversal<Block *> order(&kernel.getBody().front());
  for (Block *block : order) {
    blockIndex[block] = static_cast<uint32_t>(blockIndex.size());
    if (block->isEntryBlock())
      continue;
    for (BlockArgument argument : block->getArguments()) {
      llvm::SmallVector<Scalar> parts;
      if (!flatten(argument.getType(), parts)) {
        fail(&block->front(), "a block argument has a type that registers cannot hold");
        return failed();
      }
      define(argument);
    }
  }
  for (Block *block : order) {
    program.blocks.emplace_back().first = static_cast<uint32_t>(program.code.size());
    for (Operation &op : *block)
      if (!decodeOperation(&op))
        return failed();
  }
  findPostDominators(program.blocks);
  findWatched(program);
  return std::move(program);
}

bool Decoder::fail(Operation *op, const llvm::Twine &why) {
  if (error.empty()) {
    const Site &site = program.sites[siteOf(op)];
    error = (site.file.empty() ? std::string("kernel") : site.file) + ":" + std::to_string(site.line) +
            ": operation `" + op->getName().getStringRef().str() + "`: " + why.str();
  }
  return false;
}

/// The innermost file position of a location: the callee's, not the caller's.
static FileLineColLoc filePosition(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return filePosition(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(loc))
    return filePosition(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = filePosition(part))
        return file;
  return nullptr;
}

uint32_t Decoder::siteOf(Operation *op) {
  if (op == current)
    return static_cast<uint32_t>(program.sites.size() - 1);
  current = op;
  Site site;
  if (FileLineColLoc position = filePosition(op->getLoc())) {
    site.file = position.getFilename().str();
    site.line = position.getLine();
    site.column = position.getColumn();
  }
  site.operation = op->getName().getStringRef().str();
  program.sites.push_back(std::move(site));
  return static_cast<uint32_t>(program.sites.size() - 1);
}

std::optional<Scalar> Decoder::scalarOf(Type type) {
  Scalar scalar;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    scalar.bits = integer.getWidth();
    return scalar.bits <= 64 ? std::optional(scalar) : std::nullopt;
  }
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type)) {
    // AMD's spaces 7 and 8 are buffers; those of a cluster are NVIDIA's.
    if (program.hasWaves() && pointer.getAddressSpace() > 5)
      return std::nullopt;
    constexpr std::array<Space, 8> spaces = {Space::Generic,  Space::Global, Space::Generic, Space::Shared,
                                             Space::Constant, Space::Local,  Space::Generic, Space::Cluster};
    scalar.isPointer = true;
    unsigned space = pointer.getAddressSpace();
    if (space >= spaces.size() || space == 2 || space == 6)
      return std::nullopt;
    scalar.space = spaces[space];
    scalar.bits = scalar.space == Space::Shared ? 32 : 64;
    return scalar;
  }
  scalar.isFloat = true;
  scalar.kind = type.isF16()    ? FloatKind::F16
                : type.isBF16() ? FloatKind::BF16
                : type.isF64()  ? FloatKind::F64
                                : FloatKind::F32;
  scalar.bits = type.isF16() || type.isBF16() ? 16 : type.isF64() ? 64 : 32;
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return std::nullopt;
  return scalar;
}

bool Decoder::flatten(Type type, llvm::SmallVectorImpl<Scalar> &parts) {
  if (auto scalar = scalarOf(type)) {
    parts.push_back(*scalar);
    return true;
  }
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type); pointer && pointer.getAddressSpace() == 8) {
    // A buffer resource: base, stride, number of records, flags.
    for (unsigned bits : {64u, 16u, 64u, 32u})
      parts.emplace_back().bits = bits;
    return program.hasWaves();
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    auto element = scalarOf(vector.getElementType());
    if (!element || vector.isScalable())
      return false;
    parts.append(static_cast<size_t>(vector.getNumElements()), *element);
    return true;
  }
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return !structure.isOpaque() && llvm::all_of(structure.getBody(), [&](Type part) { return flatten(part, parts); });
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    if (array.getNumElements() > 4096)
      return false;
    for (unsigned index = 0; index < array.getNumElements(); ++index)
      if (!flatten(array.getElementType(), parts))
        return false;
    return true;
  }
  return false;
}

uint32_t Decoder::newSlots(unsigned count) {
  uint32_t first = program.slots;
  program.slots += count;
  return first;
}

uint32_t Decoder::undefinedSlot() {
  if (program.undefined == noSlot)
    program.constants.push_back({program.undefined = newSlots(1), 0});
  return program.undefined;
}

uint32_t Decoder::constantSlot(uint64_t bits) {
  // The map's two reserved keys are ordinary constants here, so these get a slot of their own each time.
  bool reserved = bits >= ~1ull;
  auto known = reserved ? constantSlots.end() : constantSlots.find(bits);
  if (known != constantSlots.end())
    return known->second;
  uint32_t slot = newSlots(1);
  program.constants.push_back({slot, bits});
  if (!reserved)
    constantSlots[bits] = slot;
  return slot;
}

llvm::ArrayRef<uint32_t> Decoder::slotsOf(Value value) {
  auto found = values.find(value);
  assert(found != values.end() && "operands are decoded before their uses");
  return found->second;
}

uint32_t Decoder::define(Value value) {
  llvm::SmallVector<Scalar> parts;
  [[maybe_unused]] bool known = flatten(value.getType(), parts);
  assert(known && "result types are checked before operations are decoded");
  uint32_t first = newSlots(static_cast<unsigned>(parts.size()));
  Slots slots;
  for (uint32_t index = 0; index < parts.size(); ++index)
    slots.push_back(first + index);
  values[value] = std::move(slots);
  return first;
}

Inst &Decoder::emit(Operation *op, Opcode opcode) {
  Inst &inst = program.code.emplace_back();
  inst.op = opcode;
  inst.site = siteOf(op);
  return inst;
}

void Decoder::setOperands(Inst &inst, llvm::ArrayRef<uint32_t> slots) {
  inst.extra = static_cast<uint32_t>(program.operands.size());
  inst.count = static_cast<uint32_t>(slots.size());
  program.operands.insert(program.operands.end(), slots.begin(), slots.end());
}
void Decoder::setOperands(Inst &inst, ValueRange range) {
  Slots slots;
  for (Value value : range)
    llvm::append_range(slots, slotsOf(value));
  setOperands(inst, slots);
}

std::optional<int64_t> Decoder::constantOf(Value value) {
  if (auto constant = value.getDefiningOp<LLVM::ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return integer.getValue().getSExtValue();
  return std::nullopt;
}

bool Decoder::createArguments() {
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    auto scalar = scalarOf(argument.getType());
    if (!scalar)
      return fail(kernel, "parameter " + llvm::Twine(index) + " has a type that is not supported");
    bool byValue = kernel.getArgAttr(static_cast<unsigned>(index), "llvm.byval") != nullptr;
    auto kind = byValue             ? Parameter::Kind::TensorMap
                : scalar->isPointer ? Parameter::Kind::Pointer
                                    : Parameter::Kind::Scalar;
    program.parameters.push_back({kind, define(argument), static_cast<uint8_t>(scalar->bits)});
  }
  return true;
}

uint32_t Decoder::addEdge(mlir::Block *target, ValueRange operands) {
  Edge edge;
  edge.target = blockIndex[target];
  edge.firstMove = static_cast<uint32_t>(program.moves.size());
  llvm::SmallVector<Move> moves;
  for (auto [argument, operand] : llvm::zip_equal(target->getArguments(), operands))
    for (auto [to, from] : llvm::zip_equal(slotsOf(argument), slotsOf(operand)))
      if (from != to)
        moves.push_back({from, to});
  // Block arguments are assigned at once: when one is both read and written here, all go through fresh slots.
  llvm::DenseSet<uint32_t> written;
  bool overlap = false;
  for (const Move &move : moves) {
    overlap |= written.contains(move.from);
    written.insert(move.to);
  }
  if (overlap)
    for (Move &move : moves) {
      uint32_t scratch = newSlots(1);
      program.moves.push_back({move.from, scratch});
      move.from = scratch;
    }
  program.moves.insert(program.moves.end(), moves.begin(), moves.end());
  edge.moves = static_cast<uint32_t>(program.moves.size()) - edge.firstMove;
  program.blocks.back().successors.push_back(edge.target);
  program.edges.push_back(edge);
  return static_cast<uint32_t>(program.edges.size() - 1);
}

bool Decoder::decodeTerminator(Operation *op) {
  if (auto branch = dyn_cast<LLVM::BrOp>(op)) {
    uint32_t edge = addEdge(branch.getDest(), branch.getDestOperands());
    emit(op, Opcode::Branch).imm = edge;
    return true;
  }
  if (auto branch = dyn_cast<LLVM::CondBrOp>(op)) {
    uint32_t yes = addEdge(branch.getTrueDest(), branch.getTrueDestOperands());
    uint32_t no = addEdge(branch.getFalseDest(), branch.getFalseDestOperands());
    Inst &inst = emit(op, Opcode::CondBranch);
    inst.a = slotOf(branch.getCondition());
    inst.b = yes;
    inst.c = no;
    return true;
  }
  if (auto choice = dyn_cast<LLVM::SwitchOp>(op)) {
    // `operands` holds the default edge, then for each case the slot of its value and its edge.
    Slots list{addEdge(choice.getDefaultDestination(), choice.getDefaultOperands())};
    if (auto cases = choice.getCaseValues())
      for (auto [index, value] : llvm::enumerate(cases->getValues<llvm::APInt>())) {
        list.push_back(constantSlot(value.getZExtValue()));
        list.push_back(
            addEdge(choice.getCaseDestinations()[index], choice.getCaseOperands(static_cast<unsigned>(index))));
      }
    Inst &inst = emit(op, Opcode::Switch);
    inst.a = slotOf(choice.getValue());
    setOperands(inst, list);
    return true;
  }
  if (isa<LLVM::ReturnOp>(op) || op->getName().getStringRef() == "nvvm.exit") {
    emit(op, Opcode::Return);
    return true;
  }
  if (isa<LLVM::UnreachableOp>(op)) {
    emit(op, Opcode::Unreachable);
    return true;
  }
  return false;
}

bool Decoder::decodeOperation(Operation *op) {
  if (op->getName().getDialectNamespace() == (program.hasWaves() ? "nvvm" : "rocdl"))
    return fail(op, "the kernel's target does not have this operation");
  for (Type type : op->getResultTypes()) {
    llvm::SmallVector<Scalar> parts;
    if (!flatten(type, parts))
      return fail(op, "a result has a type that registers cannot hold");
  }
  if (decodeElementwise(op) || decodeConstant(op) || decodeVector(op) || decodeAddress(op) || decodeConversion(op) ||
      decodeMemory(op) || decodeTerminator(op) || (program.hasWaves() && decodeWave(op)) || decodeSpecialRegister(op) ||
      decodeWarp(op) || decodeBarrier(op) || decodeMbarrier(op) || decodeFence(op) || decodeCopy(op) ||
      decodeMatrix(op) || decodeWarpProduct(op) || decodeTensorMemory(op) || decodeNumbers(op) || decodeCall(op))
    return error.empty();
  return fail(op, "the emulator does not know this operation");
}

} // namespace tlx::emu
