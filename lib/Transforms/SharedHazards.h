//===- SharedHazards.h - what the threads of a task may not yet see of shared memory --------------------===//
//
// The state of the analysis behind InsertBarriers: for each allocation, accesses since the task last met.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_TRANSFORMS_SHAREDHAZARDS_H
#define TLX_TRANSFORMS_SHAREDHAZARDS_H

#include "RingPlaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tlx {

/// What has to come before an access.
struct Remedy {
  bool fence = false;
  bool meeting = false;
  explicit operator bool() const { return fence || meeting; }
};

/// Facts of one task at one point; any of several paths may have made them.
class SharedHazards {
public:
  explicit SharedHazards(int warps) : warps(warps) {}

  /// In a loop whose halves take turns a meeting is one of all only together with the next.
  void setSkewed(bool value) { skewed = value; }

  /// What `op` needs in front of it.
  Remedy needed(mlir::Operation *op) const;
  /// Whether threads wrote one of these allocations and did not fence what they wrote.
  bool hasUnfenced(const llvm::DenseSet<mlir::Operation *> &among) const;
  /// The state after `op`.
  void apply(mlir::Operation *op);
  /// The state after a remedy.
  void apply(Remedy remedy);

  /// A new trip of a loop begins: slots that were named by its number are others now.
  void forgetPlaces();
  /// Adds what holds on another path; says whether that changed anything.
  bool join(const SharedHazards &other);

private:
  struct Facts {
    /// Read, or written, by threads of the task since it last met.
    bool read = false, written = false;
    /// Where all of it was read, if that is one known slot.
    std::optional<RingPlace> readPlace;
    /// The same before the last meeting, where that was one of halves.
    bool readBefore = false, writtenBefore = false;
    /// Written by threads and not yet fenced; fenced, but the task has not met since.
    bool unfenced = false, fenced = false;
    /// Copies by the threads themselves that no group holds yet.
    bool copying = false;
    /// Bit i: read by a matrix product, or tensor-map store, or written by a group of copies, with i younger ones
    /// issued since and no wait.
    uint8_t products = 0, stores = 0, copies = 0;
    bool operator==(const Facts &) const = default;
  };

  Remedy before(const Facts &facts, mlir::Operation *op, mlir::Value buffer, bool writes) const;
  static void addRead(Facts &facts, const std::optional<RingPlace> &place);
  void meet();
  void fence();
  void closeGroup();
  void settleCopies(int pendings);
  void settle(uint8_t Facts::*queue, int pendings, bool thenRead);
  void enqueue(uint8_t Facts::*queue, llvm::ArrayRef<mlir::Value> buffers);

  int warps;
  bool skewed = false;
  llvm::DenseMap<mlir::Operation *, Facts> storages;
};

} // namespace tlx

#endif // TLX_TRANSFORMS_SHAREDHAZARDS_H
