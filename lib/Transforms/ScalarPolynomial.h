//===- ScalarPolynomial.h - sums of products of a kernel's scalars --------------------------------------===//

#ifndef TLX_TRANSFORMS_SCALARPOLYNOMIAL_H
#define TLX_TRANSFORMS_SCALARPOLYNOMIAL_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <optional>
#include <vector>

namespace tlx {

/// Scalars by number, in the order in which they were met: what is made from polynomials is the same in every run.
using Scalars = llvm::SetVector<mlir::Value>;

/// An integer as a sum of products of scalars, each with a factor. Computed without overflow: what wraps in the kernel
/// is an address that means nothing.
class Polynomial {
public:
  /// Numbers of the scalars, ascending; empty for a plain number.
  using Product = std::vector<unsigned>;

  Polynomial() = default;
  explicit Polynomial(int64_t number) { add({}, number); }
  static Polynomial scalar(unsigned number);
  static Polynomial term(Product product, int64_t factor);

  void add(const Product &product, int64_t factor);
  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const { return terms == other.terms; }

  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> asNumber() const;
  /// The sum divided by a number that divides every factor.
  std::optional<Polynomial> dividedBy(int64_t number) const;
  /// Factors by product.
  const std::map<Product, int64_t> &all() const { return terms; }

  /// Computed by the kernel in 64 bits: it may not fit 32.
  bool isWide() const { return wide; }
  Polynomial &widen(bool isWide = true) {
    wide |= isWide;
    return *this;
  }

  /// Computes it as an i32, from scalars that are i32.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc, const Scalars &scalars) const;

private:
  std::map<Product, int64_t> terms;
  bool wide = false;
};

/// One product with its factor divided by another; nothing when that is no whole product.
std::optional<Polynomial> divideTerm(const Polynomial::Product &product, int64_t factor,
                                     const Polynomial::Product &divisor, int64_t divisorFactor);

} // namespace tlx

#endif // TLX_TRANSFORMS_SCALARPOLYNOMIAL_H
