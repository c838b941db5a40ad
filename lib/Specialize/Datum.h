// What an expression of a kernel can be: a compile-time value of Python's kind, or a value of the IR.
#ifndef TLX_SPECIALIZE_DATUM_H
#define TLX_SPECIALIZE_DATUM_H

#include "DType.h"
#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include "tlx/Syntax/AST.h"
#include <memory>
#include <variant>
#include <vector>

namespace tlx::specialize {

struct Builtin;
class Datum;

struct NoneValue {
  bool operator==(const NoneValue &) const = default;
};
/// `tl`, `tlx`, `tl.math`: a dotted prefix of builtin names.
struct NamespaceValue {
  std::string prefix;
  bool operator==(const NamespaceValue &) const = default;
};
/// A tuple, a list, a dictionary, or an object of a class of the source, whose fields are the elements. Never mutated
/// in place.
struct SequenceValue {
  std::vector<Datum> elements;
  bool isList = false;
  /// Null for tuples and lists.
  const ast::ClassDef *type = nullptr;
  /// Names of the fields of an object, or of a named tuple.
  std::vector<llvm::StringRef> fields = {};
  /// An object that is a tuple, too.
  bool isNamedTuple = false;
  /// A dictionary: as many keys as elements.
  bool isDict = false;
  std::vector<Datum> keys;

  /// Whether both hold the same kinds of things at the same places: what branches and loops can bring together.
  bool isLike(const SequenceValue &other) const;
  /// The same kind of value with other elements.
  Datum with(std::vector<Datum> others) const;
};
/// `self.method`, not called yet: of the table, or of a class of the source.
struct MethodValue {
  std::shared_ptr<const Datum> self;
  const Builtin *builtin;
  const ast::FunctionDef *function = nullptr;
};
/// A value of the IR with the sign of its elements: scalar, tile, buffer, barriers, descriptor, token, channel.
struct IRValue {
  mlir::Value value;
  DType dtype;
  bool operator==(const IRValue &) const = default;
};
/// One slot of a channel of the shorthand.
struct ChannelSlot {
  mlir::Value channel;
  mlir::Value slot;
  bool operator==(const ChannelSlot &) const = default;
};
/// `tlx.get_warp_group_id()`: exists only to be compared in a top-level `if`.
struct WarpGroupId {
  bool operator==(const WarpGroupId &) const = default;
};
/// `range(...)` and its kin, not yet looped over. The attributes become attributes of the loop.
struct RangeValue {
  std::shared_ptr<const Datum> start, end, step;
  bool isStatic = false;
  std::vector<std::pair<std::string, Datum>> attributes;
};

/// A layout that the source wrote.
struct LayoutSpec;
struct LayoutValue {
  std::shared_ptr<const LayoutSpec> spec;
  bool operator==(const LayoutValue &other) const;
};

class Datum {
public:
  using Data =
      std::variant<NoneValue, bool, int64_t, double, std::string, DType, std::shared_ptr<const SequenceValue>,
                   NamespaceValue, const Builtin *, MethodValue, const ast::FunctionDef *, const ast::ClassDef *,
                   const ast::Module *, RangeValue, IRValue, ChannelSlot, WarpGroupId, LayoutValue>;

  Datum() = default;
  template <typename T,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<T>, Datum> && std::is_constructible_v<Data, T &&>>>
  Datum(T &&data) : data(std::forward<T>(data)) {}
  static Datum sequence(std::vector<Datum> elements, bool isList) {
    SequenceValue value;
    value.elements = std::move(elements);
    value.isList = isList;
    return object(std::move(value));
  }
  static Datum object(SequenceValue value) {
    return Datum(Data(std::make_shared<const SequenceValue>(std::move(value))));
  }
  static Datum ir(mlir::Value value, DType dtype) { return Datum(Data(IRValue{value, dtype})); }

  template <typename T> const T *getIf() const { return std::get_if<T>(&data); }
  template <typename T> bool is() const { return std::holds_alternative<T>(data); }

  bool isNone() const { return is<NoneValue>(); }
  bool isIR() const { return is<IRValue>(); }
  /// Bool, int or float.
  bool isNumber() const { return is<bool>() || is<int64_t>() || is<double>(); }
  /// Known while compiling, all the way down.
  bool isConstant() const;
  /// A tuple or list.
  const SequenceValue *asSequence() const;
  /// A dictionary.
  const SequenceValue *asDict() const;
  /// A tuple, list, dictionary or object.
  const SequenceValue *asParts() const;
  /// The field of an object, or null.
  const Datum *field(llvm::StringRef name) const;
  /// An int or a bool.
  std::optional<int64_t> asInt() const;
  std::optional<double> asDouble() const;
  /// Python's truth of a constant; none for IR values.
  std::optional<bool> truth() const;
  /// The type that a Python number has on its own; i32 for ints where they fit.
  std::optional<DType> literalType() const;

  /// Null unless this is an IR value.
  mlir::Value irValue() const;
  /// The element type of an IR value.
  DType dtype() const { return getIf<IRValue>()->dtype; }
  bool isTile() const;
  bool isScalar() const;

  /// Equality of constants and identity of IR values.
  bool operator==(const Datum &other) const;
  /// What diagnostics call it: "an int", "a tile fp16[64,32]".
  std::string describe() const;
  /// The value as Python's str() writes it; for constants.
  std::string text() const;

private:
  Data data;
};

using Result = mlir::FailureOr<Datum>;

/// Shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

} // namespace tlx::specialize

#endif
