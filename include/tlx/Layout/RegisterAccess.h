//===- RegisterAccess.h - what a register layout means for code that walks registers --------------------===//
//
// Which registers of a padded tile hold elements, how many registers make one vector access, and how far elements move
// when a tile changes its layout.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LAYOUT_REGISTERACCESS_H
#define TLX_LAYOUT_REGISTERACCESS_H

#include "tlx/Layout/LinearLayout.h"

namespace tlx::layout {

/// Whether a register lies within `shape` in no thread, in some, or in all.
enum class RegisterUse { None, Some, All };
RegisterUse registerUse(const LinearLayout &layout, int reg, llvm::ArrayRef<int64_t> shape);

/// False when the register is padding in every thread: no code is emitted for it.
bool isRegisterUsed(const LinearLayout &layout, int reg, llvm::ArrayRef<int64_t> shape);

/// The registers for which isRegisterUsed holds, ascending: the values a thread really has.
llvm::SmallVector<int> usedRegisters(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

/// How many consecutive registers hold consecutive elements of `axis`, starting at a multiple of that number: at most
/// 16 bytes and at most the largest power of two that divides `contiguity` (in elements).
int vectorWidth(const LinearLayout &layout, int axis, int elemBits, int64_t contiguity);

/// How far the elements of a tile travel when it goes from one layout to another.
enum class Movement {
  /// Nothing to do.
  None,
  /// Every thread has its elements already; registers are renamed, alike in all threads.
  Registers,
  /// Elements stay in their warp: lane shuffles, or choosing registers by lane or warp.
  Lanes,
  /// Through shared memory.
  Warps,
  /// Through the shared memory of other blocks of the cluster.
  Blocks
};
Movement movement(const LinearLayout &source, const LinearLayout &destination);

} // namespace tlx::layout

#endif // TLX_LAYOUT_REGISTERACCESS_H
