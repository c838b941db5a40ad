//===- CountCopies.cpp - how many copies may be in flight at each wait ------------------------------------===//
//
// Where the hardware counts memory instructions of a wave instead of groups, a wait for all but the youngest groups is
// a wait for all but the instructions that those consist of. Other instructions in between only make the wait stricter.
// Says too which copies lanes do side by side, past the registers: the others are waited for where they are issued.
//
//===----------------------------------------------------------------------------------------------------===//

#include "LayoutRules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tlx/Analysis/TaskScope.h"
#include "tlx/Dialect/Target.h"
#include "tlx/Layout/RegisterAccess.h"
#include "tlx/Transforms/Passes.h"

namespace tlx {
#define GEN_PASS_DEF_COUNTCOPIES
#include "tlx/Transforms/Passes.h.inc"
} // namespace tlx

using namespace mlir;
using namespace tlx;
using layout::InDim;
using layout::LinearLayout;

namespace {

/// The fewest instructions, on any path, of the groups that a wave has issued; the youngest first.
struct IssuedGroups {
  static constexpr int remembered = 16;
  std::array<int, remembered> groups = {};
  /// Of the group that has not been closed.
  int open = 0;

  void close() {
    std::copy_backward(groups.begin(), groups.end() - 1, groups.end());
    groups[0] = open;
    open = 0;
  }
  int youngest(int count) const {
    int sum = open;
    for (int i = 0; i < std::min(count, remembered); ++i)
      sum += groups[i];
    return sum;
  }
  bool join(const IssuedGroups &other) {
    IssuedGroups before = *this;
    for (int i = 0; i < remembered; ++i)
      groups[i] = std::min(groups[i], other.groups[i]);
    open = std::min(open, other.open);
    return groups != before.groups || open != before.open;
  }
};

/// Bytes that each lane copies at once when the lanes of a wave write side by side in shared memory; 0 when they do
/// not.
int laneBytes(AsyncLoadOp copy, const Arch &target) {
  auto pointers = tileType(copy.getPointer());
  if (!pointers ||
      (copy.getOther() && !matchPattern(copy.getOther(), m_AnyZeroFloat()) && !matchPattern(copy.getOther(), m_Zero())))
    return 0;
  BufferType buffer = copy.getBuffer().getType();
  layout::SharedTile tile = sharedTile(buffer);
  LinearLayout layout = toLinear(pointers);
  int64_t vector = copy->getAttrOfType<IntegerAttr>("tlx.vector").getInt();
  int64_t bytes = vector * buffer.elementBits() / 8;
  bool hasWidth = bytes == 4 || (bytes == 16 && target.has(Feature::WideLaneCopy));
  if (!hasWidth || buffer.getLayout().getTransposed() || !tile.padding.empty() || layout.freeMask(InDim::Lane) ||
      int(pointers.getRank()) != tile.rank())
    return 0;
  auto offset = [&](InDim dim, int bit) {
    layout::Coords basis = layout.basis(dim, bit);
    return tile.byteOffset(SmallVector<int64_t>(basis.begin(), basis.end()));
  };
  for (int bit = 0; (int64_t(1) << bit) < vector; ++bit)
    if (offset(InDim::Register, bit) != buffer.elementBits() / 8 << bit)
      return 0;
  for (int bit = 0; bit < layout.inBits(InDim::Lane); ++bit)
    if (offset(InDim::Lane, bit) != bytes << bit)
      return 0;
  return static_cast<int>(bytes);
}

class CopyCounter {
public:
  explicit CopyCounter(const Arch &target) : target(target) {}

  void flow(Block &block, IssuedGroups &issued) {
    for (Operation &op : block)
      transfer(&op, issued);
  }

private:
  void transfer(Operation *op, IssuedGroups &issued) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      IssuedGroups other = issued;
      flow(*branch.thenBlock(), issued);
      if (branch.elseBlock())
        flow(*branch.elseBlock(), other);
      issued.join(other);
      return;
    }
    if (isa<scf::ForOp, scf::WhileOp>(op))
      return flowLoop(op, issued);
    if (auto copy = dyn_cast<AsyncLoadOp>(op)) {
      issued.open += instructions(copy);
    } else if (isa<AsyncCommitOp>(op)) {
      issued.close();
    } else if (auto wait = dyn_cast<AsyncWaitOp>(op)) {
      int mayRun = issued.youngest(static_cast<int>(wait.getPendings()));
      op->setAttr("tlx.in_flight", Builder(op->getContext()).getI32IntegerAttr(mayRun));
    }
  }

  void flowLoop(Operation *loop, IssuedGroups &issued) {
    IssuedGroups end = issued;
    do {
      end = issued;
      for (Region &region : loop->getRegions())
        flow(region.front(), end);
    } while (issued.join(end));
    if (isa<scf::WhileOp>(loop))
      flow(loop->getRegion(0).front(), issued);
  }

  /// Instructions that every wave issues for certain.
  int instructions(AsyncLoadOp copy) {
    int bytes = laneBytes(copy, target);
    if (bytes == 0)
      return 0;
    copy->setAttr("tlx.lane_bytes", Builder(copy->getContext()).getI32IntegerAttr(bytes));
    auto pointers = tileType(copy.getPointer());
    LinearLayout layout = toLinear(pointers);
    if (layout.freeMask(InDim::Warp))
      return 0;
    int perInstruction = bytes * 8 / copy.getBuffer().getType().elementBits();
    return static_cast<int>(layout::usedRegisters(layout, pointers.getShape()).size()) / perInstruction;
  }

  const Arch &target;
};

struct CountCopies : tlx::impl::CountCopiesBase<CountCopies> {
  void runOnOperation() override {
    const Arch &target = targetOf(getOperation());
    if (!target.has(Feature::LaneCopy))
      return;
    for (const TaskScope &scope : taskScopes(getOperation())) {
      IssuedGroups issued;
      CopyCounter(target).flow(scope.body->front(), issued);
    }
  }
};

} // namespace
