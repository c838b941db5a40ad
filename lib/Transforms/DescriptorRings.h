//===- DescriptorRings.h - tiles that a task of its own can load ahead ----------------------------------===//

#ifndef TLX_TRANSFORMS_DESCRIPTORRINGS_H
#define TLX_TRANSFORMS_DESCRIPTORRINGS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tlx/Dialect/TLXDialect.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace tlx {

/// A load by tensor map and what becomes of its tile.
struct RingLoad {
  DescriptorLoadOp load;
  /// Where the tile is stored to a buffer of its own that has the form of a slot: what reads that reads the ring.
  llvm::SmallVector<LocalStoreOp> stagings;
  /// Others take it in registers.
  bool isInRegisters = false;
  /// The ring, once it is there.
  LocalAllocOp buffer;

  BufferType slotType() const;
  llvm::StringRef name() const;
  /// What reads the stagings, as operations of the load's block.
  llvm::SmallVector<mlir::Operation *> readers() const;
  /// Replaces the load: stagings become views of the ring, registers are loaded from there. Gives all readers.
  llvm::SmallVector<mlir::Operation *> readFromRing(mlir::OpBuilder &builder);
  /// Sets the slot of all views and fillings of the ring in a block.
  void takeSlot(mlir::Block *block, mlir::Value channel, mlir::Value slot);
};

/// What becomes of a load; nothing when it is not used, or by products that are not waited for where they stand.
std::optional<RingLoad> ringLoad(DescriptorLoadOp load);

/// Loads that are first read by the same operation.
struct DescriptorRing {
  llvm::SmallVector<RingLoad> loads;
  int slots = 0;
  AllocChannelOp channel;
};

/// Operations of the kernel's own block that come before tasks: allocations, and tensor maps with what they follow
/// from.
using KeptOutside = llvm::DenseSet<mlir::Operation *>;
KeptOutside keptOutside(mlir::func::FuncOp kernel);

/// What keeps loads from running ahead, in words of the source.
struct Obstacle {
  mlir::Operation *place = nullptr;
  llvm::StringRef reason;
};

/// Why loads may not overtake everything else in the kernel: it has tasks, waits for somebody, or writes what it loads
/// by tensor maps. Tensors of different parameters are taken not to overlap.
std::optional<Obstacle> obstacleToRunningAhead(mlir::func::FuncOp kernel);

/// The parameters behind all addresses and descriptors that the kernel writes through, in the order of its parameters,
/// as far as they are known.
llvm::SmallVector<mlir::BlockArgument> writtenParameters(mlir::func::FuncOp kernel);

/// Whether the kernel also writes, by tensor maps, the tensor that this loads.
bool isStoredTo(DescriptorLoadOp load);

/// Whether threads of the kernel also write that tensor through pointers.
bool isWrittenByThreads(DescriptorLoadOp load);

/// Rings, and the bytes of shared memory that are left beside them.
struct RingPlan {
  llvm::SmallVector<DescriptorRing> rings;
  int64_t spare = 0;
  /// Why loads have no ring.
  llvm::SmallVector<Obstacle> obstacles;
};

/// The rings of all loops whose loads can run ahead, with as many slots as `num_stages` says and `capacity` bytes of
/// shared memory leave; none when not even two slots of each fit.
RingPlan findRings(mlir::func::FuncOp kernel, int64_t capacity);

/// Whether a product that runs on past its iteration could find its operands changed.
bool writesOperandsOf(AsyncDotOp dot, mlir::scf::ForOp loop);

} // namespace tlx

#endif // TLX_TRANSFORMS_DESCRIPTORRINGS_H
