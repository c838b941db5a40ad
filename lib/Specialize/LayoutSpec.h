// Layouts that a source writes down: of tiles in registers, of AMD's matrix instructions, of buffers in shared memory.
#ifndef TLX_SPECIALIZE_LAYOUTSPEC_H
#define TLX_SPECIALIZE_LAYOUTSPEC_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tlx::specialize {

/// For each bit of a thread's and a register's number, where it moves: by XOR of row-major numbers of elements.
struct RegisterBits {
  std::vector<int64_t> threads, values;
  bool operator==(const RegisterBits &) const = default;
};
/// Results of AMD's matrix instructions: `tile` x `tile`, of warps `rows` x `columns`.
struct MatrixResult {
  int64_t tile, rows, columns;
  bool isTransposed;
  bool operator==(const MatrixResult &) const = default;
};
/// The operand of such instructions, `run` consecutive elements of K in a lane.
struct MatrixOperand {
  MatrixResult parent;
  int64_t operand, run;
  bool operator==(const MatrixOperand &) const = default;
};

/// Shared memory: `bits` bits of the row-major offset from bit `base + shift` on are XORed into those from `base` on.
struct SharedSwizzle {
  int64_t bits, base, shift;
  bool operator==(const SharedSwizzle &) const = default;
};
/// Shared memory: the coordinates that each bit of the offset moves to; behind every `first` elements `second` of
/// padding. Where a shape is given it is the only one.
struct SharedBases {
  std::vector<std::vector<int64_t>> offsets;
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<int64_t> shape;
  bool operator==(const SharedBases &) const = default;
};

struct LayoutSpec {
  std::variant<RegisterBits, MatrixResult, MatrixOperand, SharedSwizzle, SharedBases> form;
  bool operator==(const LayoutSpec &) const = default;
};

/// The bits that `spec` gives a tile of this shape; or why there are none.
struct BitsOrReason {
  RegisterBits bits;
  std::string reason;
};
BitsOrReason registerBits(const LayoutSpec &spec, llvm::ArrayRef<int64_t> shape);

bool isForShared(const LayoutSpec &spec);
/// Where the elements of a buffer of this shape lie: for each bit of the row-major number how far it moves, by XOR.
struct PlacesOrReason {
  std::vector<int64_t> places, padding;
  std::string reason;
};
PlacesOrReason sharedPlaces(const LayoutSpec &spec, llvm::ArrayRef<int64_t> shape);
/// The width of the swizzle (0 without one) with which buffers of this shape lie as `spec` says; nothing when none
/// does.
std::optional<unsigned> sharedSwizzle(const LayoutSpec &spec, llvm::ArrayRef<int64_t> shape, int elementBytes);

} // namespace tlx::specialize

#endif
