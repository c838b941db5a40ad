// The variables that a run-time loop hands from one iteration to the next.
#ifndef TLX_SPECIALIZE_CARRIEDVARIABLES_H
#define TLX_SPECIALIZE_CARRIEDVARIABLES_H

#include "Specializer.h"

namespace tlx::specialize {

class CarriedVariables {
public:
  explicit CarriedVariables(Specializer &specializer) : specializer(specializer) {}

  /// Finds names that the body assigns and that have a value now; numbers become IR values.
  mlir::LogicalResult collect(ast::Body body);
  mlir::ValueRange initial() const { return inits; }
  llvm::SmallVector<mlir::Type> types() const { return llvm::to_vector(mlir::ValueRange(inits).getTypes()); }
  /// Binds the names to the values of this iteration.
  void enter(mlir::ValueRange values);
  /// What the body leaves in the names, in the same types; an error where a type changed.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> yields();
  /// Back to the names of before the loop, with the carried ones bound to its results.
  void leave(mlir::ValueRange results);

private:
  struct Variable {
    llvm::StringRef name;
    /// With null IR values where the loop carries.
    Datum shape;
    Binding before;
  };
  mlir::FailureOr<Datum> open(const Datum &value);
  mlir::LogicalResult close(const Variable &variable, const Datum &shape, const Datum &after,
                            llvm::SmallVectorImpl<mlir::Value> &values);
  mlir::LogicalResult changed(const Variable &variable, const Datum &before, const Datum &after);

  Specializer &specializer;
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<mlir::Value> inits;
  Names before;
};

} // namespace tlx::specialize

#endif
