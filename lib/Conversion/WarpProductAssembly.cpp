// Inline PTX of the thread dialect's products of one warp. Instruction forms: PTX ISA 8.8, mma.sync.
#include "WarpProductAssembly.h"
#include "InlineAssembly.h"
#include "tlx/Dialect/WarpProducts.h"

using namespace mlir;
using namespace tlx;

static std::string depthOf(StringRef type) {
  if (type == "tf32")
    return "8";
  return type == "f16" || type == "bf16" ? "16" : "32";
}

bool tlx::expandWarpProduct(Operation *op, OpBuilder &b) {
  auto product = dyn_cast<thread::MmaSyncOp>(op);
  if (!product)
    return false;
  Assembly assembly(b, op->getLoc());
  std::string sums = assembly.out(op->getResultTypes());
  assembly.tie(product.getAcc());
  std::string left = assembly.in(product.getA()), right = assembly.in(product.getB());
  std::string sum = product.getAcc().front().getType().isInteger(32) ? "s32" : "f32";
  std::string types = "." + product.getAType().str() + "." + product.getBType().str() + ".";
  // All lanes must arrive together: as an operation with effects it stays in its block.
  op->replaceAllUsesWith(assembly.emit("mma.sync.aligned.m16n8k" + depthOf(product.getAType()) + ".row.col." + sum +
                                           types + sum + " " + sums + ", " + left + ", " + right + ", " + sums + ";",
                                       /*touchesMemory=*/false));
  return true;
}
