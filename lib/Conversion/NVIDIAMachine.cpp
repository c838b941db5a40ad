// The machine of NVIDIA: NVVM and the thread dialect.
#include "Machine.h"
#include "tlx/Dialect/ThreadDialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tlx;

static thread::Approx approxOf(ApproxFunction function) {
  switch (function) {
  case ApproxFunction::Exp2:
    return thread::Approx::Ex2;
  case ApproxFunction::Log2:
    return thread::Approx::Lg2;
  case ApproxFunction::Rsqrt:
    return thread::Approx::Rsqrt;
  case ApproxFunction::Sin:
    return thread::Approx::Sin;
  case ApproxFunction::Cos:
    return thread::Approx::Cos;
  case ApproxFunction::Tanh:
    return thread::Approx::Tanh;
  case ApproxFunction::Rcp:
    return thread::Approx::Rcp;
  }
  llvm_unreachable("unknown approximate function");
}

namespace {

class NVIDIAMachine : public Machine {
public:
  explicit NVIDIAMachine(const Arch &arch) : Machine(arch) {}

  void markKernel(LLVM::LLVMFuncOp function, int threads, int blocks) const override {
    Builder b(function.getContext());
    function->setAttr("nvvm.kernel", b.getUnitAttr());
    function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({threads}));
    // Without it the assembler ignores setmaxnreg (warning C7508).
    function->setAttr("nvvm.minctasm", b.getI32IntegerAttr(blocks));
  }
  StringRef blockScope() const override { return "block"; }
  StringRef deviceScope() const override { return "device"; }

  Value threadId(OpBuilder &b, Location loc) const override {
    return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  }
  Value programId(OpBuilder &b, Location loc, int axis) const override {
    Type type = b.getI32Type();
    switch (axis) {
    case 0:
      return NVVM::BlockIdXOp::create(b, loc, type);
    case 1:
      return NVVM::BlockIdYOp::create(b, loc, type);
    default:
      return NVVM::BlockIdZOp::create(b, loc, type);
    }
  }
  Value programCount(OpBuilder &b, Location loc, int axis) const override {
    Type type = b.getI32Type();
    switch (axis) {
    case 0:
      return NVVM::GridDimXOp::create(b, loc, type);
    case 1:
      return NVVM::GridDimYOp::create(b, loc, type);
    default:
      return NVVM::GridDimZOp::create(b, loc, type);
    }
  }
  Value uniform(OpBuilder &b, Location loc, Value value) const override {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(b, loc, -1), value, i32(b, loc, 0), i32(b, loc, 31),
                                NVVM::ShflKind::idx, UnitAttr());
  }
  Value clock(OpBuilder &b, Location loc) const override { return NVVM::Clock64Op::create(b, loc, b.getI64Type()); }

  void blockBarrier(OpBuilder &b, Location loc) const override { NVVM::Barrier0Op::create(b, loc); }
  void warpBarrier(OpBuilder &b, Location loc) const override { NVVM::SyncWarpOp::create(b, loc, i32(b, loc, -1)); }
  Value shuffleXor(OpBuilder &b, Location loc, Value word, Value, int mask) const override {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(b, loc, -1), word, i32(b, loc, mask), i32(b, loc, 31),
                                NVVM::ShflKind::bfly, UnitAttr());
  }
  Value vote(OpBuilder &b, Location loc, int32_t among, Value predicate) const override {
    return NVVM::VoteSyncOp::create(b, loc, b.getI32Type(), i32(b, loc, among), predicate, NVVM::VoteSyncKind::ballot);
  }

  bool reports() const override { return true; }

  Value approximate(OpBuilder &b, Location loc, ApproxFunction function, Value x) const override {
    return thread::ApproxOp::create(b, loc, b.getF32Type(), approxOf(function), x);
  }
  Value pack(OpBuilder &b, Location loc, VectorType type, Value low, Value high) const override {
    // cvt.rn.*x2 makes two at once.
    auto kind = type.getElementType().isF16() ? thread::MmaType::F16 : thread::MmaType::BF16;
    Value word = thread::PackOp::create(b, loc, b.getI32Type(), kind, low, high);
    return LLVM::BitcastOp::create(b, loc, type, word);
  }
  Value toFloat8(OpBuilder &b, Location loc, Type type, Value low, Value high) const override {
    // cvt.rn.satfinite.*x2.f32: the first source goes to the upper half.
    Type pair = VectorType::get({2}, b.getI8Type());
    return NVVM::ConvertF32x2ToF8x2Op::create(b, loc, pair, high, low, NVVM::FPRoundingMode::RN,
                                              NVVM::SaturationMode::SATFINITE, /*relu=*/false, type);
  }
  Value fromFloat8(OpBuilder &b, Location loc, Type type, Value bytes) const override {
    // cvt.rn.f16x2.*x2 is exact.
    Type halves = VectorType::get({2}, b.getF16Type());
    return NVVM::ConvertF8x2ToF16x2Op::create(b, loc, halves, bytes, /*relu=*/false, type);
  }

  void prefetch(OpBuilder &b, Location loc, Value pointer, StringRef level) const override {
    auto cache = level == "L1" ? NVVM::PrefetchCacheLevel::L1 : NVVM::PrefetchCacheLevel::L2;
    NVVM::PrefetchOp::create(b, loc, NVVM::PrefetchCacheLevelAttr::get(b.getContext(), cache),
                             NVVM::CacheEvictionPriorityAttr(), pointer, Value(), UnitAttr(), UnitAttr(), UnitAttr());
  }
};

} // namespace

std::unique_ptr<Machine> tlx::makeNVIDIAMachine(const Arch &arch) {
  return std::make_unique<NVIDIAMachine>(arch);
}
