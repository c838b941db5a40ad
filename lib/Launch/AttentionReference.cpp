// Scaled dot-product attention over [heads, length, depth], and the logarithm of its sums. Several query heads may
// share a key head.
#include "Parallel.h"
#include "Reference.h"

#include <algorithm>
#include <cmath>

using namespace tlx;
using namespace tlx::rt;

namespace {

struct Sizes {
  int64_t heads = 0, queries = 0, keyHeads = 0, keys = 0, depth = 0, valueDepth = 0;
  /// Keys that count; the rest of the tensor is padding.
  int64_t usedKeys = 0;
};

class AttentionReference : public Reference {
public:
  AttentionReference(const ReferenceDecl &decl, const Tensors &tensors, const Sizes &sizes)
      : sizes(sizes), causal(decl.causal), base2(decl.base2),
        scale(decl.scale.value_or(1 / std::sqrt(double(sizes.depth)))), queries(find(tensors, decl.inputs[0])),
        keys(transposed(find(tensors, decl.inputs[1]))), wantsSums(decl.kind == ReferenceDecl::Kind::AttentionLse) {
    if (!wantsSums)
      values = flattened<float>(find(tensors, decl.inputs[2]));
    shape = {sizes.heads, sizes.queries};
    if (!wantsSums)
      shape.push_back(sizes.valueDepth);
    elementIsRow = wantsSums;
    costOfRow = double(sizes.usedKeys) * double(sizes.depth + (wantsSums ? 0 : sizes.valueDepth) + 20);
  }

  void compute(const int64_t *rows, int64_t count, double *out) const override {
    std::vector<double> scores(size_t(sizes.usedKeys));
    for (int64_t i = 0; i < count; ++i) {
      if (wantsSums)
        out[i] = sumOf(rows[i], scores);
      else
        weigh(rows[i], scores, out + i * sizes.valueDepth);
    }
  }

private:
  /// Keys as [head][depth][key], so that scores of neighbouring keys are computed together.
  std::vector<float> transposed(const HostTensor &tensor) const {
    std::vector<float> stored = flattened<float>(tensor), result(stored.size());
    parallelFor(sizes.keyHeads * sizes.depth, 8, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const float *source = stored.data() + i / sizes.depth * sizes.keys * sizes.depth + i % sizes.depth;
        for (int64_t key = 0; key < sizes.keys; ++key)
          result[i * sizes.keys + key] = source[key * sizes.depth];
      }
    });
    return result;
  }

  int64_t keyHead(int64_t head) const { return head / (sizes.heads / sizes.keyHeads); }

  /// How many keys the query may see.
  int64_t visible(int64_t query) const {
    if (causal == CausalMask::None)
      return sizes.usedKeys;
    int64_t shift = causal == CausalMask::BottomRight ? sizes.usedKeys - sizes.queries : 0;
    return std::clamp<int64_t>(query + 1 + shift, 0, sizes.usedKeys);
  }

  /// Leaves exp(score - largest) in `scores`; gives the largest score and the sum.
  struct Normaliser {
    double largest, sum;
  };
  Normaliser score(int64_t row, std::vector<double> &scores) const {
    std::vector<double> query(size_t(sizes.depth));
    queries.readRow(row, query.data());
    int64_t count = visible(row % sizes.queries);
    const float *head = keys.data() + keyHead(row / sizes.queries) * sizes.depth * sizes.keys;
    double *sums = scores.data();
    std::fill_n(sums, count, 0.0);
    for (int64_t d = 0; d < sizes.depth; ++d) {
      const float *line = head + d * sizes.keys;
      double factor = query[d] * scale;
      for (int64_t key = 0; key < count; ++key)
        sums[key] += factor * double(line[key]);
    }
    double largest = count ? *std::max_element(sums, sums + count) : -HUGE_VAL, total = 0;
    for (int64_t key = 0; key < count; ++key)
      total += sums[key] = std::exp(sums[key] - largest);
    return {largest, total};
  }

  double sumOf(int64_t row, std::vector<double> &scores) const {
    Normaliser normaliser = score(row, scores);
    double logarithm = normaliser.largest + std::log(normaliser.sum);
    return base2 ? logarithm / std::log(2.0) : logarithm;
  }

  void weigh(int64_t row, std::vector<double> &scores, double *out) const {
    Normaliser normaliser = score(row, scores);
    std::fill_n(out, sizes.valueDepth, 0.0);
    const float *head = values.data() + keyHead(row / sizes.queries) * sizes.keys * sizes.valueDepth;
    for (int64_t key = 0, count = visible(row % sizes.queries); key < count; ++key) {
      const float *line = head + key * sizes.valueDepth;
      double weight = scores[key] / normaliser.sum;
      for (int64_t d = 0; d < sizes.valueDepth; ++d)
        out[d] += weight * double(line[d]);
    }
  }

  Sizes sizes;
  CausalMask causal;
  bool base2;
  double scale;
  const HostTensor &queries;
  std::vector<float> keys, values;
  bool wantsSums;
};

Error attentionError(const std::string &what) {
  return Error{ErrorKind::Input, "`attention`: " + what};
}

} // namespace

Result<std::unique_ptr<Reference>> rt::makeAttention(const ReferenceDecl &decl, const Tensors &tensors) {
  const HostTensor &q = find(tensors, decl.inputs[0]), &k = find(tensors, decl.inputs[1]);
  const HostTensor &v = decl.inputs.size() > 2 ? find(tensors, decl.inputs[2]) : k;
  for (const HostTensor *tensor : {&q, &k, &v}) {
    if (tensor->shape.size() != 3)
      return attentionError("`" + tensor->name + "` has shape " + toText(tensor->shape) +
                            "; [heads, length, depth] is needed");
    if (!floatHolds(tensor->dtype))
      return attentionError("`" + tensor->name + "` has elements of `" + std::string(spelling(tensor->dtype)) + "`");
  }
  Sizes sizes{q.shape[0], q.shape[1], k.shape[0], k.shape[1], q.shape[2], v.shape[2], k.shape[1]};
  if (k.shape[2] != sizes.depth || v.shape[0] != sizes.keyHeads || v.shape[1] != sizes.keys ||
      sizes.heads % sizes.keyHeads != 0)
    return attentionError("shapes " + toText(q.shape) + ", " + toText(k.shape) + ", " + toText(v.shape) +
                          " do not fit each other");
  sizes.usedKeys = decl.keyLength.value_or(sizes.keys);
  if (sizes.usedKeys < 1 || sizes.usedKeys > sizes.keys)
    return attentionError("`kv_len` is " + std::to_string(sizes.usedKeys) + "; there are " +
                          std::to_string(sizes.keys) + " keys");
  return std::unique_ptr<Reference>(std::make_unique<AttentionReference>(decl, tensors, sizes));
}
