// Types of parameters that nothing declares: i32 where every use is that of an integer.
#ifndef TLX_SPECIALIZE_INFERENCE_H
#define TLX_SPECIALIZE_INFERENCE_H

#include "tlx/Syntax/AST.h"
#include "llvm/ADT/StringSet.h"

namespace tlx::specialize {

/// Is the parameter used as an integer somewhere, and as nothing else anywhere, or not used at all? `integers` names
/// the parameters that are integers for sure.
bool isInferredInteger(const ast::Module &module, const ast::FunctionDef &function, llvm::StringRef param,
                       const llvm::StringSet<> &integers);

} // namespace tlx::specialize

#endif
