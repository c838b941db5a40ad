// What a kernel should have computed, row by row, in double precision.
#ifndef TLX_LIB_LAUNCH_REFERENCE_H
#define TLX_LIB_LAUNCH_REFERENCE_H

#include "tlx/Launch/HostTensor.h"
#include "tlx/Launch/LaunchFile.h"
#include "tlx/Manifest/Result.h"

#include <memory>

namespace tlx::rt {

class Reference {
public:
  virtual ~Reference() = default;

  /// Of the result.
  std::vector<int64_t> shape;
  /// Each element is costly and computed by itself: the result counts as rows of one element.
  bool elementIsRow = false;
  /// Multiply-adds, or what takes as long.
  double costOfRow = 1;

  /// Rows are computed in groups of at most this many, so that operands are read once for all of them.
  static constexpr int64_t groupSize = 8;
  /// Computes `count` rows into `out`, one after the other. Called from several threads.
  virtual void compute(const int64_t *rows, int64_t count, double *out) const = 0;
};

using Tensors = std::vector<HostTensor>;

/// Makes the reference of `decl`. An error when the shapes of its inputs do not fit each other.
Result<std::unique_ptr<Reference>> makeReference(const LaunchFile &file, const ReferenceDecl &decl,
                                                 const Tensors &before, const Tensors &after);

Result<std::unique_ptr<Reference>> makeMatmul(const ReferenceDecl &decl, const Tensors &tensors);
Result<std::unique_ptr<Reference>> makeAttention(const ReferenceDecl &decl, const Tensors &tensors);

/// The tensor called `name`, which the reader of the launch file has seen.
const HostTensor &find(const Tensors &tensors, const std::string &name);

/// The elements as floats in row-major order when floats hold the type exactly, else as doubles.
template <typename T> std::vector<T> flattened(const HostTensor &tensor);
bool floatHolds(ElementType type);

} // namespace tlx::rt

#endif
