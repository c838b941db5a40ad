// Turns one kernel of the LLVM, NVVM and thread dialects into a Program.
#ifndef TLX_EMULATOR_DECODER_H
#define TLX_EMULATOR_DECODER_H

#include "Program.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace tlx::emu {

/// A scalar part of a value: an integer or a pointer of `bits`, or a float.
struct Scalar {
  bool isFloat = false, isPointer = false;
  FloatKind kind = FloatKind::F32;
  unsigned bits = 0;
  Space space = Space::Generic;
};

class Decoder {
public:
  Decoder(mlir::ModuleOp module, mlir::LLVM::LLVMFuncOp kernel) : module(module), kernel(kernel) {}
  llvm::Expected<Program> decode();

private:
  using Slots = llvm::SmallVector<uint32_t, 4>;

  // Structure of the function (Decode.cpp).
  bool readAttributes();
  bool readRanges(llvm::StringRef name, std::vector<NamedRange> &into);
  bool createArguments();
  bool decodeTerminator(mlir::Operation *op);
  uint32_t addEdge(mlir::Block *target, mlir::ValueRange operands);
  bool decodeOperation(mlir::Operation *op);

  // Families of operations; each returns false when the operation is not of the family, or after fail().
  bool decodeConstant(mlir::Operation *op);
  bool decodeElementwise(mlir::Operation *op);
  bool decodeConversion(mlir::Operation *op);
  bool decodeVector(mlir::Operation *op);
  bool decodeAddress(mlir::Operation *op);
  bool decodeMemory(mlir::Operation *op);
  bool decodeCall(mlir::Operation *op);
  bool decodeSpecialRegister(mlir::Operation *op);
  bool decodeWarp(mlir::Operation *op);
  bool decodeBarrier(mlir::Operation *op);
  bool decodeMbarrier(mlir::Operation *op);
  bool decodeFence(mlir::Operation *op);
  bool decodeBulk(mlir::Operation *op);
  bool decodeReport(mlir::Operation *op);
  bool decodeCopy(mlir::Operation *op);
  bool decodeMatrix(mlir::Operation *op);
  bool decodeWarpProduct(mlir::Operation *op);
  bool decodeTensorMemory(mlir::Operation *op);
  bool decodeTensorMove(mlir::Operation *op);
  bool decodeTensorProduct(mlir::Operation *op);
  bool decodeLaunchControl(mlir::Operation *op);
  /// Starts an instruction on tensor memory; `pair`: the pair of CTAs takes part.
  Inst &emitTensor(mlir::Operation *op, Opcode opcode, bool pair = false);
  /// Gives the results slots in a row, the first being the instruction's.
  void defineAll(Inst &inst, mlir::ValueRange results);
  bool decodeNumbers(mlir::Operation *op);
  // AMD (DecodeWave.cpp, DecodeBuffer.cpp, DecodeMfma.cpp).
  bool decodeWave(mlir::Operation *op);
  bool decodeWaveLanes(mlir::Operation *op);
  bool decodeWaveOrder(mlir::Operation *op);
  bool decodeWaveNumbers(mlir::Operation *op);
  bool decodeBuffer(mlir::Operation *op);
  bool decodeLoadToLds(mlir::Operation *op);
  bool decodeMfma(mlir::Operation *op);
  bool decodeScaledMfma(mlir::Operation *op);
  bool readWaveAttributes();
  bool readSharedAttributes(uint32_t limit);

  // Building blocks.
  bool fail(mlir::Operation *op, const llvm::Twine &why);
  uint32_t siteOf(mlir::Operation *op);
  std::optional<Scalar> scalarOf(mlir::Type type);
  /// The scalar parts of a type; false when it holds something else.
  bool flatten(mlir::Type type, llvm::SmallVectorImpl<Scalar> &parts);
  uint32_t newSlots(unsigned count);
  uint32_t constantSlot(uint64_t bits);
  /// A slot that nobody has written.
  uint32_t undefinedSlot();
  llvm::ArrayRef<uint32_t> slotsOf(mlir::Value value);
  uint32_t slotOf(mlir::Value value) { return slotsOf(value).front(); }
  /// Gives `value` fresh consecutive slots and returns the first.
  uint32_t define(mlir::Value value);
  void alias(mlir::Value value, llvm::ArrayRef<uint32_t> slots) { values[value] = Slots(slots); }
  Inst &emit(mlir::Operation *op, Opcode opcode);
  void setOperands(Inst &inst, llvm::ArrayRef<uint32_t> slots);
  void setOperands(Inst &inst, mlir::ValueRange range);
  std::optional<int64_t> constantOf(mlir::Value value);

  mlir::ModuleOp module;
  mlir::LLVM::LLVMFuncOp kernel;
  Program program;
  std::string error;
  mlir::Operation *current = nullptr;
  llvm::DenseMap<mlir::Value, Slots> values;
  llvm::DenseMap<mlir::Block *, uint32_t> blockIndex;
  llvm::DenseMap<uint64_t, uint32_t> constantSlots;
};

/// Fills in BasicBlock::postDominator (PostDominators.cpp).
void findPostDominators(std::vector<BasicBlock> &blocks);
/// Marks what has to be looked after while the program runs (WatchedRegisters.cpp).
void findWatched(Program &program);

} // namespace tlx::emu

#endif
