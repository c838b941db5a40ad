//===- TensorMemoryLayout.h - which thread reaches which element of tensor memory -----------------------===//
//
// Tensor memory has 128 lanes; the warps of a group of four own 32 each, so rows are fixed and columns go to registers.
//
//===----------------------------------------------------------------------------------------------------===//

#ifndef TLX_LAYOUT_TENSORMEMORYLAYOUT_H
#define TLX_LAYOUT_TENSORMEMORYLAYOUT_H

#include "tlx/Layout/LinearLayout.h"

namespace tlx::layout {

/// A tile of `rows` (64 or 128) and `columns` elements, as tcgen05.ld and .st move it (PTX ISA, shapes 32x32b and
/// 16x32bx2): registers are columns, with 64 rows in turns with those of 16 further threads; groups of four warps
/// beyond the first share the columns.
LinearLayout tensorMemoryTile(int64_t rows, int64_t columns, int warps);

/// Columns that one thread holds.
int64_t tensorMemoryColumnsPerThread(int64_t rows, int64_t columns, int warps);

/// Neighbouring columns of them; with 64 rows the threads of the other half have the next ones.
int64_t tensorMemoryRun(int64_t rows, int64_t perThread);

} // namespace tlx::layout

#endif // TLX_LAYOUT_TENSORMEMORYLAYOUT_H
