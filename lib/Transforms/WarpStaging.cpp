//===- WarpStaging.cpp - products of tiles by single warps ------------------------------------------------===//
//
// What was just loaded goes to shared memory, from which each warp reads the fragments that it multiplies; a left
// operand that a loop does not change is read once, in front of it. What was computed is multiplied from registers: the
// sums of one product are the left operand of the next as they are.
//
//===----------------------------------------------------------------------------------------------------===//

#include "WarpStaging.h"
#include "ProductChain.h"
#include "StagedTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Dialect/WarpProducts.h"
#include "tlx/Layout/MmaLayouts.h"
#include "tlx/Layout/SharedLayout.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;

/// Registers of a thread that an operand may take for longer than its product.
static constexpr int64_t keptWords = 64;

static RankedTensorType tileTypeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

WarpStaging::WarpStaging(func::FuncOp kernel, const TaskScope &scope, ArrayRef<DotOp> dots)
    : kernel(kernel), scope(scope), builder(kernel.getContext()), isNVIDIA(targetOf(kernel).isNVIDIA()),
      // Rows that one warp holds whole are reduced without the others: what a chain of products wants.
      rowsFirst(llvm::any_of(dots, [](DotOp dot) { return comesFromProduct(dot.getA()); })) {}

/// PTX ISA, mma.sync: operands of 8 bits, 16 bits and tf32; D in f32, for integers in s32.
static bool hasInstruction(Type left, Type right, Type sum, StringRef precision) {
  if (left.isInteger(8))
    return right == left && sum.isInteger(32);
  if (!sum.isF32())
    return false;
  if (isa<Float8E4M3FNType, Float8E5M2Type>(left))
    return isa<Float8E4M3FNType, Float8E5M2Type>(right);
  return left == right && (left.isF16() || left.isBF16() || (left.isF32() && precision == "tf32"));
}

bool WarpStaging::fits(DotOp dot) const {
  RankedTensorType a = tileTypeOf(dot.getA()), b = tileTypeOf(dot.getB()), result = tileTypeOf(dot.getResult());
  if (!isNVIDIA || result.getRank() != 2 || !llvm::isPowerOf2_32(scope.warps) ||
      !hasInstruction(a.getElementType(), b.getElementType(), result.getElementType(), dot.getPrecision()))
    return false;
  int64_t m = result.getDimSize(0), n = result.getDimSize(1), k = a.getDimSize(1);
  bool powers = llvm::isPowerOf2_64(m) && llvm::isPowerOf2_64(n) && llvm::isPowerOf2_64(k);
  return powers && m >= 16 && n >= 8 && k >= layout::mmaDepth(static_cast<int>(a.getElementTypeBitWidth()));
}

static bool isLoaded(Value tile) {
  Value source = transpositionSource(tile);
  return isa_and_nonnull<LoadOp, DescriptorLoadOp>((source ? source : tile).getDefiningOp());
}

/// `copies`: how many warps hold each element.
bool WarpStaging::fitsRegisters(Value tile, int copies) const {
  RankedTensorType type = tileTypeOf(tile);
  int64_t words = type.getNumElements() * type.getElementTypeBitWidth() / 32;
  return words * copies <= keptWords * 32 * scope.warps;
}

/// From a buffer of its own; into registers again where a loop around the product does not change it, and `maySpare`.
Value WarpStaging::buffered(DotOp dot, StringRef name, Value tile, bool maySpare, int copies) {
  Value source = transpositionSource(tile), stored = source ? source : tile;
  RankedTensorType type = tileTypeOf(stored);
  int swizzle = layout::SharedTile::defaultSwizzle(type.getShape(), type.getElementTypeBitWidth() / 8);
  Value buffer = storeInBuffer(kernel, dot, name, stored, swizzle);
  bool isInFront = buffer.getDefiningOp()->getBlock() != dot->getBlock();
  if (isInFront && maySpare && fitsRegisters(tile, copies)) {
    OpBuilder inFront(dot->getContext());
    inFront.setInsertionPointAfter(*buffer.user_begin());
    if (source)
      buffer = transposedView(inFront, dot.getLoc(), buffer);
    return LocalLoadOp::create(inFront, dot.getLoc(), tile.getType(), buffer);
  }
  return source ? transposedView(builder, dot.getLoc(), buffer) : buffer;
}

/// What is too much for registers goes through a buffer, though it was computed.
Value WarpStaging::operand(DotOp dot, StringRef name, Value tile, bool maySpare, int copies) {
  if (isLoaded(tile) || !fitsRegisters(tile, copies))
    return buffered(dot, name, tile, maySpare, copies);
  return tile;
}

Value WarpStaging::stage(DotOp dot) {
  builder.setInsertionPoint(dot);
  RankedTensorType result = tileTypeOf(dot.getResult());
  layout::WarpGrid grid = layout::mmaWarps(result.getDimSize(0), result.getDimSize(1), scope.warps, rowsFirst);
  Value a = operand(dot, "dot.a", dot.getA(), /*maySpare=*/true, scope.warps / grid.rows);
  Value b = operand(dot, "dot.b", dot.getB(), /*maySpare=*/false, scope.warps / grid.columns);
  return MmaDotOp::create(builder, dot.getLoc(), result, a, b, dot.getAcc(), grid.rows, grid.columns);
}
