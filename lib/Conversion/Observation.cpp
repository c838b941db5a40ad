// What a kernel tells the outside or asks of the hardware around it: printing, assertions, clocks, votes, hints, and
// PTX of the kernel's author.
#include "Emitter.h"
#include "tlx/Dialect/TileOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tlx;

/// C's conversion for an operand, which is widened to what a variadic function takes.
static std::string conversionOf(OpBuilder &b, Location loc, Value &value, bool isSigned, bool hex) {
  if (auto real = dyn_cast<FloatType>(value.getType())) {
    if (real.getWidth() < 64)
      value = LLVM::FPExtOp::create(b, loc, b.getF64Type(), value);
    return "%f";
  }
  if (isa<LLVM::LLVMPointerType>(value.getType())) {
    value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
    return "0x%llx";
  }
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  Type wide = bits > 32 ? b.getI64Type() : b.getI32Type();
  if (value.getType() != wide)
    value = isSigned && bits > 1 ? Value(LLVM::SExtOp::create(b, loc, wide, value))
                                 : Value(LLVM::ZExtOp::create(b, loc, wide, value));
  std::string length = bits > 32 ? "ll" : "";
  if (hex)
    return "0x%" + length + "x";
  return "%" + length + (isSigned ? "d" : "u");
}

/// One line for each element, with the block and the element's place.
void Emitter::emitPrint(PrintOp op) {
  Registers ids;
  for (int axis : {0, 1, 2})
    ids.push_back(machine->programId(b, loc, axis));
  std::string head = "pid (%d, %d, %d) ";
  if (op.getOperands().empty()) {
    when(isLeader(), [&] { thread::PrintOp::create(b, loc, head + op.getPrefix().str() + "\n", ids); });
    return;
  }
  for (auto [number, operand] : llvm::enumerate(op.getOperands())) {
    bool isSigned = op.getIsSigned()[number];
    auto tile = dyn_cast<RankedTensorType>(operand.getType());
    Registers held = elements(operand);
    when(tile ? holdsFirstCopy(tileInfo(tile).layout) : isLeader(), [&] {
      for (auto [i, element] : llvm::enumerate(held)) {
        Registers arguments = ids;
        std::string places = "idx (";
        for (int axis = 0; tile && axis < tile.getRank(); ++axis) {
          const TileInfo info = tileInfo(tile);
          Value thread = threadPart(info.layout, [&](ArrayRef<int32_t> coords) { return coords[axis]; });
          arguments.push_back(addConstant(thread, info.coords(static_cast<int>(i))[axis]));
          places += axis ? ", %d" : "%d";
        }
        Value value = element;
        std::string conversion = conversionOf(b, loc, value, isSigned, op.getHex());
        arguments.push_back(value);
        thread::PrintOp::create(b, loc, head + places + ") " + op.getPrefix().str() + conversion + "\n", arguments);
      }
    });
  }
}

static FileLineColLoc placeOf(Location location) {
  return location->findInstanceOf<FileLineColLoc>();
}

void Emitter::emitAssert(AssertOp op) {
  FileLineColLoc place = placeOf(op.getLoc());
  auto tile = dyn_cast<RankedTensorType>(op.getCondition().getType());
  Value owner = tile ? holdsFirstCopy(tileInfo(tile).layout) : isLeader();
  Value holds;
  for (Value one : elements(op.getCondition()))
    holds = holds ? bitAnd(holds, one) : one;
  Value fails = bitXor(holds, i1(true));
  when(owner ? bitAnd(owner, fails) : fails, [&] {
    thread::AssertFailOp::create(b, loc, op.getMessage(), place ? place.getFilename().strref() : StringRef(),
                                 place ? place.getLine() : 0);
  });
  // Nothing after the assertion happens before all have passed it.
  taskBarrier();
}

LogicalResult Emitter::emitBallot(BallotOp op) {
  Value any;
  for (Value one : elements(op.getPredicate()))
    any = any ? Value(LLVM::OrOp::create(b, loc, any, one)) : one;
  Value votes = machine->vote(b, loc, static_cast<int32_t>(op.getLanes()), any);
  if (!votes)
    return op.emitError() << "a vote has 32 bits; a warp of this target has " << machine->lanes()
                          << " lanes [unsupported-target]";
  auto tile = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (tile)
    setElements(op.getResult(), Registers(tileInfo(tile).elementCount(), votes));
  else
    setValues(op.getResult(), {votes});
  return success();
}

void Emitter::emitPrefetch(PrefetchOp op) {
  Registers masks = op.getMask() ? elements(op.getMask()) : Registers();
  auto tile = dyn_cast<RankedTensorType>(op.getPointer().getType());
  Value owner = tile ? holdsFirstCopy(tileInfo(tile).layout) : isLeader();
  for (auto [i, pointer] : llvm::enumerate(elements(op.getPointer()))) {
    Value condition = owner;
    if (!masks.empty())
      condition = condition ? bitAnd(condition, masks[masks.size() == 1 ? 0 : i]) : masks[masks.size() == 1 ? 0 : i];
    when(condition, [&] { machine->prefetch(b, loc, pointer, op.getLevel()); });
  }
}

namespace {
/// The registers that inline PTX takes or gives for `pack` elements of one operand: narrow elements share 32 bits.
struct AssemblyWords {
  AssemblyWords(OpBuilder &b, Type element, int pack) : b(b), element(element) {
    unsigned bits = element.getIntOrFloatBitWidth();
    perWord = bits < 32 && pack * bits >= 32 ? 32 / bits : 1;
    count = pack / perWord;
    word = perWord > 1                             ? b.getI32Type()
           : isa<FloatType>(element) && bits >= 32 ? element
                                                   : b.getIntegerType(std::max(16u, bits));
  }

  Value join(Location loc, ArrayRef<Value> elements) const {
    if (perWord > 1) {
      Value vector = LLVM::PoisonOp::create(b, loc, VectorType::get({perWord}, element));
      for (auto [i, value] : llvm::enumerate(elements))
        vector = LLVM::InsertElementOp::create(b, loc, vector, value, index(loc, i));
      return LLVM::BitcastOp::create(b, loc, word, vector);
    }
    if (word == element)
      return elements[0];
    unsigned bits = element.getIntOrFloatBitWidth();
    Value raw = isa<FloatType>(element) ? Value(LLVM::BitcastOp::create(b, loc, b.getIntegerType(bits), elements[0]))
                                        : elements[0];
    return raw.getType() == word ? raw : LLVM::ZExtOp::create(b, loc, word, raw);
  }

  void split(Location loc, Value from, Registers &into) const {
    if (perWord > 1) {
      Value vector = LLVM::BitcastOp::create(b, loc, VectorType::get({perWord}, element), from);
      for (int i = 0; i < perWord; ++i)
        into.push_back(LLVM::ExtractElementOp::create(b, loc, vector, index(loc, i)));
      return;
    }
    unsigned bits = element.getIntOrFloatBitWidth();
    Value raw = from;
    if (word != element && word.getIntOrFloatBitWidth() > bits)
      raw = LLVM::TruncOp::create(b, loc, b.getIntegerType(bits), raw);
    into.push_back(raw.getType() == element ? raw : LLVM::BitcastOp::create(b, loc, element, raw));
  }

  Value index(Location loc, int64_t value) const {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }

  OpBuilder &b;
  Type element, word;
  int perWord, count;
};
} // namespace

LogicalResult Emitter::emitInlineAssembly(InlineAssemblyOp op) {
  int pack = static_cast<int>(op.getPack());
  SmallVector<Registers> inputs, outputs(op.getNumResults());
  for (Value operand : op.getOperands())
    inputs.push_back(elements(operand));
  auto tile = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  int count = tile ? tileInfo(tile).elementCount() : 1;
  if (count % pack != 0)
    return op.emitError() << "each thread holds " << count << " elements, which are not groups of " << pack
                          << " [inline-assembly-pack]";
  SmallVector<AssemblyWords> inputWords, outputWords;
  SmallVector<Type> words;
  for (Value operand : op.getOperands())
    inputWords.emplace_back(b, elementType(getElementTypeOrSelf(operand.getType())), pack);
  for (Value result : op.getResults()) {
    outputWords.emplace_back(b, elementType(getElementTypeOrSelf(result.getType())), pack);
    words.append(outputWords.back().count, outputWords.back().word);
  }
  Type returned = words.size() == 1 ? words[0] : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), words));
  for (int first = 0; first < count; first += pack) {
    SmallVector<Value> operands;
    for (auto [list, form] : llvm::zip(inputs, inputWords))
      for (int word = 0; word < form.count; ++word)
        operands.push_back(form.join(loc, ArrayRef<Value>(list).slice(first + word * form.perWord, form.perWord)));
    auto assembly = LLVM::InlineAsmOp::create(b, loc, returned, operands, op.getText(), op.getConstraints(),
                                              /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
                                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    size_t next = 0;
    for (auto [list, form] : llvm::zip(outputs, outputWords))
      for (int word = 0; word < form.count; ++word) {
        Value one = assembly->getResult(0);
        if (words.size() > 1)
          one = LLVM::ExtractValueOp::create(b, loc, one, static_cast<int64_t>(next++));
        form.split(loc, one, list);
      }
  }
  for (auto [result, list] : llvm::zip(op.getResults(), outputs))
    setElements(result, list);
  return success();
}

FailureOr<bool> Emitter::emitObservation(Operation *op) {
  if (isa<PrintOp, AssertOp>(op) && !machine->reports()) {
    op->emitError() << "kernels for `" << machine->target().name
                    << "` neither print nor stop a launch yet [unsupported-target]";
    return failure();
  }
  if (auto print = dyn_cast<PrintOp>(op)) {
    emitPrint(print);
  } else if (auto assertion = dyn_cast<AssertOp>(op)) {
    emitAssert(assertion);
  } else if (auto ballot = dyn_cast<BallotOp>(op)) {
    if (failed(emitBallot(ballot)))
      return failure();
  } else if (auto prefetch = dyn_cast<PrefetchOp>(op)) {
    emitPrefetch(prefetch);
  } else if (auto assembly = dyn_cast<InlineAssemblyOp>(op)) {
    if (failed(emitInlineAssembly(assembly)))
      return failure();
  } else if (isa<ClockOp>(op)) {
    setValues(op->getResult(0), {machine->clock(b, loc)});
  } else if (isa<DumpLayoutOp>(op)) {
    return true;
  } else {
    return false;
  }
  return true;
}
