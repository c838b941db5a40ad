// Matrix products, with leading batch axes, transposed operands, a factor and an added tensor.
#include "BlockScales.h"
#include "Parallel.h"
#include "Reference.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::rt;

namespace {

/// Sizes of a product [batch, M, K] x [batch or 1, K, N].
struct Sizes {
  int64_t batches = 1, m = 0, n = 0, k = 0;
  bool sharedB = true;
};

/// `b` as [batch][K][N], whichever way it is stored.
template <typename T>
std::vector<T> packedB(const HostTensor &b, const Sizes &sizes, bool transposed, const HostTensor *scales) {
  std::vector<T> stored = flattened<T>(b);
  if (scales)
    applyBlockScales(stored, sizes.k, *scales);
  if (!transposed)
    return stored;
  std::vector<T> packed(stored.size());
  int64_t batches = sizes.sharedB ? 1 : sizes.batches;
  parallelFor(batches * sizes.k, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T *source = stored.data() + i / sizes.k * sizes.n * sizes.k + i % sizes.k;
      for (int64_t n = 0; n < sizes.n; ++n)
        packed[i * sizes.n + n] = source[n * sizes.k];
    }
  });
  return packed;
}

template <typename T> class MatmulReference : public Reference {
public:
  MatmulReference(const ReferenceDecl &decl, const Tensors &tensors, const Sizes &sizes, std::vector<int64_t> result)
      : sizes(sizes), transposeA(decl.transposeA), alpha(decl.alpha), a(flattened<T>(find(tensors, decl.inputs[0]))),
        b(packedB<T>(find(tensors, decl.inputs[1]), sizes, decl.transposeB,
                     decl.scales.empty() ? nullptr : &find(tensors, decl.scales[1]))),
        added(decl.add.empty() ? nullptr : &find(tensors, decl.add)) {
    shape = std::move(result);
    if (!decl.scales.empty())
      applyBlockScales(a, sizes.k, find(tensors, decl.scales[0]));
    costOfRow = double(sizes.n) * double(sizes.k);
  }

  void compute(const int64_t *rows, int64_t count, double *out) const override {
    std::fill_n(out, count * sizes.n, 0.0);
    for (int64_t i = 0; i < count;) {
      int64_t batch = rows[i] / sizes.m, end = i;
      while (end < count && rows[end] / sizes.m == batch)
        ++end;
      accumulate(batch, rows + i, end - i, out + i * sizes.n);
      i = end;
    }
    for (int64_t i = 0; i < count; ++i)
      finish(rows[i], out + i * sizes.n);
  }

private:
  /// Rows of one batch. Pieces of B that fit a first-level cache are used for all rows.
  void accumulate(int64_t batch, const int64_t *rows, int64_t count, double *out) const {
    constexpr int64_t piece = 512;
    const T *matrix = b.data() + (sizes.sharedB ? 0 : batch * sizes.k * sizes.n);
    for (int64_t begin = 0; begin < sizes.n; begin += piece) {
      int64_t end = std::min(begin + piece, sizes.n);
      for (int64_t k = 0; k < sizes.k; ++k) {
        const T *line = matrix + k * sizes.n;
        for (int64_t i = 0; i < count; ++i) {
          double factor = elementOfA(batch, rows[i] % sizes.m, k);
          double *sums = out + i * sizes.n;
          for (int64_t n = begin; n < end; ++n)
            sums[n] += factor * double(line[n]);
        }
      }
    }
  }

  double elementOfA(int64_t batch, int64_t m, int64_t k) const {
    return double(a[batch * sizes.m * sizes.k + (transposeA ? k * sizes.m + m : m * sizes.k + k)]);
  }

  void finish(int64_t row, double *values) const {
    std::vector<double> extra(size_t(sizes.n), 0.0);
    if (added)
      added->readRow(added->rowCount() == 1 ? 0 : row, extra.data());
    for (int64_t n = 0; n < sizes.n; ++n)
      values[n] = alpha * values[n] + extra[n];
  }

  Sizes sizes;
  bool transposeA;
  double alpha;
  std::vector<T> a, b;
  const HostTensor *added;
};

/// Scales stand beside operands that have K along their rows.
std::optional<Error> checkScales(const ReferenceDecl &decl, const Tensors &tensors, const Sizes &sizes) {
  if (decl.scales.empty())
    return std::nullopt;
  if (decl.transposeA || !decl.transposeB || sizes.batches != 1)
    return Error{ErrorKind::Input, "`scales` are for one product with `trans_b` and without `trans_a`"};
  if (auto error = checkBlockScales(find(tensors, decl.scales[0]), sizes.m, sizes.k))
    return error;
  return checkBlockScales(find(tensors, decl.scales[1]), sizes.n, sizes.k);
}

Error shapeError(const HostTensor &a, const HostTensor &b) {
  return Error{ErrorKind::Input, "`matmul` of shapes " + toText(a.shape) + " and " + toText(b.shape)};
}

} // namespace

Result<std::unique_ptr<Reference>> rt::makeMatmul(const ReferenceDecl &decl, const Tensors &tensors) {
  const HostTensor &a = find(tensors, decl.inputs[0]), &b = find(tensors, decl.inputs[1]);
  size_t rankA = a.shape.size(), rankB = b.shape.size();
  if (rankA < 2 || rankB < 2 || (rankB != 2 && rankB != rankA))
    return shapeError(a, b);
  std::vector<int64_t> result(a.shape.begin(), a.shape.end() - 2);
  Sizes sizes;
  sizes.batches = product(result);
  sizes.sharedB = rankB == 2;
  if (!sizes.sharedB && !std::equal(result.begin(), result.end(), b.shape.begin()))
    return shapeError(a, b);
  sizes.m = a.shape[rankA - (decl.transposeA ? 1 : 2)];
  sizes.k = a.shape[rankA - (decl.transposeA ? 2 : 1)];
  sizes.n = b.shape[rankB - (decl.transposeB ? 2 : 1)];
  if (b.shape[rankB - (decl.transposeB ? 1 : 2)] != sizes.k)
    return shapeError(a, b);
  result.push_back(sizes.m);
  result.push_back(sizes.n);
  if (!decl.add.empty()) {
    const HostTensor &added = find(tensors, decl.add);
    bool oneRow = added.rowCount() == 1 && added.rowLength() == sizes.n;
    if (!oneRow && added.shape != result)
      return Error{ErrorKind::Input,
                   "`add`: shape " + toText(added.shape) + " is neither " + toText(result) + " nor one row of it"};
  }
  if (auto error = checkScales(decl, tensors, sizes))
    return *error;
  if (floatHolds(a.dtype) && floatHolds(b.dtype))
    return std::unique_ptr<Reference>(std::make_unique<MatmulReference<float>>(decl, tensors, sizes, result));
  return std::unique_ptr<Reference>(std::make_unique<MatmulReference<double>>(decl, tensors, sizes, result));
}
