// A call of a builtin whose arguments are bound: what each handler of the table works on. Accessors report what does
// not fit, at the argument.
#ifndef TLX_SPECIALIZE_CALL_H
#define TLX_SPECIALIZE_CALL_H

#include "Builtins.h"
#include "Emitter.h"
#include "tlx/Dialect/TLXDialect.h"

namespace tlx::specialize {

class Specializer;

struct BoundArgument {
  BuiltinParameter parameter;
  Datum value;
  /// Of the argument; of the whole call when the default stands.
  SourceRange range;
  bool isGiven = false;
};

class Call {
public:
  Call(Specializer &specializer, Emitter &emit, const Builtin &builtin, SourceRange range)
      : specializer(specializer), emit(emit), builtin(builtin), range(range) {}

  const BoundArgument &argument(llvm::StringRef name) const;
  const Datum &operator[](llvm::StringRef name) const { return argument(name).value; }
  bool given(llvm::StringRef name) const { return argument(name).isGiven && !argument(name).value.isNone(); }

  diag::Builder error(diag::Kind kind, llvm::StringRef name) { return emit.sink.error(kind, argument(name).range); }
  /// An option of the language that this compiler does not have yet: an error when it is used.
  mlir::LogicalResult refuse(llvm::StringRef name);

  // Compile-time arguments.
  mlir::FailureOr<int64_t> integer(llvm::StringRef name);
  mlir::FailureOr<bool> boolean(llvm::StringRef name);
  mlir::FailureOr<std::string> string(llvm::StringRef name);
  mlir::FailureOr<DType> dtype(llvm::StringRef name);
  mlir::FailureOr<llvm::SmallVector<int64_t>> integers(llvm::StringRef name);
  /// A shape given as one sequence or as separate arguments, in a `*rest` parameter.
  mlir::FailureOr<llvm::SmallVector<int64_t>> integersOfRest(llvm::StringRef name);

  // Run-time arguments.
  mlir::FailureOr<mlir::Value> i32(llvm::StringRef name);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> offsets(llvm::StringRef name, unsigned rank);
  /// Null when the argument is None or constant true.
  mlir::FailureOr<mlir::Value> predicate(llvm::StringRef name);
  mlir::FailureOr<IRValue> number(llvm::StringRef name);
  mlir::FailureOr<IRValue> tile(llvm::StringRef name);
  /// One selected buffer; several are an error that says to choose.
  mlir::FailureOr<mlir::TypedValue<BufferType>> buffer(llvm::StringRef name);
  mlir::FailureOr<mlir::TypedValue<BarrierType>> barrier(llvm::StringRef name);
  mlir::FailureOr<mlir::TypedValue<DescriptorType>> descriptor(llvm::StringRef name);

  Specializer &specializer;
  Emitter &emit;
  const Builtin &builtin;
  SourceRange range;
  llvm::SmallVector<BoundArgument> arguments;

private:
  mlir::LogicalResult wrongType(llvm::StringRef name, llvm::StringRef wanted);
  mlir::FailureOr<mlir::Value> i32Of(const Datum &value, SourceRange range, llvm::StringRef name);
};

} // namespace tlx::specialize

#endif
