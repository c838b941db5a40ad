//===- RegisterLayouts.h - the register layouts that hardware and defaults ask for ----------------------===//
//
// Shapes need not be powers of two: axes are padded, see RegisterAccess.h.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LAYOUT_REGISTERLAYOUTS_H
#define TLX_LAYOUT_REGISTERLAYOUTS_H

#include "tlx/Layout/LinearLayout.h"

namespace tlx::layout {

/// Each thread owns a block of `sizePerThread`, threads of a warp and warps tile next to it, axis order[0] fastest. A
/// larger tile repeats the whole in further registers (order[0] first); on a smaller one the lanes and warps left over
/// hold copies, and registers left over are dropped. All sizes but those of `shape` are powers of two.
LinearLayout blocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int> sizePerThread,
                     llvm::ArrayRef<int> threadsPerWarp, llvm::ArrayRef<int> warpsPerCta, llvm::ArrayRef<int> order);

/// How the warp groups of a wgmma share an M x N tile: `rows` groups along M, then `columns` along N, then `copies`
/// that compute the same. The group number is row + rows * (column + columns * copy).
struct WarpGroupGrid {
  int rows;
  int columns;
  int copies;
};
/// Rows first, 64 at a time; then columns, when M leaves groups idle and N and instrN are powers of two.
WarpGroupGrid wgmmaWarpGroups(int64_t m, int64_t n, int warps, int64_t instrN);

/// The D fragment of wgmma m64n<instrN> for an M x N tile in `warps` (4, 8, 16) warps. Register bits: column 1, row 8,
/// columns 8, 16, ..., rows of further 64-row blocks: each instruction's registers are one run.
LinearLayout wgmmaAccumulator(int64_t m, int64_t n, int warps, int64_t instrN);

/// The A fragment of wgmma for an M x K tile of 8-, 16- or 32-bit elements: each step of 256 / elemBits along K is one
/// run of registers, blocks of 64 rows outermost. For 16 bits it is the accumulator's order.
LinearLayout wgmmaOperandA(int64_t m, int64_t k, int warps, int elemBits);

} // namespace tlx::layout

#endif // TLX_LAYOUT_REGISTERLAYOUTS_H
