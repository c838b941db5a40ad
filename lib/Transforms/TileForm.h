//===- TileForm.h - tiles of integers and addresses that are linear in their indices --------------------===//

#ifndef TLX_TRANSFORMS_TILEFORM_H
#define TLX_TRANSFORMS_TILEFORM_H

#include "ScalarPolynomial.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx {

/// An index that is taken modulo a size: `index + offset` along an axis is what it is only below `size`.
struct Wrap {
  unsigned axis;
  Polynomial offset, size;
};

/// Element (i, j, ...) is `base + along[0] * i + along[1] * j + ...`; of an address, in elements from `pointer`.
struct TileForm {
  Polynomial base;
  llvm::SmallVector<Polynomial, 2> along;
  /// A scalar address, null for integers.
  mlir::Value pointer;
  /// Where the element is another one, from the size on.
  llvm::SmallVector<Wrap, 1> wraps;
};

/// Finds the forms of a kernel's tiles. What a loop adds the same to in every iteration is a form, too.
class TileForms {
public:
  /// Nothing when the tile is not linear in its indices.
  std::optional<TileForm> of(mlir::Value tile);
  /// Every integer is a polynomial, of itself if nothing else is known. Those of less than 32 bits wrap where their
  /// arithmetic is done, and are only themselves.
  Polynomial ofScalar(mlir::Value scalar);
  const Scalars &scalars() const { return known; }
  /// Whether the kernel computes just that in 32 bits.
  bool isNarrow(const Polynomial &polynomial) const { return llvm::is_contained(narrow, polynomial); }

private:
  std::optional<TileForm> compute(mlir::Value tile);
  std::optional<TileForm> carried(mlir::BlockArgument argument);
  std::optional<TileForm> remainder(TileForm index, mlir::Value divisor);
  std::optional<TileForm> product(const TileForm &one, const TileForm &other);
  Polynomial carriedScalar(mlir::BlockArgument argument);
  std::optional<Polynomial> overIterations(mlir::scf::ForOp loop, const Polynomial &each);
  Polynomial itself(mlir::Value scalar);

  Scalars known;
  /// What is widened to 64 bits.
  llvm::SmallVector<Polynomial> narrow;
  llvm::DenseMap<mlir::Value, std::optional<TileForm>> forms;
  llvm::DenseMap<mlir::Value, Polynomial> numbers;
};

} // namespace tlx

#endif // TLX_TRANSFORMS_TILEFORM_H
