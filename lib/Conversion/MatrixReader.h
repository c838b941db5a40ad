// Fragments of matrices in shared memory, read by ldmatrix: 8 rows of 16 bytes each, a word of 32 bits to every lane.
#ifndef TLX_LIB_CONVERSION_MATRIXREADER_H
#define TLX_LIB_CONVERSION_MATRIXREADER_H

#include "SharedAccess.h"

namespace tlx {

class MatrixReader {
public:
  /// Nothing when the layout is no such fragment, or the buffer has no rows of 16 bytes where it needs them.
  static std::optional<MatrixReader> create(const SharedAccess &access, const TileInfo &info);

  int wordCount() const { return count; }
  /// Word `index` of this thread, in the order of its registers. Reading it brings its neighbours along, up to four.
  mlir::Value word(int index);
  /// All of them, as the emitter holds a tile of that layout.
  Registers tile();

private:
  MatrixReader(const SharedAccess &access, const TileInfo &info) : access(access), info(info) {}
  bool fits();
  bool isAcross() const;
  int64_t at(layout::InDim dim, int bit) const { return access.offset(info.layout.basis(dim, bit)); }
  void computeThread();
  mlir::Value address(int64_t constant);

  SharedAccess access;
  TileInfo info;
  /// Rows of the matrices lie across the words: ldmatrix.trans.
  bool transposed = false;
  int perWord = 1, count = 0, perInstruction = 1;
  /// Byte offset of the row that this lane names, and the bits that it may have.
  mlir::Value thread;
  int64_t threadBits = 0;
  /// Offsets that differ from the thread's in bits that it has, too.
  llvm::DenseMap<int64_t, mlir::Value> places;
  Registers words;
};

} // namespace tlx

#endif
