//===- StageProducts.cpp - products of tiles in registers get their buffers -----------------------------===//
//
// `tl.dot` takes tiles in registers. Where shapes and types allow, the operands go to shared memory and the product to
// the tensor cores by warp groups (wgmma), else by single warps (WarpStaging); what neither can do each thread
// multiplies for its own elements, with the operands in shared memory too.
//
//===----------------------------------------------------------------------------------------------------===//

#include "StagedTile.h"
#include "TurnedLoads.h"
#include "WarpStaging.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Layout/SharedLayout.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_STAGEPRODUCTS
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;

static RankedTensorType tileTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// PTX ISA, wgmma: rows of shared memory of 32, 64 or 128 bytes, eight of them together.
static bool hasSwizzle(int64_t rows, int64_t columns, int bits) {
  return rows % 8 == 0 && columns * bits / 8 % 32 == 0;
}

namespace {

/// One operand as it will lie in shared memory.
struct StagedOperand {
  /// What is stored, row-major.
  Value tile;
  /// The operand is the transposed view of it.
  bool isTransposed;
};

class ProductStaging {
public:
  ProductStaging(func::FuncOp kernel, const TaskScope &scope, bool hasWgmma, bool hasTensorMemory)
      : kernel(kernel), scope(scope), builder(kernel.getContext()), hasWgmma(hasWgmma),
        hasTensorMemory(hasTensorMemory) {}

  void run() {
    SmallVector<DotOp> dots;
    walkScope(*scope.body, [&](Operation *op) {
      if (auto dot = dyn_cast<DotOp>(op))
        dots.push_back(dot);
    });
    turnLoads(kernel, dots);
    WarpStaging warps(kernel, scope, dots);
    for (DotOp dot : dots) {
      builder.setInsertionPoint(dot);
      Value result = fitsTensorCores(dot) ? onTensorCores(dot) : warps.fits(dot) ? warps.stage(dot) : byThreads(dot);
      dot.getResult().replaceAllUsesWith(result);
      dot.erase();
    }
    if (!hasTensorMemory)
      moveLastingOperands();
  }

private:
  bool fitsTensorCores(DotOp dot) {
    RankedTensorType a = tileTypeOf(dot.getA()), result = tileTypeOf(dot.getResult());
    Type element = a.getElementType();
    auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
    Type other = tileTypeOf(dot.getB()).getElementType();
    bool isTensorType = isa<Float16Type, BFloat16Type>(element) || (isFloat8(element) && isFloat8(other)) ||
                        element.isInteger(8) || (element.isF32() && dot.getPrecision() == "tf32");
    bool sumsWide = element.isInteger(8) ? result.getElementType().isInteger(32) : result.getElementType().isF32();
    if (!hasWgmma || !isTensorType || !sumsWide || a.getRank() != 2 || scope.warps % 4 != 0 || firstWarp() % 4 != 0)
      return false;
    int bits = element.getIntOrFloatBitWidth();
    int64_t m = result.getDimSize(0), n = result.getDimSize(1), k = a.getDimSize(1);
    // PTX ISA, tcgen05.mma: other shapes than wgmma's, and no integers on some of its targets.
    if (hasTensorMemory && (element.isInteger(8) || m > 128 || n % (m == 64 ? 8 : 16)))
      return false;
    bool fitsInstruction = m % 64 == 0 && n % 8 == 0 && (n <= 256 || n % 256 == 0) && k % (256 / bits) == 0;
    return fitsInstruction && hasSwizzle(m, k, bits);
  }

  int firstWarp() {
    if (scope.task < 0)
      return 0;
    return cast<AsyncTasksOp>(scope.body->getParentOp()).getFirstWarp()[scope.task];
  }

  /// A is stored as it is used, or as what it is the transposition of; B across K only where the hardware takes that.
  StagedOperand stagedA(DotOp dot) {
    Value source = transpositionSource(dot.getA());
    int bits = tileTypeOf(dot.getA()).getElementTypeBitWidth();
    if (source && bits == 16 && hasSwizzle(tileTypeOf(source).getDimSize(0), tileTypeOf(source).getDimSize(1), bits))
      return {source, true};
    return {dot.getA(), false};
  }

  StagedOperand stagedB(DotOp dot) {
    if (Value source = transpositionSource(dot.getB()))
      return {source, true};
    RankedTensorType type = tileTypeOf(dot.getB());
    int bits = type.getElementTypeBitWidth();
    if (bits == 16 && hasSwizzle(type.getDimSize(0), type.getDimSize(1), bits))
      return {dot.getB(), false};
    auto turned = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
    return {PermuteOp::create(builder, dot.getLoc(), turned, dot.getB(), ArrayRef<int32_t>{1, 0}), true};
  }

  Value stored(DotOp dot, StringRef name, Value tile, int swizzle) {
    return storeInBuffer(kernel, dot, name, tile, swizzle);
  }

  /// Buffers are made in front of loops; views beside the product.
  Value inBuffer(DotOp dot, StringRef name, StagedOperand operand) {
    RankedTensorType type = tileTypeOf(operand.tile);
    int swizzle = layout::SharedTile::defaultSwizzle(type.getShape(), type.getElementTypeBitWidth() / 8);
    Value buffer = stored(dot, name, operand.tile, swizzle);
    return operand.isTransposed ? transposedView(builder, dot.getLoc(), buffer) : buffer;
  }

  /// What was just loaded goes to shared memory in its own layout; what was computed is better kept in registers.
  bool staysInRegisters(DotOp dot) {
    Value a = dot.getA();
    Operation *op = a.getDefiningOp();
    while (isa_and_nonnull<ReshapeOp>(op))
      op = op->getOperand(0).getDefiningOp();
    return tileTypeOf(a).getElementTypeBitWidth() == 16 && !transpositionSource(a) &&
           !isa_and_nonnull<LoadOp, DescriptorLoadOp, LocalLoadOp>(op) && (hasTensorMemory || !isLasting(a, dot));
  }

  /// Whether the tile is needed once more after the product: by others, or in the loop's next iteration. ptxas (seen
  /// with 12.8 to 13.0) gives the registers of a wgmma operand to the next operand all the same, and the second product
  /// is wrong.
  static bool isLasting(Value a, Operation *product) {
    auto loop = product->getParentOfType<LoopLikeOpInterface>();
    return !a.hasOneUse() || (loop && isInvariant(a, loop));
  }

  /// Nothing that the value is computed from changes from one iteration to the next.
  static bool isInvariant(Value value, LoopLikeOpInterface loop) {
    if (loop.isDefinedOutsideOfLoop(value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand, loop); });
  }

  /// Products of the source whose first operand is in registers for longer than the product: it goes to shared memory.
  void moveLastingOperands() {
    walkScope(*scope.body, [&](Operation *op) {
      auto dot = dyn_cast<AsyncDotOp>(op);
      if (!dot || isa<BufferType>(dot.getA().getType()) || !isLasting(dot.getA(), dot))
        return;
      RankedTensorType type = tileTypeOf(dot.getA());
      int swizzle = layout::SharedTile::defaultSwizzle(type.getShape(), type.getElementTypeBitWidth() / 8);
      dot.getAMutable().assign(storeInBuffer(kernel, dot, "dot.a", dot.getA(), swizzle));
    });
  }

  Value onTensorCores(DotOp dot) {
    Location loc = dot.getLoc();
    Value a = staysInRegisters(dot) ? dot.getA() : inBuffer(dot, "dot.a", stagedA(dot));
    Value b = inBuffer(dot, "dot.b", stagedB(dot));
    Value acc = dot.getAcc();
    if (matchPattern(acc, m_AnyZeroFloat()) || matchPattern(acc, m_Zero()))
      acc = Value();
    auto started = AsyncDotOp::create(builder, loc, dot.getResult().getType(), a, b, acc, Value());
    for (StringRef sign : {"tlx.unsigned_a", "tlx.unsigned_b"})
      if (Attribute isUnsigned = dot->getAttr(sign))
        started->setAttr(sign, isUnsigned);
    return AsyncDotWaitOp::create(builder, loc, started.getType(), 0, started);
  }

  /// Threads compute with 8-bit floats as with what holds them exactly, and with bytes of either sign as with words.
  Value multiplicable(Value tile, bool isUnsigned, bool isWide) {
    RankedTensorType type = tileTypeOf(tile);
    if (type.getElementType().isInteger(8) && isWide) {
      auto words = RankedTensorType::get(type.getShape(), builder.getI32Type());
      return isUnsigned ? arith::ExtUIOp::create(builder, tile.getLoc(), words, tile).getResult()
                        : arith::ExtSIOp::create(builder, tile.getLoc(), words, tile).getResult();
    }
    if (!isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType, Float8E5M2FNUZType>(type.getElementType()))
      return tile;
    auto wide = RankedTensorType::get(type.getShape(), builder.getF16Type());
    return arith::ExtFOp::create(builder, tile.getLoc(), wide, tile);
  }

  Value byThreads(DotOp dot) {
    bool isUnsignedA = dot->hasAttr("tlx.unsigned_a"), isUnsignedB = dot->hasAttr("tlx.unsigned_b");
    bool isWide = isUnsignedA || isUnsignedB;
    Value a = stored(dot, "dot.a", multiplicable(dot.getA(), isUnsignedA, isWide), /*swizzle=*/0);
    Value b = stored(dot, "dot.b", multiplicable(dot.getB(), isUnsignedB, isWide), /*swizzle=*/0);
    return FmaDotOp::create(builder, dot.getLoc(), dot.getResult().getType(), a, b, dot.getAcc());
  }

  func::FuncOp kernel;
  const TaskScope &scope;
  OpBuilder builder;
  bool hasWgmma, hasTensorMemory;
};

struct StageProducts : tlx::impl::StageProductsBase<StageProducts> {
  using StageProductsBase::StageProductsBase;

  void runOnOperation() override {
    for (const TaskScope &scope : taskScopes(getOperation()))
      ProductStaging(getOperation(), scope, hasWgmma, hasTensorMemory).run();
  }
};

} // namespace
