// One cluster of CTAs in execution: its warps, their memories, the work in flight, and the clock that orders it all.
#ifndef TLX_EMULATOR_CLUSTER_H
#define TLX_EMULATOR_CLUSTER_H

#include "FindingLog.h"
#include "LaunchQueue.h"
#include "MemoryOrder.h"
#include "Program.h"
#include "Timeline.h"
#include "Warp.h"

namespace tlx::emu {

/// splitmix64: small, and the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  uint64_t below(uint64_t limit) { return next() % limit; }

private:
  uint64_t state;
};

class Cluster {
public:
  Cluster(const Program &program, const Launch &launch, const Options &options, GlobalMemory &global, FindingLog &log,
          Timeline *timeline, LaunchQueue &queue, unsigned index);
  /// Runs to the end, to a deadlock, or until enough was found; or until it may be waiting for another cluster, because
  /// it has looked at global memory so often or goes in circles. Tells whether it has ended.
  bool run();
  /// Every warp waits for ever, unless another cluster changes something: copies are done, loops go round in circles.
  bool goesInCircles() const;
  void reportCircles();
  uint64_t instructions = 0, matrixOperations = 0, tensorCopies = 0;

private:
  enum class Step : uint8_t { Next, Jumped, Blocked, Exited };

  // Cluster.cpp: setting up, scheduling, leaving.
  void createWarp(Cta &cta, unsigned index);
  bool stuck();
  bool isReady(const Warp &warp) const;
  void runWarp(Warp &warp, uint64_t quantum);
  void exitWarp(Warp &warp);
  // Circles.cpp.
  void watchCircle(Warp &warp);
  void meetCircle(Warp &warp);
  void exitCta(Cta &cta);
  Step block(Warp &warp, Wait wait, uint32_t site);
  void unblock(Warp &warp);

  // Interpreter.cpp: control flow and dispatch.
  Step execute(Warp &warp, const Inst &inst, LaneMask mask);
  Step executeHardware(Warp &warp, const Inst &inst, LaneMask mask);
  Step branch(Warp &warp, const Inst &inst, LaneMask mask);
  void takeEdge(Warp &warp, uint32_t edge, LaneMask mask);
  Step diverge(Warp &warp, const std::vector<std::pair<uint32_t, LaneMask>> &ways, uint32_t meet);
  void enter(Warp &warp, uint32_t block);
  Step leave(Warp &warp, LaneMask mask);

  // RegisterWatch.cpp: instructions on registers that have a history.
  Step executeWatched(Warp &warp, const Inst &inst, LaneMask mask);
  void checkInFlight(Warp &warp, const Inst &inst);
  Step executeUndefined(Warp &warp, const Inst &inst, LaneMask mask);
  void complainAboutUndefined(Warp &warp, const Inst &inst, LaneMask mask, const char *use);
  void checkUndefined(Warp &warp, const Inst &inst, LaneMask mask);
  LaneMask sharedLanes(Warp &warp, const Inst &inst, LaneMask mask);
  void storeUndefined(Warp &warp, const Inst &inst, LaneMask mask);
  void moveUndefined(Warp &warp, const Inst &inst, LaneMask mask);
  void setUndefined(Warp &warp, const Inst &inst, LaneMask mask, LaneMask undefined);
  LaneMask undefinedLanes(const Warp &warp, const Inst &inst) const;
  void noteTouched(Warp &warp, const Inst &inst);
  void checkTouched(Warp &warp, const Inst &inst);

  // MemoryAccess.cpp, Atomics.cpp.
  struct Target {
    uint8_t *data = nullptr;
    Cta *cta = nullptr;
    GlobalRegion *region = nullptr;
    /// Address in shared memory, or offset in the region.
    uint64_t offset = 0;
  };
  struct Actor {
    Event event;
    const Knowledge *knows;
    uint16_t cta;
    /// False for accesses that may be left behind at the exit of a CTA.
    bool mustFinish = true;
    /// The write leaves every byte as it is.
    bool rewrites = false;
  };
  Actor actorOf(const Warp &warp, const Inst &inst) const;
  Target resolve(Warp &warp, uint32_t site, Space space, uint64_t address, uint64_t bytes, const char *what);
  bool access(const Target &target, uint64_t bytes, bool write, const Actor &actor);
  void reportConflict(const Target &target, uint64_t bytes, bool write, const Actor &actor, const Conflict &conflict);
  bool checkAligned(Warp &warp, uint32_t site, uint64_t address, uint64_t alignment, const char *what);
  void load(Warp &warp, const Inst &inst, LaneMask mask);
  void store(Warp &warp, const Inst &inst, LaneMask mask);
  void atomic(Warp &warp, const Inst &inst, LaneMask mask);
  void compareExchange(Warp &warp, const Inst &inst, LaneMask mask);
  void memoryFence(Warp &warp, const Inst &inst);
  void releaseAt(Warp &warp, const Target &target, MemoryOrder order);
  void acquireAt(Warp &warp, const Target &target, MemoryOrder order);
  /// Whether a load that is in flight will write bytes of this access; tells of it.
  bool meetsLdsLoad(const Target &target, uint64_t bytes, bool write, const Actor &actor);
  bool reportLdsLoad(const Target &target, bool write, const Actor &actor, const Conflict &conflict);
  void complainAboutLdsLoad(const Target &target, bool write, const Actor &actor, const Place &load, unsigned warp,
                            uint64_t after);
  void convertAddress(Warp &warp, const Inst &inst, LaneMask mask);
  void storeMatrix(Warp &warp, const Inst &inst, LaneMask mask);
  void loadMatrix(Warp &warp, const Inst &inst, LaneMask mask);

  // WarpOperations.cpp.
  void readSpecial(Warp &warp, const Inst &inst, LaneMask mask);
  void warpOperation(Warp &warp, const Inst &inst, LaneMask mask);
  void shuffle(Warp &warp, const Inst &inst, LaneMask mask);
  void vote(Warp &warp, const Inst &inst, LaneMask mask);
  void redux(Warp &warp, const Inst &inst, LaneMask mask);
  bool checkConverged(Warp &warp, const Inst &inst, LaneMask mask);
  Step setMaxRegisters(Warp &warp, const Inst &inst, LaneMask mask);

  // WaveOperations.cpp, WaveOrder.cpp, BufferOperations.cpp, LdsLoads.cpp, Mfma.cpp: AMD.
  Step executeWave(Warp &warp, const Inst &inst, LaneMask mask);
  void waveLanes(Warp &warp, const Inst &inst, LaneMask mask);
  uint64_t activeLane(Warp &warp, const Inst &inst, LaneMask mask, const uint64_t *source, unsigned lane);
  void moveDataParallel(Warp &warp, const Inst &inst, LaneMask mask);
  Step waveBarrier(Warp &warp, const Inst &inst, LaneMask mask);
  void leaveWaveBarrier(Warp &warp);
  void completeWaveBarrier(Cta &cta);
  void countVectorMemory(Warp &warp, Space space, LaneMask mask, const uint64_t *addresses);
  Step waitCounters(Warp &warp, const Inst &inst);
  bool ldsLoadsDone(const Warp &warp, uint64_t goal) const;
  void coverLdsLoads(Warp &warp, uint64_t goal);
  void drainLdsLoads(Warp &warp);
  struct BufferPlace {
    uint64_t address;
    bool inside;
  };
  bool checkBuffer(Warp &warp, const Inst &inst, const uint32_t *resource, unsigned lane);
  BufferPlace placeInBuffer(Warp &warp, const Inst &inst, const uint32_t *resource, unsigned lane, uint32_t waveOffset,
                            uint64_t fixed, uint64_t bytes);
  void accessBuffer(Warp &warp, const Inst &inst, unsigned lane, bool write, uint8_t *data, unsigned bytes);
  void bufferLoad(Warp &warp, const Inst &inst, LaneMask mask);
  void bufferStore(Warp &warp, const Inst &inst, LaneMask mask);
  void loadToLds(Warp &warp, const Inst &inst, LaneMask mask);
  bool addLdsPiece(Warp &warp, const Inst &inst, unsigned lane, uint64_t destination, Copy &copy);
  void mfma(Warp &warp, const Inst &inst, LaneMask mask);
  uint32_t ldsAgent(const Warp &warp) const { return static_cast<uint32_t>(firstTensorAgent + warp.global); }

  // BarrierOperations.cpp.
  Step namedBarrier(Warp &warp, const Inst &inst, LaneMask mask);
  Step clusterBarrier(Warp &warp, const Inst &inst, LaneMask mask);
  void initMbarrier(Warp &warp, const Inst &inst, LaneMask mask);
  void invalMbarrier(Warp &warp, const Inst &inst, LaneMask mask);
  void arriveMbarrier(Warp &warp, const Inst &inst, LaneMask mask);
  void expectMbarrier(Warp &warp, const Inst &inst, LaneMask mask);
  Step waitMbarrier(Warp &warp, const Inst &inst, LaneMask mask);
  void fence(Warp &warp, const Inst &inst);
  struct BarrierTarget {
    Cta *cta = nullptr;
    Mbarrier *barrier = nullptr;
    uint32_t address = 0;
  };
  BarrierTarget findMbarrier(Warp &warp, uint32_t site, uint64_t address, std::optional<uint32_t> rank,
                             const char *what);
  void acquirePhase(Warp &warp, const Mbarrier &barrier, LaneMask mask);
  void arrive(Warp &warp, uint32_t site, const BarrierTarget &target, uint32_t count);
  void release(Warp &warp);
  void publish(Knowledge &into, const Warp &warp) const;
  void meetLanes(Warp &warp);

  // CopyOperations.cpp, CopyEngine.cpp.
  CopyRef createCopy(Warp &warp, const Inst &inst, Copy::Kind kind);
  void tensorLoad(Warp &warp, const Inst &inst, LaneMask mask);
  void tensorStore(Warp &warp, const Inst &inst, LaneMask mask);
  const TensorMap *tensorMapOf(Warp &warp, const Inst &inst, unsigned lane);
  void cpAsync(Warp &warp, const Inst &inst, LaneMask mask);
  void cpAsyncArrive(Warp &warp, const Inst &inst, LaneMask mask);
  void commitCopies(std::vector<CopyGroups> &groups, LaneMask mask);
  Step waitCopies(Warp &warp, const Inst &inst, LaneMask mask, Wait::Kind kind);
  bool copiesReady(const Warp &warp, LaneMask mask, Wait::Kind kind, unsigned pending) const;
  void schedule(const CopyRef &copy);
  uint64_t delay();
  void fire(size_t index);
  void fireDue();
  void readImage(Copy &copy);
  void bulkCopy(Warp &warp, const Inst &inst, LaneMask mask);
  void remoteStore(Warp &warp, const Inst &inst, LaneMask mask);
  void makeTensorMap(Warp &warp, const Inst &inst, LaneMask mask);
  void print(Warp &warp, const Inst &inst, LaneMask mask);
  void readBulk(Copy &copy);
  void finishBulk(Copy &copy);
  void finishTensorLoad(Copy &copy);
  void completeBytes(const Copy &copy, uint32_t bytes);
  void finishTensorStore(Copy &copy);
  void finishAsync(Copy &copy);
  void reduceInto(uint8_t *target, const uint8_t *source, uint32_t bytes, const Copy &copy);
  Actor actorOf(const Copy &copy) const;
  uint32_t takeAgent(const CopyRef &copy);

  // WarpProducts.cpp.
  void mmaSync(Warp &warp, const Inst &inst, LaneMask mask);

  // MatrixOperations.cpp.
  void wgmma(Warp &warp, const Inst &inst, LaneMask mask);
  Step waitMatrix(Warp &warp, const Inst &inst, LaneMask mask);
  bool agreeOnMatrix(Warp &warp, const Inst &inst, uint64_t a, uint64_t b, bool scaleD);
  struct MatrixOperand;
  bool readMatrix(Warp &warp, const Inst &inst, uint64_t descriptor, MatrixType type, bool transposed, unsigned first,
                  unsigned rows, unsigned k, std::vector<float> &into, const Actor &actor, const char *name);
  bool checkDescriptor(Warp &warp, const Inst &inst, uint64_t descriptor, const char *name);

  // TensorMemoryAccess.cpp: allocation, loads, stores and fences.
  void tensorMemory(Warp &warp, const Inst &inst, LaneMask mask);
  void allocateTensor(Warp &warp, const Inst &inst, LaneMask mask);
  void deallocateTensor(Warp &warp, const Inst &inst, LaneMask mask);
  void moveTensor(Warp &warp, const Inst &inst, LaneMask mask);
  void fenceTensor(Warp &warp, const Inst &inst);
  uint32_t coveredTime(const Warp &warp) const;
  struct TensorRange {
    Cta *cta;
    unsigned lane, column, columns;
  };
  struct TensorActor {
    Event event;
    const Clock *ordered, *generic;
  };
  bool accessTensor(const TensorRange &range, bool write, const TensorActor &actor);
  void checkTensorAtExit(Cta &cta);

  // Tcgen05.cpp: products that accumulate in tensor memory.
  void multiplyTensor(Warp &warp, const Inst &inst, LaneMask mask);
  void commitTensor(Warp &warp, const Inst &inst, LaneMask mask);
  void finishCommit(Copy &copy);
  struct TensorProduct;
  static std::string problemOf(TensorProduct &product);
  bool readSharedRows(TensorProduct &product, bool isA, unsigned cta, unsigned rows, std::vector<float> &into);
  bool readTensorRows(TensorProduct &product, unsigned cta, unsigned rows, std::vector<float> &into);
  bool multiplyInto(TensorProduct &product, unsigned cta, const std::vector<float> &a, const std::vector<float> &b);
  // Tcgen05Scales.cpp: factors of blocks of K.
  static std::string scaleProblemOf(const TensorProduct &product);
  bool readScales(TensorProduct &product, bool isA, unsigned rows, std::vector<float> &into);
  void copyToTensor(Warp &warp, const Inst &inst, LaneMask mask);
  uint32_t tensorAgent(const Warp &warp) const { return static_cast<uint32_t>(firstTensorAgent + warp.global); }

  // LaunchControl.cpp.
  void requestLaunch(Warp &warp, const Inst &inst, LaneMask mask);
  void finishLaunchAnswer(Copy &copy);
  void readLaunchAnswer(Warp &warp, const Inst &inst, LaneMask mask);
  std::array<uint32_t, 3> firstCtaOf(unsigned cluster) const;

  // Reports.cpp: findings with everything that is known about the places.
  Place placeOf(uint16_t warp, uint32_t site) const;
  Finding finding(FindingKind kind, const Warp &warp, uint32_t site, std::string message) const;
  void report(FindingKind kind, const Warp &warp, uint32_t site, std::string message);
  void nameBuffer(Finding &finding, uint32_t address) const;
  void nameBarrier(Finding &finding, uint32_t address) const;
  std::string describeBarrier(uint32_t address) const;
  void reportDeadlock();
  std::vector<std::string> explainMbarrier(const Warp &warp) const;
  void explainNeighbours(const Cta &cta, uint32_t address, std::vector<std::string> &notes) const;

  uint64_t *lanes(Warp &warp, uint32_t slot) const {
    return warp.registers.get() + (static_cast<uint64_t>(slot) << program.laneShift);
  }
  uint64_t laneValue(const Warp &warp, uint32_t slot, unsigned lane) const {
    return warp.registers[(static_cast<uint64_t>(slot) << program.laneShift) + lane];
  }
  WarpGroup &groupOf(const Warp &warp) { return ctas[warp.cta].groups[warp.index / 4]; }
  uint32_t &ownTime(Warp &warp) { return warp.knows.generic[warp.global]; }

  const Program &program;
  const Launch &launch;
  const Options &options;
  GlobalMemory &global;
  FindingLog &log;
  Timeline *timeline;
  unsigned clusterIndex;
  /// It has accessed global memory by atomics or volatile loads, and so may have heard of other clusters.
  bool usesAtomics = false;
  std::array<uint32_t, 3> firstCta{};
  Random random;
  uint64_t now = 0;
  std::vector<Cta> ctas;
  std::vector<Warp> warps;
  NamedBarrier clusterBarrierState;
  std::vector<CopyRef> flying;
  LaunchQueue &queue;
  /// The answer to the last request for another cluster was no.
  bool launchRefused = false;
  size_t agents = 0, firstCopyAgent = 0, firstTensorAgent = 0;
  std::vector<CopyRef> copyAgents;
  std::vector<uint32_t> copyTimes;
  size_t nextCopyAgent = 0;
  /// Warps that have not exited, and looks at global memory in this slice of the run.
  size_t live = 0;
  uint64_t polls = 0;
  /// Waves: whether ordinary loads and stores count in vmcnt. The assembler merges, splits and moves them, so that a
  /// wait may not rely on their number; which of both it is in this run says the seed.
  bool countsOrdinary = true;
  /// What a releasing access left behind at an address, for the acquiring one of the same cluster: clocks of different
  /// clusters cannot be compared.
  std::map<uint64_t, Knowledge> releaseTimes;
};

} // namespace tlx::emu

#endif
