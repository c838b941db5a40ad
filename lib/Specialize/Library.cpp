// Parses the library, and calls its functions for rows of the table.
#include "Library.h"
#include "Specializer.h"
#include "tlx/Syntax/Parser.h"

using namespace tlx;
using namespace tlx::specialize;

/// The kernel that needs the library may have errors already.
static const ast::Module *parseLibrary(const SourceFile &file, ast::Context &context, diag::Sink &sink) {
  [[maybe_unused]] unsigned before = sink.errorCount();
  const ast::Module *module = ast::parse(file, context, sink);
  assert(sink.errorCount() == before && "Library.tlx does not parse");
  return module;
}

Library::Library(diag::Sink &sink)
    : file(libraryFile, "Library.tlx", libraryText().str()), parsed(parseLibrary(file, context, sink)) {}

/// `tl.math.erf` is `math_erf` there, `tlx.f` is `tlx_f`.
static std::string libraryName(llvm::StringRef builtin) {
  builtin.consume_front("tl.");
  std::string name = builtin.str();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

Result tlx::specialize::libraryFunction(Call &call) {
  GivenArguments given;
  for (const BoundArgument &bound : call.arguments)
    given.push_back({bound.value, bound.range, {}, {}});
  return call.specializer.callLibrary(libraryName(call.builtin.name), given, call.range);
}
