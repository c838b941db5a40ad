// Element types of the language. MLIR's integers carry no sign, so the sign lives here.
#ifndef TLX_SPECIALIZE_DTYPE_H
#define TLX_SPECIALIZE_DTYPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tlx::specialize {

enum class ScalarKind {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4M3,
  F8E5M2,
  F8E4B8,
  F8E5B16,
  F16,
  BF16,
  F32,
  F64,
  Void
};

/// A scalar type, or a pointer to one.
struct DType {
  ScalarKind kind = ScalarKind::I32;
  bool isPointer = false;

  bool operator==(const DType &) const = default;

  bool isBool() const { return !isPointer && kind == ScalarKind::Bool; }
  bool isInteger() const { return !isPointer && kind <= ScalarKind::U64; }
  bool isFloat() const { return !isPointer && kind >= ScalarKind::F8E4M3 && kind <= ScalarKind::F64; }
  bool isFloat8() const { return !isPointer && kind >= ScalarKind::F8E4M3 && kind <= ScalarKind::F8E5B16; }
  /// The 8-bit floats without minus zero and infinities (FNUZ).
  bool isFNUZ() const { return isFloat8() && kind >= ScalarKind::F8E4B8; }
  /// Bool counts as unsigned: it is extended with zeros.
  bool isSigned() const { return kind >= ScalarKind::I8 && kind <= ScalarKind::I64; }
  /// Width of the scalar (of the pointee for a pointer).
  unsigned bits() const;
  unsigned bytes() const { return bits() < 8 ? 1 : bits() / 8; }
  DType pointee() const { return {kind, false}; }
  DType pointer() const { return {kind, true}; }

  mlir::Type toMLIR(mlir::MLIRContext *context) const;
  /// `fp16`, `*fp32`, `i1`: as type strings write it.
  std::string name() const;
};

/// Reads `fp16`, `i32`, `*fp16`, and the names of `tl` (`float16`, `int32`).
std::optional<DType> parseDType(llvm::StringRef text);
/// The type that both operands of an operator take. Division of 16-bit floats happens in f32.
DType promote(DType left, DType right, bool isDivision);
/// The type that a Python number takes beside a run-time operand of type `other`.
DType promoteLiteral(DType literal, DType other, bool isDivision);

} // namespace tlx::specialize

#endif
