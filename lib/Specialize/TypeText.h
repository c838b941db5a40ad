// Type strings of parameters and values of `-D`, as annotations and the command line write them.
#ifndef TLX_SPECIALIZE_TYPETEXT_H
#define TLX_SPECIALIZE_TYPETEXT_H

#include "ConstEval.h"

namespace tlx::specialize {

struct ParameterType {
  DType element;
  /// Extents of the block when the parameter is a tensor map.
  llvm::SmallVector<int64_t> block;
  bool isDescriptor = false;
  std::optional<int64_t> divisibility, equalTo;

  mlir::Type toMLIR(mlir::MLIRContext *context) const;
  /// Without the promises.
  std::string text() const;
};

/// Reads `*fp16:16`, `i32=1`, `tensordesc<fp16[BM, BK]>`; on failure `why` says what is wrong.
std::optional<ParameterType> parseTypeText(llvm::StringRef text, NameLookup lookup, std::string &why);
/// Reads an expression of constants; text that is none is a string.
std::optional<Datum> parseDefineText(llvm::StringRef text, NameLookup lookup);
/// Splits at commas outside brackets.
llvm::SmallVector<llvm::StringRef> splitAtCommas(llvm::StringRef text);

} // namespace tlx::specialize

#endif
