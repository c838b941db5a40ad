// Constants that the host computes before it makes kernels: enough of Python to read lists of configurations.
#ifndef TLX_SPECIALIZE_HOSTVALUES_H
#define TLX_SPECIALIZE_HOSTVALUES_H

#include "ConstEval.h"
#include <map>

namespace tlx::specialize {

/// What one reading may take, and the first thing that it could not read.
struct HostReading {
  unsigned fuel = 1 << 16;
  /// Variables of the module whose value is being computed, one through the other.
  unsigned nested = 0;
  SourceRange stopped;
  std::string reason;

  /// False, for the caller to hand on.
  bool stop(SourceRange range, const llvm::Twine &what);
  bool spend(SourceRange range);
};

/// The variables of one function of the host, or of the top level.
class HostValues {
public:
  HostValues(const ast::Module &module, HostReading &reading) : module(module), reading(reading) {}

  /// Nothing when the expression is no constant.
  std::optional<Datum> evaluate(const ast::Expr *expr);
  bool bind(const ast::Expr *target, const Datum &value);
  /// `name op= value`
  bool change(const ast::AugmentedAssign *statement);
  /// Gives the parameters of `function` what `call` hands over, evaluated by the caller.
  bool bindArguments(const ast::FunctionDef &function, const ast::Call &call, HostValues &caller);
  /// Runs `body` for each item that the clause keeps, until it gives false.
  bool forEach(const ast::ComprehensionClause &clause, llvm::function_ref<bool()> body);

private:
  using Items = std::vector<Datum>;
  std::optional<Items> itemsOf(const ast::Expr *expr);
  std::optional<Datum> call(const ast::Call *expr);
  std::optional<Datum> dictionary(const ast::Dict *expr);
  bool collect(const ast::Comprehension *expr, llvm::ArrayRef<ast::ComprehensionClause> rest, Items &items);
  std::optional<Datum> lookup(llvm::StringRef name);

  const ast::Module &module;
  HostReading &reading;
  std::map<std::string, Datum> scope;
};

} // namespace tlx::specialize

#endif
