//===- CarriedProduct.cpp - products that run on into the next iteration --------------------------------===//

#include "CarriedProduct.h"

using namespace mlir;
using namespace tlx;

AsyncDotWaitOp tlx::waitOfCarriedProduct(scf::ForOp loop, unsigned index) {
  auto wait = loop.getBody()->getTerminator()->getOperand(index).getDefiningOp<AsyncDotWaitOp>();
  auto dot = wait && wait->hasOneUse() ? wait.getSource().getDefiningOp<AsyncDotOp>() : AsyncDotOp();
  BlockArgument argument = loop.getRegionIterArg(index);
  bool isOnlyAdded = dot && dot->getBlock() == loop.getBody() && dot.getAcc() == argument && argument.hasOneUse();
  return isOnlyAdded && wait.getPendings() == 0 ? wait : AsyncDotWaitOp();
}

void tlx::letRunOn(scf::ForOp loop, unsigned index, AsyncDotWaitOp wait) {
  wait.setPendings(1);
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(loop);
  auto done = AsyncDotWaitOp::create(builder, wait.getLoc(), wait.getType(), 0, loop.getResult(index));
  loop.getResult(index).replaceAllUsesExcept(done, done);
}
