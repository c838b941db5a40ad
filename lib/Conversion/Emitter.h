// Emits the code of one thread for a kernel of tiles. Tiles become lists of registers in the order of their layout;
// structured control flow becomes blocks. One source file for each family of operations.
//
// 16-bit floats are held as vector<2xT> of two consecutive registers, so that they take half the registers, and the
// fast packed forms of conversions, arithmetic and matrix operands apply.
#ifndef TLX_LIB_CONVERSION_EMITTER_H
#define TLX_LIB_CONVERSION_EMITTER_H

#include "Machine.h"
#include "tlx/Dialect/LayoutConversion.h"
#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/ThreadDialect.h"
#include "tlx/Layout/RegisterAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace tlx {

class PairOp;
class DropAxisOp;
class GatherOp;
class HistogramOp;
class LocalGatherOp;
class LocalScatterOp;
class FmaDotOp;
class AtomicCasOp;
class PointerCastOp;
class InlineAssemblyOp;
class PrintOp;
class AssertOp;
class BallotOp;
class PrefetchOp;
class RemoteStoreOp;
class MakeDescriptorOp;
class MfmaDotOp;
class MmaDotOp;

using Registers = mlir::SmallVector<mlir::Value>;

/// A tile type seen from one thread.
struct TileInfo {
  layout::LinearLayout layout;
  /// Register indices that hold elements of the tile, ascending.
  mlir::SmallVector<int> used;
  mlir::SmallVector<int64_t> shape;
  /// LLVM type of one element.
  mlir::Type element;
  /// Elements in one emitted value: 2 for 16-bit floats where the count is even, else 1.
  int pack = 1;

  int elementCount() const { return used.size(); }
  int valueCount() const { return used.size() / pack; }
  /// Coordinates of used element `i` in lane 0 of warp 0.
  layout::Coords coords(int i) const { return layout.at(used[i], 0, 0); }
};

/// Which threads run the code being emitted.
struct TaskContext {
  int firstWarp = 0;
  int warps = 0;
  /// Named barrier of the task's own meetings; -1 for one warp; 0 is the whole kernel's.
  int barrierId = 0;
  /// Only one thread runs: nothing needs to meet or to be elected.
  bool singleThread = false;
};

class Emitter {
public:
  Emitter(mlir::func::FuncOp kernel, mlir::OpBuilder builder);

  /// Emits the whole kernel and erases the original.
  mlir::LogicalResult run();

private:
  //===-- kernel and control flow (Kernel.cpp, ControlFlow.cpp, Tasks.cpp) --===//
  mlir::LLVM::LLVMFuncOp createFunction();
  void describeKernel(mlir::LLVM::LLVMFuncOp function);
  void emitEntry();
  void initializeBarriers();
  void allocateTensorMemory();
  void releaseTensorMemory();
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitControlFlow(mlir::Operation *op, bool &handled);
  mlir::LogicalResult emitFor(mlir::scf::ForOp op);
  void skewHalves(bool laterWaits);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult emitTasks(AsyncTasksOp op);
  mlir::LogicalResult emitTask(AsyncTasksOp op, unsigned index, mlir::Block *join);
  mlir::LogicalResult dispatchGroup(AsyncTasksOp op, int group, mlir::Block *join);
  void emitRegisterBudget(AsyncTasksOp op, int group);
  void emitReturn();

  //===-- families; each returns true when the operation was its own --===//
  mlir::FailureOr<bool> emitElementwise(mlir::Operation *op);
  mlir::FailureOr<bool> emitView(mlir::Operation *op);
  mlir::FailureOr<bool> emitGlobalMemory(mlir::Operation *op);
  mlir::FailureOr<bool> emitSharedMemory(mlir::Operation *op);
  mlir::FailureOr<bool> emitCopy(mlir::Operation *op);
  mlir::FailureOr<bool> emitBarrier(mlir::Operation *op);
  mlir::FailureOr<bool> emitMatrix(mlir::Operation *op);
  mlir::FailureOr<bool> emitAlongAxis(mlir::Operation *op);
  mlir::FailureOr<bool> emitLookup(mlir::Operation *op);
  mlir::FailureOr<bool> emitBulkCopy(mlir::Operation *op);
  mlir::FailureOr<bool> emitObservation(mlir::Operation *op);
  mlir::FailureOr<bool> emitMadeDescriptor(mlir::Operation *op);
  mlir::FailureOr<bool> emitTensorMemory(mlir::Operation *op);
  mlir::FailureOr<bool> emitLaunchControl(mlir::Operation *op);

  void emitCloned(mlir::Operation *op);
  void emitTruncation(mlir::arith::TruncFOp op);
  void emitToFloat8(mlir::Operation *op);
  void emitFromFloat8(mlir::Operation *op);
  void emitRange(RangeOp op);
  void emitSplat(mlir::Value result, mlir::Value scalar);
  void renameRegisters(mlir::Value source, mlir::Value result,
                       llvm::function_ref<layout::Coords(mlir::ArrayRef<int32_t>)> sourceCoords);
  void emitSplit(SplitOp op);
  void emitJoin(JoinOp op);
  void emitConvertLayout(ConvertLayoutOp op);
  void convertThroughShared(ConvertLayoutOp op, const TileInfo &from, const TileInfo &to);
  void emitReduce(ReduceOp op);
  mlir::Value combine(Combine kind, mlir::Value a, mlir::Value b);
  void reduceAcrossWarps(ReduceOp op, const TileInfo &from, mlir::ArrayRef<layout::Coords> places, Registers &partial);
  void emitAddPtr(AddPtrOp op);
  void emitPointerCast(PointerCastOp op);
  void emitLoad(LoadOp op);
  Registers loadElements(mlir::Operation *access, mlir::ArrayRef<mlir::Value> pointers,
                         mlir::ArrayRef<mlir::Value> masks, mlir::ArrayRef<mlir::Value> others, mlir::Type element,
                         bool isVolatile);
  void emitStore(StoreOp op);
  /// What an access stays in: the first `bytes` from an address that is the same in all threads. Null where unknown.
  struct AccessRange {
    mlir::Value base;
    int64_t bytes = 0;
    explicit operator bool() const { return base != nullptr; }
  };
  AccessRange rangeOf(mlir::Operation *access, mlir::Value pointers);
  /// The offset of `pointer` in the range; beyond it where the condition (none when null) does not hold.
  mlir::Value offsetInRange(const AccessRange &range, mlir::Value pointer, mlir::Value condition);
  mlir::LogicalResult emitAtomic(AtomicOp op);
  mlir::LogicalResult emitAtomicCas(AtomicCasOp op);
  using AtomicBody = llvm::function_ref<mlir::Value(size_t)>;
  void emitOncePerElement(mlir::Operation *op, mlir::Value pointers, mlir::Value mask, AtomicBody body);
  mlir::LogicalResult emitPair(PairOp op);
  Registers exchangeWithWarp(mlir::Operation *op, int warpBit, const Registers &held);
  void emitDropAxis(DropAxisOp op);
  void emitGather(GatherOp op);
  void emitHistogram(HistogramOp op);
  void emitLocalGather(LocalGatherOp op);
  void emitLocalScatter(LocalScatterOp op);
  mlir::LogicalResult emitFmaDot(FmaDotOp op);
  mlir::FailureOr<bool> emitAMD(mlir::Operation *op);
  mlir::LogicalResult emitMfmaDot(MfmaDotOp op);
  mlir::LogicalResult emitMmaDot(MmaDotOp op);
  mlir::LogicalResult emitInlineAssembly(InlineAssemblyOp op);
  void emitPrint(PrintOp op);
  void emitAssert(AssertOp op);
  mlir::LogicalResult emitBallot(BallotOp op);
  void emitPrefetch(PrefetchOp op);
  void emitRemoteStore(RemoteStoreOp op);
  mlir::LogicalResult emitMakeDescriptor(MakeDescriptorOp op);
  void emitLocalLoad(LocalLoadOp op);
  void emitLocalStore(LocalStoreOp op);
  mlir::LogicalResult emitAsyncLoad(AsyncLoadOp op);
  bool emitCopyByLanes(mlir::Operation *op);
  void emitLaneCopy(AsyncLoadOp op, int bytes);
  void emitCopyThroughRegisters(AsyncLoadOp op);
  void separateCopiesFromLoads();
  void emitTMALoad(TMALoadOp op);
  void emitTMAStore(TMAStoreOp op);
  mlir::LogicalResult emitAsyncDot(AsyncDotOp op);

protected:
  friend struct SharedAccess;
  friend struct MatrixOperand;
  friend struct TensorMemoryAccess;
  friend class MatrixReader;
  friend class MmaOperand;
  friend class MmaEmission;

  //===-- values --===//
  const TileInfo &tileInfo(mlir::Type type);
  Registers &values(mlir::Value value);
  mlir::Value scalar(mlir::Value value) { return values(value)[0]; }
  void setValues(mlir::Value value, Registers registers) { map[value] = std::move(registers); }
  /// Elements of a tile one by one, whatever they are packed in.
  Registers elements(mlir::Value tile);
  void setElements(mlir::Value tile, mlir::ArrayRef<mlir::Value> elements);
  /// Consecutive values of 8, 16 or 32 bits, or pairs of 16, as words of 32 bits: how matrix instructions take them.
  Registers asWords(mlir::ArrayRef<mlir::Value> values);
  Registers packElements(const TileInfo &info, mlir::ArrayRef<mlir::Value> elements);
  Registers unpackElements(const TileInfo &info, mlir::ArrayRef<mlir::Value> values);
  /// LLVM types of a value of this type, one for each emitted value.
  mlir::SmallVector<mlir::Type> emittedTypes(mlir::Type type);
  mlir::Type elementType(mlir::Type type);

  //===-- small code --===//
  mlir::Value i32(int64_t value);
  mlir::Value i1(bool value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value addConstant(mlir::Value a, int64_t constant);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value equals(mlir::Value a, int64_t constant);
  mlir::Value less(mlir::Value a, int64_t constant);
  /// `base` + `offset` bytes.
  mlir::Value offsetPointer(mlir::Value base, mlir::Value offset);
  mlir::Value offsetPointer(mlir::Value base, int64_t offset);
  /// XOR of `contributions[i]` over the set bits i of `index`: how every layout turns a thread into a number.
  mlir::Value linearCombination(mlir::Value index, mlir::ArrayRef<int64_t> contributions);
  /// The part of an F2-linear function of the coordinates that lane and warp decide.
  mlir::Value threadPart(const layout::LinearLayout &layout,
                         llvm::function_ref<int64_t(mlir::ArrayRef<int32_t>)> function);
  /// Emits `body` for threads where `condition` holds (all when null).
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Values of `body` where `condition` holds, else `otherwise`.
  Registers whenElse(mlir::Value condition, llvm::function_ref<Registers()> body,
                     mlir::ArrayRef<mlir::Value> otherwise);

  //===-- threads of the task --===//
  /// Thread 0 of the task; null when only it runs.
  mlir::Value isLeader(mlir::Value also = {});
  /// This thread is the first of its warp group.
  mlir::Value isGroupLeader(mlir::Value also = {});
  mlir::Value warpInTask();
  void taskBarrier();
  /// What lane `laneId ^ mask` holds.
  mlir::Value shuffleXor(mlir::Value value, int mask);
  /// Number of this thread among those of the task.
  mlir::Value threadInTask();
  /// Lanes and warps that hold the first copy of each element; null when there are no copies.
  mlir::Value holdsFirstCopy(const layout::LinearLayout &layout);

  mlir::Value sharedBase(int64_t offset);

  mlir::func::FuncOp kernel;
  std::unique_ptr<Machine> machine;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::LLVM::LLVMFuncOp function;
  llvm::DenseMap<mlir::Value, Registers> map;
  llvm::DenseMap<mlir::Type, TileInfo> infos;
  TaskContext task;
  /// Thread and warp numbers in the CTA, lane number; emitted once at entry.
  mlir::Value threadId, warpId, laneId, shared;
  /// Address of the kernel's tensor memory; null in kernels that have none.
  mlir::Value tensorMemory;
  bool inCluster = false;
};

/// How an element lies in memory: booleans take a byte.
mlir::Type storedType(mlir::OpBuilder &b, mlir::Type element);
int storedBytes(mlir::Type stored);

/// Arith and math on scalars and vectors to the LLVM dialect, in place.
mlir::LogicalResult convertScalarOps(mlir::ModuleOp module);

} // namespace tlx

#endif
