// The last step on MLIR: operations of the thread dialect become inline PTX, or LLVM's own on AMD. Instruction forms:
// PTX ISA 8.8.
#include "ExpandAMD.h"
#include "InlineAssembly.h"
#include "LaunchControlAssembly.h"
#include "TensorMemoryAssembly.h"
#include "WarpProductAssembly.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Conversion/Conversion.h"
#include "tlx/Dialect/ThreadDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::thread;

/// Takes a constant step off a descriptor `or(zext(or(add(start, step), leading)), high)`: the step goes into the
/// inline assembly, so that one base serves all instructions of a product. As separate values LLVM would compute each
/// outside the loop and hold it in registers.
static std::pair<Value, int64_t> splitDescriptor(Value descriptor, OpBuilder &b) {
  auto whole = descriptor.getDefiningOp<LLVM::OrOp>();
  auto wide = whole ? whole.getLhs().getDefiningOp<LLVM::ZExtOp>() : LLVM::ZExtOp();
  auto low = wide ? wide.getArg().getDefiningOp<LLVM::OrOp>() : LLVM::OrOp();
  auto sum = low ? low.getLhs().getDefiningOp<LLVM::AddOp>() : LLVM::AddOp();
  auto step = sum ? sum.getRhs().getDefiningOp<LLVM::ConstantOp>() : LLVM::ConstantOp();
  if (!step)
    return {descriptor, 0};
  Location loc = descriptor.getLoc();
  Value base = LLVM::OrOp::create(b, loc, sum.getLhs(), low.getRhs());
  base = LLVM::ZExtOp::create(b, loc, wide.getType(), base);
  base = LLVM::OrOp::create(b, loc, base, whole.getRhs());
  return {base, cast<IntegerAttr>(step.getValue()).getInt()};
}

/// Two 16-bit floats share a register, which inline assembly knows as an integer.
static SmallVector<Type> registerTypes(TypeRange types) {
  return llvm::map_to_vector(
      types, [](Type type) { return isa<VectorType>(type) ? Type(IntegerType::get(type.getContext(), 32)) : type; });
}

static SmallVector<Value> bitcasts(OpBuilder &b, Location loc, ValueRange values, ArrayRef<Type> types) {
  SmallVector<Value> result;
  for (auto [value, type] : llvm::zip_equal(values, types))
    result.push_back(value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value));
  return result;
}

static void expandWgmma(WgmmaOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  SmallVector<Type> types = registerTypes(op.getResultTypes());
  std::string registers = assembly.out(TypeRange(types));
  assembly.tie(bitcasts(b, op.getLoc(), op.getAcc(), types));
  bool fromRegisters = op.getA().size() == 4;
  std::string scale, prologue;
  auto descriptor = [&](Value value, StringRef name) {
    auto [base, step] = splitDescriptor(value, b);
    std::string text = assembly.in(base);
    if (step == 0)
      return text;
    prologue += (".reg .b64 " + name + "; add.s64 " + name + ", " + text + ", " + Twine(step) + "; ").str();
    return name.str();
  };
  std::string a = fromRegisters ? assembly.in(op.getA()) : descriptor(op.getA()[0], "a");
  std::string right = descriptor(op.getB(), "b");
  if (auto constant = op.getScaleD().getDefiningOp<LLVM::ConstantOp>()) {
    scale = cast<BoolAttr>(constant.getValue()).getValue() ? "1" : "0";
  } else {
    Value wide = LLVM::ZExtOp::create(b, op.getLoc(), b.getI32Type(), op.getScaleD());
    prologue += ".reg .pred p; setp.ne.b32 p, " + assembly.in(wide) + ", 0; ";
    scale = "p";
  }
  std::string text = "{ " + prologue + "wgmma.mma_async.sync.aligned.m64n" + std::to_string(op.getN()) + "k" +
                     std::to_string(op.getK()) + "." + stringifyMmaType(op.getDType()).str() + "." +
                     stringifyMmaType(op.getAType()).str() + "." + stringifyMmaType(op.getBType()).str() + " " +
                     registers + ", " + a + ", " + right + ", " + scale;
  bool isInteger = op.getDType() == MmaType::S32;
  if (!isInteger)
    text += ", 1, 1";
  if (op.getAType() == MmaType::F16 || op.getAType() == MmaType::BF16) {
    if (!fromRegisters)
      text += op.getTransA() ? ", 1" : ", 0";
    text += op.getTransB() ? ", 1" : ", 0";
  }
  SmallVector<Value> results = assembly.emit(text + "; }", /*touchesMemory=*/true);
  op->replaceAllUsesWith(bitcasts(b, op.getLoc(), results, SmallVector<Type>(op.getResultTypes())));
}

/// The results carry the wait: nothing that reads them can move above it.
static void expandWgmmaWait(WgmmaWaitOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  SmallVector<Type> types = registerTypes(op.getResultTypes());
  for (Type type : types)
    assembly.out(type);
  assembly.tie(bitcasts(b, op.getLoc(), op.getSource(), types));
  SmallVector<Value> results = assembly.emit("wgmma.wait_group.sync.aligned " + Twine(op.getPendings()) + ";", true);
  op->replaceAllUsesWith(bitcasts(b, op.getLoc(), results, SmallVector<Type>(op.getResultTypes())));
}

static void expandMbarrierWait(MbarrierWaitOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string barrier = assembly.in(op.getBarrier()), phase = assembly.in(op.getPhase());
  assembly.emit("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [" + Twine(barrier) + "], " +
                    phase + "; @!p bra again; }",
                true);
}

/// Without an explicit scope on the remote form: `.release.cluster` costs four fences in the hot loop, and a slot that
/// was only read needs no more.
static void expandMbarrierArrive(MbarrierArriveOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string barrier = assembly.in(op.getBarrier());
  std::string count = op.getCount() == 1 ? "" : ", " + std::to_string(op.getCount());
  if (!op.getRank()) {
    assembly.emit("mbarrier.arrive.shared::cta.b64 _, [" + Twine(barrier) + "]" + count + ";", true);
    return;
  }
  std::string rank = assembly.in(op.getRank());
  assembly.emit("{ .reg .b32 remote; mapa.shared::cluster.u32 remote, " + Twine(barrier) + ", " + rank +
                    "; mbarrier.arrive.shared::cluster.b64 _, [remote]" + count + "; }",
                true);
}

static void expandMbarrierExpect(MbarrierExpectOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string barrier = assembly.in(op.getBarrier());
  assembly.emit("mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + Twine(barrier) + "], " + Twine(op.getBytes()) + ";",
                true);
}

static void expandTMALoad(TMALoadOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string destination = assembly.in(op.getDestination()), map = assembly.in(op.getMap());
  std::string coordinates = assembly.in(op.getCoordinates()), barrier = assembly.in(op.getBarrier());
  std::string text = "cp.async.bulk.tensor." + std::to_string(op.getCoordinates().size()) +
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
  std::string prologue;
  if (op->hasAttr("tlx.pair")) {
    // The barrier of the pair's even CTA: bit 24 of an address tells the two apart.
    prologue = ".reg .b32 even; and.b32 even, " + barrier + ", 0xfeffffff; ";
    barrier = "even";
  }
  std::string operands = " [" + destination + "], [" + map + ", " + coordinates + "], [" + barrier + "]";
  if (op.getMask()) {
    text += ".multicast::cluster";
    operands += ", " + assembly.in(op.getMask());
  }
  if (op->hasAttr("tlx.pair"))
    text += ".cta_group::2";
  if (op.getPolicy()) {
    text += ".L2::cache_hint";
    operands += ", " + assembly.in(op.getPolicy());
  }
  assembly.emit(prologue.empty() ? text + operands + ";" : "{ " + prologue + text + operands + "; }", true);
}

static void expandTMAStore(TMAStoreOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string map = assembly.in(op.getMap()), coordinates = assembly.in(op.getCoordinates());
  std::string source = assembly.in(op.getSource());
  std::string text = op.getReduce().empty() ? "cp.async.bulk.tensor." : "cp.reduce.async.bulk.tensor.";
  text += std::to_string(op.getCoordinates().size()) + "d.global.shared::cta.";
  if (!op.getReduce().empty())
    text += op.getReduce().str() + ".";
  assembly.emit(text + "tile.bulk_group [" + map + ", " + coordinates + "], [" + source + "];", true);
}

static void expandTMAPrefetch(TMAPrefetchOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string map = assembly.in(op.getMap()), coordinates = assembly.in(op.getCoordinates());
  assembly.emit("cp.async.bulk.prefetch.tensor." + Twine(op.getCoordinates().size()) + "d.L2.global.tile [" + map +
                    ", " + coordinates + "];",
                true);
}

static bool isConstant(Value value, int64_t number) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.getSExtValue() == number;
}

static Value truth(OpBuilder &b, Location loc) {
  return LLVM::ConstantOp::create(b, loc, b.getI1Type(), b.getBoolAttr(true));
}

static void expandCpAsync(CpAsyncOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string destination = assembly.in(op.getDestination()), source = assembly.in(op.getSource()), valid;
  if (auto choice = op.getValid() ? op.getValid().getDefiningOp<LLVM::SelectOp>() : LLVM::SelectOp();
      choice && matchPattern(choice.getFalseValue(), m_Zero()) && isConstant(choice.getTrueValue(), op.getBytes()))
    // All or nothing is the predicate `ignore-src`, which costs an instruction less.
    valid = ", " + assembly.in(LLVM::XOrOp::create(b, op.getLoc(), choice.getCondition(), truth(b, op.getLoc())));
  else if (op.getValid())
    valid = ", " + assembly.in(op.getValid());
  // 16 bytes bypass L1, which smaller sizes cannot (PTX ISA, cp.async.cg).
  assembly.emit(Twine("cp.async.") + (op.getBytes() == 16 ? "cg" : "ca") + ".shared.global [" + destination + "], [" +
                    source + "], " + Twine(op.getBytes()) + valid + ";",
                true);
}

static void expandNamedBarrier(NamedBarrierOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  assembly.emit(Twine(op.getArrive() ? "bar.arrive " : "bar.sync ") + Twine(op.getId()) + ", " +
                    Twine(op.getThreads()) + ";",
                true);
}

static void expandStMatrix(StMatrixOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string address = assembly.in(op.getAddress()), registers = assembly.in(op.getRegisters());
  assembly.emit("stmatrix.sync.aligned.m8n8.x" + Twine(op.getRegisters().size()) +
                    (op.getTransposed() ? ".trans" : "") + ".shared.b16 [" + address + "], " + registers + ";",
                true);
}

static void expandLdMatrix(LdMatrixOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string registers = assembly.out(op.getResultTypes());
  std::string address = assembly.in(op.getAddress());
  op->replaceAllUsesWith(assembly.emit("ldmatrix.sync.aligned.m8n8.x" + Twine(op.getRegisters().size()) +
                                           (op.getTransposed() ? ".trans" : "") + ".shared.b16 " + registers + ", [" +
                                           address + "];",
                                       true));
}

static StringRef approxMnemonic(Approx function) {
  switch (function) {
  case Approx::Ex2:
    return "ex2.approx.ftz.f32";
  case Approx::Lg2:
    return "lg2.approx.ftz.f32";
  case Approx::Rsqrt:
    return "rsqrt.approx.ftz.f32";
  case Approx::Sin:
    return "sin.approx.ftz.f32";
  case Approx::Cos:
    return "cos.approx.ftz.f32";
  case Approx::Tanh:
    return "tanh.approx.f32";
  case Approx::Rcp:
    return "rcp.approx.ftz.f32";
  }
  llvm_unreachable("unknown function");
}

static void expandApprox(ApproxOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string result = assembly.out(b.getF32Type()), source = assembly.in(op.getSource());
  op->replaceAllUsesWith(assembly.emit(approxMnemonic(op.getFunction()) + " " + result + ", " + source + ";",
                                       /*touchesMemory=*/false, /*hasSideEffects=*/false));
}

static void expandPack(PackOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string result = assembly.out(b.getI32Type());
  // PTX ISA, cvt: the first source goes to the upper half.
  std::string high = assembly.in(op.getHigh()), low = assembly.in(op.getLow());
  op->replaceAllUsesWith(
      assembly.emit("cvt.rn." + stringifyMmaType(op.getType()) + "x2.f32 " + result + ", " + high + ", " + low + ";",
                    /*touchesMemory=*/false, /*hasSideEffects=*/false));
}

LogicalResult tlx::expandThreadOps(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isa<ThreadDialect>(op->getDialect()))
      found.push_back(op);
  });
  OpBuilder b(module.getContext());
  for (Operation *op : found) {
    b.setInsertionPoint(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](WgmmaOp wgmma) { expandWgmma(wgmma, b); })
        .Case([&](WgmmaWaitOp wait) { expandWgmmaWait(wait, b); })
        .Case([&](MbarrierWaitOp wait) { expandMbarrierWait(wait, b); })
        .Case([&](MbarrierArriveOp arrive) { expandMbarrierArrive(arrive, b); })
        .Case([&](MbarrierExpectOp expect) { expandMbarrierExpect(expect, b); })
        .Case([&](thread::TMALoadOp load) { expandTMALoad(load, b); })
        .Case([&](thread::TMAStoreOp store) { expandTMAStore(store, b); })
        .Case([&](thread::TMAPrefetchOp prefetch) { expandTMAPrefetch(prefetch, b); })
        .Case([&](CpAsyncOp copy) { expandCpAsync(copy, b); })
        .Case([&](NamedBarrierOp barrier) { expandNamedBarrier(barrier, b); })
        .Case([&](StMatrixOp store) { expandStMatrix(store, b); })
        .Case([&](LdMatrixOp load) { expandLdMatrix(load, b); })
        .Case([&](thread::ApproxOp approx) { expandApprox(approx, b); })
        .Case([&](PackOp pack) { expandPack(pack, b); })
        .Case<BulkLoadOp, BulkStoreOp, BulkRemoteOp, thread::RemoteStoreOp>([&](auto copy) { expandBulkCopy(copy, b); })
        .Case<thread::PrintOp, AssertFailOp>([&](auto report) { expandReport(report, b); })
        .Case<MakeTensorMapOp, AcquireTensorMapOp>([&](auto map) { expandTensorMap(map, b); })
        .Default([&](Operation *other) {
          [[maybe_unused]] bool known = expandTensorMemory(other, b) || expandLaunchControl(other, b) ||
                                        expandWarpProduct(other, b) || expandGroupCount(other, b);
          assert(known && "thread operation without inline PTX");
        });
    op->erase();
  }
  keepCopiesOverMeetings(module);
  return success();
}
