// What the cluster keeps of each of its warps and blocks: registers, waits, what is in flight, what they know.
#ifndef TLX_EMULATOR_WARP_H
#define TLX_EMULATOR_WARP_H

#include "Barriers.h"
#include "Lanes.h"
#include "Memory.h"
#include "Program.h"
#include "TensorMemory.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tlx::emu {

/// A copy in flight. It reads its source at `ready`, and is complete some time after.
struct Copy {
  enum class Kind : uint8_t { TensorLoad, TensorStore, Async, AsyncArrive, Bulk, MatrixCommit, LaunchAnswer, LdsLoad };
  /// Where a bulk copy comes from and goes to; what st.async sends was in registers.
  enum class Route : uint8_t { GlobalToShared, SharedToGlobal, SharedToShared, Registers };
  struct Piece {
    uint64_t source;
    uint32_t destination, bytes, valid;
  };
  Kind kind;
  uint16_t cta, warp;
  uint32_t site, agent, time;
  Knowledge issued;
  uint64_t ready, started;
  const TensorMap *map = nullptr;
  std::array<int32_t, 5> coordinates{};
  /// The barrier that it signals, and whose it is.
  uint32_t shared = 0, barrier = 0;
  uint16_t barrierCta = 0;
  uint8_t reduce = 0;
  Route route = Route::GlobalToShared;
  /// Bulk: the other side of the copy (`shared` is where it arrives), its size, and whether a barrier counts its bytes.
  uint64_t global = 0;
  uint32_t from = 0, bytes = 0;
  uint16_t fromCta = 0;
  bool signals = false;
  std::vector<Piece> pieces;
  /// LdsLoad: how many vector-memory operations its wave had issued before, and the bytes that it may write.
  uint64_t issueIndex = 0;
  uint32_t ldsFirst = 0, ldsEnd = 0;
  std::vector<uint8_t> image;
  /// AsyncArrive: the copies that it waits for.
  std::vector<std::shared_ptr<Copy>> after;
  bool sourceRead = false, done = false;
};
using CopyRef = std::shared_ptr<Copy>;

/// Copies of one thread: those since the last commit, and the committed groups.
struct CopyGroups {
  std::vector<CopyRef> open;
  std::vector<std::vector<CopyRef>> committed;
};

/// What a warp waits for.
struct Wait {
  enum class Kind : uint8_t {
    None,
    Mbarrier,
    Named,
    ClusterBarrier,
    Matrix,
    CpAsync,
    Bulk,
    BulkRead,
    Registers,
    VectorMemory
  };
  Kind kind = Kind::None;
  uint32_t address = 0, parity = 0;
  uint64_t generation = 0;
  unsigned pending = 0;
  uint32_t site = 0;
  uint64_t since = 0;
};

/// Lanes that run together, up to the block where they meet others again.
struct Frame {
  uint32_t pc;
  LaneMask mask;
  uint32_t meet;

  bool operator==(const Frame &) const = default;
};

/// Who touched a register of a wgmma last: an ordinary instruction, or a wgmma of some shape.
struct RegisterTouch {
  static constexpr uint32_t ordinary = ~0u;
  uint64_t step = 0;
  uint32_t site = 0;
  uint32_t shape = ordinary;
};

/// Whether a warp goes round a loop in which nothing changes: it comes to one instruction twice with equal registers.
struct Circle {
  /// What GlobalMemory::changes was when the last change was seen, and the warp's step then.
  uint64_t changes = ~0ull, since = 0;
  /// The state to be met again; no place: none is kept.
  uint32_t place = noSlot;
  uint64_t taken = 0, patience = 0;
  std::vector<Frame> frames;
  std::vector<uint64_t> registers;
  /// The last instruction since then that looked at memory or a barrier.
  uint32_t look = 0;
  bool closed = false;
};

struct Warp {
  uint16_t cta = 0, index = 0, global = 0;
  uint32_t task = ~0u;
  bool exited = false;
  std::vector<Frame> frames;
  std::unique_ptr<uint64_t[]> registers;
  /// For each slot the matrix group (from 1) that it is a result of; 0: an ordinary value.
  std::vector<uint32_t> inFlight;
  Wait wait;
  uint64_t steps = 0;
  Circle circle;
  Knowledge knows;
  /// What was known at the last memory fence, and what relaxed accesses read that the next fence acquires.
  Knowledge atFence, toAcquire;
  bool hasToAcquire = false;
  /// When all its lanes met last.
  uint32_t met = 0;
  std::vector<CopyGroups> asyncCopies, bulkCopies;
  /// Accesses to tensor memory that fences have ordered before what this warp does there.
  Clock tensorKnown;
  /// Times of the first loads and stores of tensor memory that no wait covers yet; 0: none.
  uint32_t firstLoad = 0, firstStore = 0;
  /// Products that this warp issued to the tensor core.
  uint32_t productsIssued = 0;
  bool arrivedNamed = false;
  uint64_t clusterGeneration = 0;
  bool arrivedCluster = false;
  /// How many registers each lane has; at entry the assembler's choice, which is only guessed.
  uint32_t registersBudget = 0;
  bool registersKnown = false;
  /// Matrix operations issued; for each committed group the number of operations up to its end.
  uint64_t matrixIssued = 0;
  std::vector<uint64_t> matrixGroups;
  uint64_t matrixCompleted = 0;
  /// The step of the last wgmma.fence; 0: none yet.
  uint64_t matrixFence = 0;
  /// For each slot who touched it last, and the lanes in which nobody has written it; empty where nothing is watched.
  std::vector<RegisterTouch> touched;
  std::vector<LaneMask> undefined;
  uint64_t matrixSince = 0;
  /// Waves: vector-memory operations issued, and the loads to LDS among them that no wait covers yet, in this order.
  uint64_t vectorIssued = 0;
  std::deque<CopyRef> ldsLoads;
  /// Waves: loads to LDS so far, which is their clock; barriers so far, and where it stood at the last.
  uint32_t ldsLoadCount = 0;
  uint64_t barriers = 0;
  uint32_t lastSite = 0;
};

/// The matrix unit of four warps: the operations that the first of them issued, for the others to agree with.
struct WarpGroup {
  struct Operation {
    uint32_t inst;
    uint64_t a, b;
    bool scaleD;
    uint16_t warp;
  };
  std::vector<Operation> operations;
  uint32_t agent = 0;
};

struct Cta {
  std::array<uint32_t, 3> id{};
  uint16_t rank = 0;
  std::unique_ptr<SharedMemory> shared;
  std::unique_ptr<TensorMemory> tensor;
  std::map<uint32_t, Mbarrier> mbarriers;
  std::array<NamedBarrier, 16> named;
  std::vector<WarpGroup> groups;
  unsigned liveWarps = 0;
  /// Registers of the multiprocessor that no warp holds.
  uint32_t freeRegisters = 0;
  bool exited = false;
  /// What all its warps knew when they left.
  Knowledge atExit;
  /// Accesses to its memory from elsewhere or by copies: the last of each agent.
  std::map<uint32_t, Event> remote;
};

} // namespace tlx::emu

#endif
