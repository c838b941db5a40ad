// The table of everything that a kernel can call, for documentation and editors.
#ifndef TLX_SPECIALIZE_LANGUAGE_H
#define TLX_SPECIALIZE_LANGUAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace tlx::specialize {

struct FunctionInfo {
  /// By full name, `tl.load`; methods of tiles are `tile.sum`, those of descriptors `descriptor.load`.
  std::string name;
  /// As Python writes them.
  std::string parameters;
  /// The least target, or empty.
  std::string target;
  std::string summary;
  /// The name that it is another name for, or empty.
  std::string aliasOf;
  /// Part of the language, and refused by this compiler so far.
  bool isUnsupported = false;
};

/// In the order of the table, aliases behind the functions.
std::vector<FunctionInfo> listFunctions();
/// The table that docs/language.md holds.
void printFunctionsAsMarkdown(llvm::raw_ostream &stream);

} // namespace tlx::specialize

#endif
