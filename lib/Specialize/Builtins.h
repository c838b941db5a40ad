// The table of everything a kernel can call, and how a call finds and reaches its row.
#ifndef TLX_SPECIALIZE_BUILTINS_H
#define TLX_SPECIALIZE_BUILTINS_H

#include "Datum.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx::specialize {

class Call;
using Handler = Result (*)(Call &);

/// One row of Builtins.def.
struct Builtin {
  llvm::StringLiteral name;
  Handler handler;
  /// As the table writes it.
  llvm::StringLiteral parameters;
  /// The least target, or empty.
  llvm::StringLiteral feature;
  llvm::StringLiteral summary;
};

struct BuiltinParameter {
  llvm::StringRef name;
  bool isConstexpr = false;
  /// `*name`: takes the remaining positional arguments as a tuple.
  bool isRest = false;
  /// `**name`: swallows keywords of any name.
  bool isSwallow = false;
  bool isKeywordOnly = false;
  /// None when the argument is required.
  std::optional<Datum> defaultValue;
};

llvm::ArrayRef<Builtin> allBuiltins();
/// By full name (`tl.load`); aliases lead to their row.
const Builtin *findBuiltin(llvm::StringRef name);
/// Does any builtin or constant begin with `prefix` and a dot?
bool isNamespace(llvm::StringRef prefix);
/// Constants of a module: element types, storage kinds.
std::optional<Datum> findConstant(llvm::StringRef name);
/// The builtin of that prefix whose name is nearest to `name`, if one is near enough.
std::optional<std::string> nearestBuiltin(llvm::StringRef prefix, llvm::StringRef name);
llvm::SmallVector<BuiltinParameter> parseParameters(llvm::StringRef text);
/// The prefix by which the table calls a module (`triton.language` is `tl`), or empty.
std::string prefixOfModule(llvm::StringRef module);

#define TLX_BUILTIN(NAME, HANDLER, PARAMETERS, FEATURE, SUMMARY) Result HANDLER(Call &);
#include "Builtins.def"

} // namespace tlx::specialize

#endif
