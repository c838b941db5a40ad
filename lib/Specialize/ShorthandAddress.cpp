// Recovers base, strides and coordinates from the operations that compute an address.
#include "Shorthand.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

namespace {
/// One product of the address: a parameter (or none) times the rest.
struct Term {
  std::optional<unsigned> stride;
  mlir::Value coordinate;
};
} // namespace

/// Extensions to 64 bits keep the value.
static mlir::Value throughExtension(mlir::Value value) {
  while (auto *owner = value.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp>(owner))
      break;
    value = owner->getOperand(0);
  }
  return value;
}

static std::optional<unsigned> parameterIndex(func::FuncOp function, mlir::Value value) {
  auto argument = dyn_cast<BlockArgument>(throughExtension(value));
  if (!argument || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

static void collectTerms(mlir::Value offset, SmallVectorImpl<mlir::Value> &terms) {
  offset = throughExtension(offset);
  if (auto sum = offset.getDefiningOp<arith::AddIOp>()) {
    collectTerms(sum.getLhs(), terms);
    collectTerms(sum.getRhs(), terms);
    return;
  }
  terms.push_back(offset);
}

static void collectFactors(mlir::Value term, SmallVectorImpl<mlir::Value> &factors) {
  term = throughExtension(term);
  if (auto product = term.getDefiningOp<arith::MulIOp>()) {
    collectFactors(product.getLhs(), factors);
    collectFactors(product.getRhs(), factors);
    return;
  }
  factors.push_back(term);
}

static bool isNamedStride(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, "tlx.name");
  return name && name.getValue().contains("stride");
}

/// The factor that is the stride: the only parameter with `stride` in its name, or, where the address names no
/// stride, the only parameter. A coordinate may be computed from parameters too.
static FailureOr<std::optional<size_t>> strideFactor(func::FuncOp function, ArrayRef<mlir::Value> factors,
                                                     bool areNamed) {
  SmallVector<size_t> parameters, named;
  for (auto [position, factor] : llvm::enumerate(factors))
    if (auto index = parameterIndex(function, factor)) {
      parameters.push_back(position);
      if (isNamedStride(function, *index))
        named.push_back(position);
    }
  if (named.size() == 1)
    return std::optional(named[0]);
  if (parameters.empty() || (areNamed && named.empty()))
    return std::optional<size_t>();
  if (parameters.size() == 1)
    return std::optional(parameters[0]);
  return failure();
}

static mlir::Value productOf(Emitter &emit, ArrayRef<mlir::Value> factors) {
  mlir::Value product;
  for (mlir::Value factor : factors)
    product = product ? emit.create<arith::MulIOp>(product, factor).getResult() : factor;
  return product ? product : emit.i32(1);
}

/// Does a product of the address have a parameter with `stride` in its name?
static bool namesStride(func::FuncOp function, mlir::Value term) {
  SmallVector<mlir::Value> factors;
  collectFactors(term, factors);
  return llvm::any_of(factors, [&](mlir::Value factor) {
    auto index = parameterIndex(function, factor);
    return index && isNamedStride(function, *index);
  });
}

static FailureOr<Term> splitTerm(Emitter &emit, func::FuncOp function, mlir::Value value, bool areNamed) {
  SmallVector<mlir::Value> factors;
  collectFactors(value, factors);
  auto stride = strideFactor(function, factors, areNamed);
  if (failed(stride))
    return failure();
  if (!*stride)
    return Term{std::nullopt, throughExtension(value)};
  unsigned index = *parameterIndex(function, factors[**stride]);
  factors.erase(factors.begin() + **stride);
  return Term{index, productOf(emit, factors)};
}

/// Adds a term to the axis of its stride; a third stride does not fit.
static bool addToAxis(Emitter &emit, SmallVectorImpl<Term> &axes, Term term) {
  for (Term &axis : axes)
    if (axis.stride == term.stride) {
      axis.coordinate = emit.create<arith::AddIOp>(axis.coordinate, term.coordinate);
      return true;
    }
  axes.push_back(term);
  return axes.size() <= 2;
}

std::optional<TileAddress> tlx::specialize::recoverAddress(Emitter &emit, func::FuncOp function, mlir::Value pointer,
                                                           std::string &why) {
  SmallVector<mlir::Value> offsets;
  while (auto step = pointer.getDefiningOp<AddPtrOp>()) {
    offsets.insert(offsets.begin(), step.getOffset());
    pointer = step.getPointer();
  }
  auto base = parameterIndex(function, pointer);
  if (!base) {
    why = "its base is not a pointer parameter";
    return std::nullopt;
  }
  SmallVector<mlir::Value> terms;
  for (mlir::Value offset : offsets)
    collectTerms(offset, terms);
  bool areNamed = llvm::any_of(terms, [&](mlir::Value term) { return namesStride(function, term); });
  SmallVector<Term> axes;
  for (mlir::Value value : terms) {
    auto term = splitTerm(emit, function, value, areNamed);
    if (failed(term) || !term->coordinate.getType().isInteger(32)) {
      why = failed(term) ? "a product in it has several parameters, none of which is named a stride"
                         : "a coordinate in it has 64 bits";
      return std::nullopt;
    }
    if (!addToAxis(emit, axes, *term)) {
      why = "it has more than two strides";
      return std::nullopt;
    }
  }
  if (axes.size() != 2) {
    why = axes.empty() ? "it has no stride, and needs two" : "it has one stride, and needs two";
    return std::nullopt;
  }
  // A stride of 1 that is not written is that of the columns.
  if (!axes[0].stride)
    std::swap(axes[0], axes[1]);
  return TileAddress{*base, {axes[0].coordinate, axes[0].stride}, {axes[1].coordinate, axes[1].stride}};
}
