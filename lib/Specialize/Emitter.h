// Emits arithmetic on values: constants, conversions, broadcasting, operators. Knows types, not the syntax tree.
#ifndef TLX_SPECIALIZE_EMITTER_H
#define TLX_SPECIALIZE_EMITTER_H

#include "Datum.h"
#include "Fold.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "tlx/Source/SourceFile.h"
#include "tlx/Support/Diagnostics.h"

namespace tlx::specialize {

/// The file of functions of the language that are written in the language (Library.tlx).
inline constexpr FileId libraryFile = noFile - 1;

using OptionalLocation = std::optional<mlir::Location>;

class Emitter {
public:
  Emitter(mlir::MLIRContext &context, const SourceManager &files, diag::Sink &sink)
      : builder(&context), files(files), sink(sink) {}

  /// While it lives, operations and errors are placed at `range`.
  class At {
  public:
    At(Emitter &emitter, SourceRange range) : emitter(emitter), outer(emitter.range) {
      // Library text is not the user's: what it emits stands where the user called it.
      if (range.isKnown() && range.file != libraryFile)
        emitter.range = range;
    }
    ~At() { emitter.range = outer; }
    At(const At &) = delete;
    At &operator=(const At &) = delete;

  private:
    Emitter &emitter;
    SourceRange outer;
  };

  mlir::Location location() const;
  diag::Builder error(diag::Kind kind) { return sink.error(kind, range); }
  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, location(), std::forward<Args>(args)...);
  }
  mlir::MLIRContext *context() { return builder.getContext(); }

  // Constants.
  mlir::Value i32(int64_t value);
  /// A Python number as a scalar or, with a shape, a tile; fails when it does not fit.
  mlir::FailureOr<IRValue> literal(const Datum &number, DType type, llvm::ArrayRef<int64_t> shape = {});
  /// IR values as they are, Python numbers in the type they have on their own.
  mlir::FailureOr<IRValue> asIR(const Datum &value);

  // Conversions.
  mlir::FailureOr<IRValue> cast(IRValue value, DType type);
  mlir::FailureOr<IRValue> bitcast(IRValue value, DType type);
  /// Numbers take the type directly, IR values are cast.
  mlir::FailureOr<IRValue> convert(const Datum &value, DType type);
  mlir::FailureOr<IRValue> broadcast(IRValue value, llvm::ArrayRef<int64_t> shape);
  IRValue expandDims(IRValue value, unsigned axis);
  /// An i1 that is true where the value is not zero.
  mlir::FailureOr<IRValue> asCondition(const Datum &value);
  /// The same for control flow, which takes one value for the whole task.
  mlir::FailureOr<mlir::Value> asScalarCondition(const Datum &value);
  /// The shape that both broadcast to.
  mlir::FailureOr<llvm::SmallVector<int64_t>> joinShapes(llvm::ArrayRef<int64_t> left, llvm::ArrayRef<int64_t> right);
  mlir::Type typeOf(DType element, llvm::ArrayRef<int64_t> shape);
  /// Extents of tiles are powers of two.
  mlir::LogicalResult checkExtents(llvm::ArrayRef<int64_t> shape);

  // Operators.
  Result binary(ast::BinaryOp op, const Datum &left, const Datum &right);
  Result unary(ast::UnaryOp op, const Datum &operand);
  Result compare(ast::CompareOp op, const Datum &left, const Datum &right);
  Result extremum(bool isMax, const Datum &left, const Datum &right, bool propagatesNaN = false);
  Result select(const Datum &condition, const Datum &thenValue, const Datum &elseValue);
  /// Both operands in their common type and shape.
  mlir::FailureOr<std::pair<IRValue, IRValue>> unify(const Datum &left, const Datum &right, bool isDivision);

  mlir::OpBuilder builder;
  const SourceManager &files;
  diag::Sink &sink;
  SourceRange range;
  /// Where the function that is being inlined was called.
  OptionalLocation callSite;

private:
  mlir::Location fileLocation() const;
  Result integerBinary(ast::BinaryOp op, IRValue left, IRValue right);
  Result floatBinary(ast::BinaryOp op, IRValue left, IRValue right);
  Result pointerBinary(ast::BinaryOp op, const Datum &left, const Datum &right);
  mlir::FailureOr<IRValue> castFloat(IRValue value, DType type);
  mlir::FailureOr<IRValue> castInteger(IRValue value, DType type);
  mlir::FailureOr<IRValue> castToBool(IRValue value);
};

} // namespace tlx::specialize

#endif
