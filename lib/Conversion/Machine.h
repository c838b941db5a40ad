// What the code of one thread asks of the machine: operations that every GPU has and each spells in its own way. What
// only some have stands with the families of operations that use it.
#ifndef TLX_LIB_CONVERSION_MACHINE_H
#define TLX_LIB_CONVERSION_MACHINE_H

#include "tlx/Arch/Arch.h"
#include "tlx/Dialect/TLXDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include <memory>

namespace tlx {

class Machine {
public:
  static std::unique_ptr<Machine> of(const Arch &arch);
  virtual ~Machine() = default;

  const Arch &target() const { return arch; }
  /// Lanes of one warp.
  int lanes() const { return static_cast<int>(arch.warpSize); }

  /// Says on the function that it is a kernel of that many threads, of which a multiprocessor is to hold `blocks`.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp function, int threads, int blocks) const = 0;
  /// How LLVM names the threads that see each other: of one block, of the GPU.
  virtual llvm::StringRef blockScope() const = 0;
  virtual llvm::StringRef deviceScope() const = 0;

  //===-- who runs --===//
  virtual mlir::Value threadId(mlir::OpBuilder &b, mlir::Location loc) const = 0;
  virtual mlir::Value programId(mlir::OpBuilder &b, mlir::Location loc, int axis) const = 0;
  virtual mlir::Value programCount(mlir::OpBuilder &b, mlir::Location loc, int axis) const = 0;
  /// An i32 that is the same in all lanes, so that the code generator knows it.
  virtual mlir::Value uniform(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value) const = 0;
  virtual mlir::Value clock(mlir::OpBuilder &b, mlir::Location loc) const = 0;

  //===-- meeting and exchanging --===//
  virtual void blockBarrier(mlir::OpBuilder &b, mlir::Location loc) const = 0;
  /// Lanes of a warp see each other's accesses to memory.
  virtual void warpBarrier(mlir::OpBuilder &b, mlir::Location loc) const = 0;
  /// The 32-bit word of lane `lane ^ mask`.
  virtual mlir::Value shuffleXor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value word, mlir::Value lane,
                                 int mask) const = 0;
  /// A bit for each of the 32 lanes of `among`, as i32; null where warps are wider.
  virtual mlir::Value vote(mlir::OpBuilder &b, mlir::Location loc, int32_t among, mlir::Value predicate) const = 0;

  /// Whether a kernel can print and stop its launch.
  virtual bool reports() const = 0;

  //===-- numbers --===//
  virtual mlir::Value approximate(mlir::OpBuilder &b, mlir::Location loc, ApproxFunction function,
                                  mlir::Value x) const = 0;
  /// Two f32 rounded to a pair of 16-bit floats of `type`.
  virtual mlir::Value pack(mlir::OpBuilder &b, mlir::Location loc, mlir::VectorType type, mlir::Value low,
                           mlir::Value high) const = 0;
  /// Two f32 rounded to 8-bit floats of `type`, beyond whose range the largest stands, as a pair of bytes.
  virtual mlir::Value toFloat8(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, mlir::Value low,
                               mlir::Value high) const = 0;
  /// A pair of 8-bit floats in bytes as a pair of f16 or f32.
  virtual mlir::Value fromFloat8(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, mlir::Value bytes) const = 0;
  /// Whether it converts 8-bit floats of this type itself.
  bool hasFloat8(mlir::Type type) const;

  /// Brings the line at `pointer` nearer, where the machine takes such hints.
  virtual void prefetch(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, llvm::StringRef level) const = 0;

  /// Whether accesses can leave out what lies beyond a range.
  virtual bool checksRanges() const { return false; }
  /// Loads what lies `offset` bytes (i32) from `base`, or stores it there; what reaches beyond the first `bytes` is
  /// zero, or not stored. Only where the machine checks ranges.
  virtual mlir::Value loadInRange(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, mlir::Value base,
                                  int64_t bytes, mlir::Value offset) const;
  virtual void storeInRange(mlir::OpBuilder &b, mlir::Location loc, mlir::Value data, mlir::Value base, int64_t bytes,
                            mlir::Value offset) const;

protected:
  explicit Machine(const Arch &arch) : arch(arch) {}
  static mlir::Value i32(mlir::OpBuilder &b, mlir::Location loc, int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }

  const Arch &arch;
};

/// The two kinds there are.
std::unique_ptr<Machine> makeNVIDIAMachine(const Arch &arch);
std::unique_ptr<Machine> makeAMDMachine(const Arch &arch);

/// One of the 8-bit float types.
inline bool isFloat8(mlir::Type type) {
  return mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type, mlir::Float8E4M3FNUZType, mlir::Float8E5M2FNUZType>(
      type);
}

} // namespace tlx

#endif
