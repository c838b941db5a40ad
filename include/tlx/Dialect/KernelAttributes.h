//===- KernelAttributes.h - names of attributes that passes leave for later ones ---------------------------===//

#ifndef TLX_DIALECT_KERNELATTRIBUTES_H
#define TLX_DIALECT_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace tlx {

/// On a barrier_arrive: each warp group of the task arrives, for itself. Then no group waits there for another.
constexpr llvm::StringLiteral eachGroupAttribute = "tlx.each_group";

/// On a kernel: blocks that one multiprocessor is to hold at least (an integer).
constexpr llvm::StringLiteral minBlocksAttribute = "tlx.min_blocks";

} // namespace tlx

#endif // TLX_DIALECT_KERNELATTRIBUTES_H
