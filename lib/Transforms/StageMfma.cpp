//===- StageMfma.cpp - products for machines whose waves multiply alone -----------------------------------===//
//
// `tl.dot` and `tlx.async_dot` become products of tiles in registers, where the machine has an instruction for their
// types and shapes. What was just loaded from global memory goes through a buffer, from which each wave reads what it
// multiplies; what was computed changes its layout where that is needed. Other `tl.dot` are left for StageProducts.
//
//===----------------------------------------------------------------------------------------------------===//

#include "ProductChain.h"
#include "StagedTile.h"
#include "TileExtents.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/AMD.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Dialect/TileOps.h"
#include "tlx/Layout/MfmaLayouts.h"
#include "tlx/Layout/SharedLayout.h"
#include "tlx/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace tlx {
#define GEN_PASS_DEF_STAGEMFMA
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;
using layout::MfmaShape;

namespace {

/// What a product is of.
struct Factors {
  int64_t m, n, k;
  Type left, right, sum;
};

/// Which operands are bytes without a sign.
struct Signs {
  bool left, right;
};

class MfmaStaging {
public:
  MfmaStaging(func::FuncOp kernel, const TaskScope &scope)
      : kernel(kernel), scope(scope), target(targetOf(kernel)), builder(kernel.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> products;
    walkScope(*scope.body, [&](Operation *op) {
      if (isa<DotOp, AsyncDotOp>(op))
        products.push_back(op);
    });
    // Rows that one wave holds whole are reduced without the others: what a chain of products wants.
    rowsFirst = llvm::any_of(products, [](Operation *op) { return comesFromProduct(op->getOperand(0)); });
    for (Operation *op : products) {
      builder.setInsertionPoint(op);
      if (auto dot = dyn_cast<DotOp>(op))
        stage(dot);
      else if (stage(cast<AsyncDotOp>(op)).failed())
        return failure();
    }
    walkScope(*scope.body, [&](Operation *op) {
      if (auto wait = dyn_cast<AsyncDotWaitOp>(op))
        waits.push_back(wait);
    });
    // Registers have their values when the instruction is done: nothing is left to wait for.
    for (AsyncDotWaitOp wait : waits) {
      wait.getResult().replaceAllUsesWith(wait.getSource());
      wait.erase();
    }
    return success();
  }

private:
  /// K of one instruction of that many rows and columns; 0 when there is none for these types.
  int depthOf(const Factors &factors, int tile) const {
    Type left = factors.left, right = factors.right;
    auto bySize = [&](int ofSmall) { return tile == 32 ? ofSmall : 2 * ofSmall; };
    int deep = target.has(Feature::DeepMfma) ? 2 : 1;
    if (left.isInteger(8) && right == left && !left.isUnsignedInteger() && factors.sum.isInteger(32))
      return bySize(16) * (factors.k % (deep * bySize(16)) == 0 ? deep : 1);
    if (!factors.sum.isF32())
      return 0;
    if (left == right && (left.isF16() || left.isBF16()))
      return bySize(8) * (factors.k % (deep * bySize(8)) == 0 ? deep : 1);
    if (left == right && left.isF32())
      return bySize(2);
    return isOwnFloat8(left) && isOwnFloat8(right) ? bySize(16) : 0;
  }

  static bool isFNUZ(Type type) { return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type); }
  static bool isOCP(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }
  /// The instructions of a machine multiply 8-bit floats of one of the two families.
  bool isOwnFloat8(Type type) const { return target.has(Feature::FNUZFloat8) ? isFNUZ(type) : isOCP(type); }
  bool isOtherFloat8(Type type) const { return (isFNUZ(type) || isOCP(type)) && !isOwnFloat8(type); }

  /// Those of the other family multiply as f16, which holds them exactly.
  Factors widened(Factors factors) const {
    if (isOtherFloat8(factors.left) || isOtherFloat8(factors.right))
      factors.left = factors.right = Float16Type::get(factors.left.getContext());
    return factors;
  }
  Value widened(Value tile, Type element) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getElementType() == element)
      return tile;
    auto wide = RankedTensorType::get(type.getShape(), element);
    return arith::ExtFOp::create(builder, tile.getLoc(), wide, tile);
  }

  std::optional<MfmaShape> shapeOf(const Factors &factors) const {
    auto fits = [&](int tile) {
      int depth = depthOf(factors, tile);
      return depth != 0 && factors.m % tile == 0 && factors.n % tile == 0 && factors.k % depth == 0;
    };
    bool powers = llvm::all_of(ArrayRef<int64_t>{factors.m, factors.n, factors.k},
                               [](int64_t extent) { return llvm::isPowerOf2_64(extent); });
    if (!powers || target.warpSize != 64)
      return std::nullopt;
    // In a chain of products each warp is to have whole rows: what passes on stays with it.
    bool occupiesAll = (factors.m / 32) * (rowsFirst ? 1 : factors.n / 32) >= scope.warps;
    if (fits(32) && (occupiesAll || !fits(16)))
      return MfmaShape{32, depthOf(factors, 32), 0};
    if (fits(16))
      return MfmaShape{16, depthOf(factors, 16), 0};
    return std::nullopt;
  }

  /// 16 bytes of consecutive K are one access to shared memory; an accumulator has runs of 4.
  int runOf(MfmaShape shape, const Factors &factors, bool chained) const {
    if (chained)
      return 4;
    int64_t widest = 128 / factors.left.getIntOrFloatBitWidth();
    return static_cast<int>(std::min<int64_t>(widest, factors.k * shape.tile / 64));
  }

  Value zeros(Location loc, RankedTensorType type) {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }

  Value multiply(Operation *op, Value a, Value b, Value acc, MfmaShape shape, const Factors &factors) {
    layout::WaveGrid waves = layout::mfmaWaves(factors.m, factors.n, shape.tile, scope.warps, rowsFirst);
    return MfmaDotOp::create(builder, op->getLoc(), acc.getType(), a, b, acc, shape.tile, shape.depth, shape.run,
                             waves.rows, waves.columns);
  }

  Value filled(Location loc, Value like, Attribute value) {
    auto type = cast<RankedTensorType>(like.getType());
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, value));
  }

  /// The instructions take bytes with a sign. One without is 128 more than the same bits with the upper one turned: the
  /// rest of the product is of 128, as two times 64, and of 128 · 128 for each step of K.
  Value multiplyBytes(Operation *op, Value a, Value b, Value acc, MfmaShape shape, const Factors &factors,
                      Signs isUnsigned) {
    Location loc = op->getLoc();
    auto byte = [&](int value) { return builder.getIntegerAttr(builder.getI8Type(), value); };
    auto turned = [&](Value tile) { return arith::XOrIOp::create(builder, loc, tile, filled(loc, tile, byte(-128))); };
    if (isUnsigned.left)
      a = turned(a);
    if (isUnsigned.right)
      b = turned(b);
    Value sum = multiply(op, a, b, acc, shape, factors);
    for (int half = 0; half < 2; ++half) {
      if (isUnsigned.left)
        sum = multiply(op, filled(loc, a, byte(64)), b, sum, shape, factors);
      if (isUnsigned.right)
        sum = multiply(op, a, filled(loc, b, byte(64)), sum, shape, factors);
    }
    if (isUnsigned.left && isUnsigned.right) {
      auto rest = builder.getI32IntegerAttr(static_cast<int32_t>(128 * 128 * factors.k));
      sum = arith::AddIOp::create(builder, loc, sum, filled(loc, sum, rest));
    }
    return sum;
  }

  static Factors factorsOf(Type a, Type b, Type result) {
    auto left = cast<ShapedType>(a), right = cast<ShapedType>(b), sum = cast<ShapedType>(result);
    return {sum.getDimSize(0),     sum.getDimSize(1),      left.getDimSize(1),
            left.getElementType(), right.getElementType(), sum.getElementType()};
  }

  /// From a buffer when the tile was just loaded, or turned after that; as it is otherwise.
  Value operand(DotOp dot, StringRef name, Value tile) {
    Value source = transpositionSource(tile), loaded = source ? source : tile;
    Operation *op = loaded.getDefiningOp();
    if (!isa_and_nonnull<LoadOp>(op))
      return tile;
    auto type = cast<RankedTensorType>(loaded.getType());
    int swizzle = layout::SharedTile::defaultSwizzle(type.getShape(), type.getElementTypeBitWidth() / 8);
    Value buffer = storeInBuffer(kernel, dot, name, loaded, swizzle);
    if (source)
      buffer = transposedView(builder, dot.getLoc(), buffer);
    return LocalLoadOp::create(builder, dot.getLoc(), tile.getType(), buffer);
  }

  /// AMD CDNA3 ISA, V_MFMA_I32_*_I8: bytes are signed.
  static bool hasUnsignedBytes(Operation *dot) {
    return dot->hasAttr("tlx.unsigned_a") || dot->hasAttr("tlx.unsigned_b");
  }

  void stage(DotOp dot) {
    auto result = cast<RankedTensorType>(dot.getResult().getType());
    if (result.getRank() != 2 || hasUnsignedBytes(dot))
      return;
    Factors factors = widened(factorsOf(dot.getA().getType(), dot.getB().getType(), result));
    std::optional<MfmaShape> shape = shapeOf(factors);
    if (!shape)
      return;
    shape->run = runOf(*shape, factors, comesFromProduct(dot.getA()));
    Value a = widened(operand(dot, "dot.a", dot.getA()), factors.left);
    Value b = widened(operand(dot, "dot.b", dot.getB()), factors.right);
    dot.getResult().replaceAllUsesWith(multiply(dot, a, b, dot.getAcc(), *shape, factors));
    dot.erase();
  }

  LogicalResult stage(AsyncDotOp dot) {
    auto result = cast<RankedTensorType>(dot.getResult().getType());
    auto tileOf = [](Type type) -> RankedTensorType {
      if (auto buffer = dyn_cast<BufferType>(type))
        return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
      return cast<RankedTensorType>(type);
    };
    RankedTensorType left = tileOf(dot.getA().getType()), right = tileOf(dot.getB().getType());
    if (left.getRank() != 2)
      return dot.emitError() << "a matrix product is of two-dimensional tiles; this one has " << left.getRank()
                             << " axes [dot-shape]";
    Factors factors = widened(factorsOf(left, right, result));
    // The instructions add up in 32 bits: a sum of 16 is rounded once for each product.
    bool isHalf = factors.sum.isF16();
    if (isHalf)
      factors.sum = builder.getF32Type();
    if (!llvm::isPowerOf2_64(factors.m) || !llvm::isPowerOf2_64(factors.n))
      return refuseExtents(dot, result.getShape());
    std::optional<MfmaShape> shape = shapeOf(factors);
    if (!shape)
      return dot.emitError() << "`" << target.name << "` has no matrix instruction for a product of " << factors.m
                             << "x" << factors.k << " " << factors.left << " and " << factors.k << "x" << factors.n
                             << " " << factors.right << " elements [dot-shape]";
    bool inRegisters = isa<RankedTensorType>(dot.getA().getType());
    shape->run = runOf(*shape, factors, inRegisters && comesFromProduct(dot.getA()));
    auto inTile = [&](Value value, RankedTensorType type) -> Value {
      return isa<BufferType>(value.getType()) ? Value(LocalLoadOp::create(builder, dot.getLoc(), type, value)) : value;
    };
    Value a = widened(inTile(dot.getA(), left), factors.left), b = widened(inTile(dot.getB(), right), factors.right);
    Value acc = dot.getAcc(), use = dot.getUseAcc();
    Location loc = dot.getLoc();
    auto wide = RankedTensorType::get(result.getShape(), factors.sum);
    if (acc && isHalf)
      acc = arith::ExtFOp::create(builder, loc, wide, acc);
    if (!acc)
      acc = zeros(loc, wide);
    else if (use)
      acc = arith::SelectOp::create(builder, loc, use, acc, zeros(loc, wide));
    Signs signs = {dot->hasAttr("tlx.unsigned_a"), dot->hasAttr("tlx.unsigned_b")};
    Value sum = multiplyBytes(dot, a, b, acc, *shape, factors, signs);
    if (isHalf)
      sum = arith::TruncFOp::create(builder, loc, result, sum);
    dot.getResult().replaceAllUsesWith(sum);
    dot.erase();
    return success();
  }

  func::FuncOp kernel;
  const TaskScope &scope;
  const Arch &target;
  OpBuilder builder;
  SmallVector<AsyncDotWaitOp> waits;
  bool rowsFirst = false;
};

struct StageMfma : tlx::impl::StageMfmaBase<StageMfma> {
  void runOnOperation() override {
    if (!targetOf(getOperation()).has(Feature::Mfma))
      return;
    for (const TaskScope &scope : taskScopes(getOperation()))
      if (MfmaStaging(getOperation(), scope).run().failed())
        return signalPassFailure();
  }
};

} // namespace
