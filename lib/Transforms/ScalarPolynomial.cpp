//===- ScalarPolynomial.cpp - sums of products of a kernel's scalars ------------------------------------===//

#include "ScalarPolynomial.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>

using namespace mlir;
using namespace tlx;

Polynomial Polynomial::scalar(unsigned number) {
  return term({number}, 1);
}

Polynomial Polynomial::term(Product product, int64_t factor) {
  Polynomial result;
  result.add(product, factor);
  return result;
}

/// Both wrap like the kernel's own numbers, of which these are the upper bits, too.
static int64_t wrapped(uint64_t value) {
  return static_cast<int64_t>(value);
}

void Polynomial::add(const Product &product, int64_t factor) {
  int64_t &held = terms[product];
  held = wrapped(static_cast<uint64_t>(held) + static_cast<uint64_t>(factor));
  if (held == 0)
    terms.erase(product);
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial sum = *this;
  for (const auto &[product, factor] : other.terms)
    sum.add(product, factor);
  return sum.widen(other.wide);
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * Polynomial(-1);
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  for (const auto &[one, factor] : terms)
    for (const auto &[two, otherFactor] : other.terms) {
      Product both = one;
      both.insert(both.end(), two.begin(), two.end());
      std::sort(both.begin(), both.end());
      result.add(both, wrapped(static_cast<uint64_t>(factor) * static_cast<uint64_t>(otherFactor)));
    }
  return result.widen(wide || other.wide);
}

std::optional<int64_t> Polynomial::asNumber() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::optional<Polynomial> Polynomial::dividedBy(int64_t number) const {
  Polynomial result;
  for (const auto &[product, factor] : terms) {
    if (number == 0 || factor % number != 0)
      return std::nullopt;
    result.add(product, factor / number);
  }
  return result.widen(wide);
}

Value Polynomial::emit(OpBuilder &builder, Location loc, const Scalars &scalars) const {
  Type i32 = builder.getI32Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, i32, builder.getI32IntegerAttr(value));
  };
  Value sum;
  for (const auto &[product, factor] : terms) {
    Value one = product.empty() || factor != 1 ? number(factor) : Value();
    for (unsigned index : product) {
      Value scalar = scalars[index];
      one = one ? arith::MulIOp::create(builder, loc, scalar, one).getResult() : scalar;
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, one).getResult() : one;
  }
  return sum ? sum : number(0);
}

std::optional<Polynomial> tlx::divideTerm(const Polynomial::Product &product, int64_t factor,
                                          const Polynomial::Product &divisor, int64_t divisorFactor) {
  if (divisorFactor == 0 || factor % divisorFactor != 0)
    return std::nullopt;
  Polynomial::Product rest;
  if (!std::includes(product.begin(), product.end(), divisor.begin(), divisor.end()))
    return std::nullopt;
  std::set_difference(product.begin(), product.end(), divisor.begin(), divisor.end(), std::back_inserter(rest));
  return Polynomial::term(rest, factor / divisorFactor);
}
