// References whose rows need only the same rows of their inputs: copies, sums, softmax, layer normalisation.
#include "Parallel.h"
#include "Reference.h"
#include "tlx/Launch/Npy.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tlx;
using namespace tlx::rt;

const HostTensor &rt::find(const Tensors &tensors, const std::string &name) {
  return *std::find_if(tensors.begin(), tensors.end(), [&](const HostTensor &t) { return t.name == name; });
}

bool rt::floatHolds(ElementType type) {
  return isFloat(type) ? type != ElementType::FP64 : byteSize(type) <= 2;
}

template <typename T> std::vector<T> rt::flattened(const HostTensor &tensor) {
  std::vector<T> values(size_t(tensor.elementCount()));
  int64_t length = tensor.rowLength();
  parallelFor(tensor.rowCount(), 64, [&](int64_t begin, int64_t end) {
    std::vector<double> row(static_cast<size_t>(length));
    for (int64_t i = begin; i < end; ++i) {
      tensor.readRow(i, row.data());
      std::copy(row.begin(), row.end(), values.begin() + i * length);
    }
  });
  return values;
}
template std::vector<float> rt::flattened<float>(const HostTensor &);
template std::vector<double> rt::flattened<double>(const HostTensor &);

namespace {

class RowReference : public Reference {
public:
  void compute(const int64_t *rows, int64_t count, double *out) const override {
    for (int64_t i = 0; i < count; ++i)
      row(rows[i], out + i * shape.back());
  }

protected:
  virtual void row(int64_t index, double *out) const = 0;
};

class CopyReference : public RowReference {
public:
  explicit CopyReference(HostTensor source) : source(std::move(source)) { shape = this->source.shape; }

protected:
  void row(int64_t index, double *out) const override { source.readRow(index, out); }

private:
  HostTensor source;
};

class SumReference : public RowReference {
public:
  SumReference(const ReferenceDecl &decl, const Tensors &tensors) : alpha(decl.alpha) {
    for (const std::string &name : decl.inputs)
      terms.push_back(&find(tensors, name));
    shape = terms[0]->shape;
  }

  Status check() const {
    for (const HostTensor *term : terms)
      if (term->shape != shape)
        return Error{ErrorKind::Input, "`sum` of shapes " + toText(shape) + " and " + toText(term->shape)};
    return Done();
  }

protected:
  void row(int64_t index, double *out) const override {
    std::vector<double> term(size_t(shape.back()));
    std::fill_n(out, shape.back(), 0.0);
    for (const HostTensor *tensor : terms) {
      tensor->readRow(index, term.data());
      for (size_t i = 0; i < term.size(); ++i)
        out[i] += alpha * term[i];
    }
  }

private:
  std::vector<const HostTensor *> terms;
  double alpha;
};

class SoftmaxReference : public RowReference {
public:
  SoftmaxReference(const ReferenceDecl &decl, const Tensors &tensors)
      : source(find(tensors, decl.inputs[0])), scale(decl.scale.value_or(1)) {
    shape = source.shape;
    costOfRow = 20.0 * double(shape.back());
  }

protected:
  void row(int64_t index, double *out) const override {
    source.readRow(index, out);
    double largest = -HUGE_VAL, sum = 0;
    for (int64_t i = 0; i < shape.back(); ++i)
      largest = std::max(largest, out[i] *= scale);
    for (int64_t i = 0; i < shape.back(); ++i)
      sum += out[i] = std::exp(out[i] - largest);
    for (int64_t i = 0; i < shape.back(); ++i)
      out[i] /= sum;
  }

private:
  const HostTensor &source;
  double scale;
};

class LayerNormReference : public RowReference {
public:
  LayerNormReference(const ReferenceDecl &decl, const Tensors &tensors)
      : source(find(tensors, decl.inputs[0])), epsilon(decl.epsilon) {
    shape = source.shape;
    costOfRow = 4.0 * double(shape.back());
    weight = decl.inputs.size() > 1 ? flattened<double>(find(tensors, decl.inputs[1]))
                                    : std::vector<double>(size_t(shape.back()), 1.0);
    bias = decl.inputs.size() > 2 ? flattened<double>(find(tensors, decl.inputs[2]))
                                  : std::vector<double>(size_t(shape.back()), 0.0);
  }

  Status check() const {
    size_t length = size_t(shape.back());
    if (weight.size() != length || bias.size() != length)
      return Error{ErrorKind::Input, "`layernorm` of rows of " + std::to_string(length) + " with " +
                                         std::to_string(weight.size()) + " weights and " + std::to_string(bias.size()) +
                                         " biases"};
    return Done();
  }

protected:
  void row(int64_t index, double *out) const override {
    int64_t length = shape.back();
    source.readRow(index, out);
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < length; ++i)
      mean += out[i];
    mean /= double(length);
    for (int64_t i = 0; i < length; ++i)
      variance += (out[i] - mean) * (out[i] - mean);
    double factor = 1 / std::sqrt(variance / double(length) + epsilon);
    for (int64_t i = 0; i < length; ++i)
      out[i] = (out[i] - mean) * factor * weight[i] + bias[i];
  }

private:
  const HostTensor &source;
  std::vector<double> weight, bias;
  double epsilon;
};

template <typename T> Result<std::unique_ptr<Reference>> checked(std::unique_ptr<T> reference) {
  if (Status status = reference->check(); !status)
    return status.error();
  return std::unique_ptr<Reference>(std::move(reference));
}

} // namespace

Result<std::unique_ptr<Reference>> rt::makeReference(const LaunchFile &file, const ReferenceDecl &decl,
                                                     const Tensors &before, const Tensors &after) {
  switch (decl.kind) {
  case ReferenceDecl::Kind::Npy: {
    Result<HostTensor> source = readNpy(file.folder / decl.path);
    if (!source)
      return source.error();
    return std::unique_ptr<Reference>(std::make_unique<CopyReference>(std::move(*source)));
  }
  case ReferenceDecl::Kind::Equal:
    // The other tensor may be an output too, so what it holds now counts.
    return std::unique_ptr<Reference>(std::make_unique<CopyReference>(find(after, decl.inputs[0])));
  case ReferenceDecl::Kind::Matmul:
    return makeMatmul(decl, before);
  case ReferenceDecl::Kind::Softmax:
    return std::unique_ptr<Reference>(std::make_unique<SoftmaxReference>(decl, before));
  case ReferenceDecl::Kind::Attention:
  case ReferenceDecl::Kind::AttentionLse:
    return makeAttention(decl, before);
  case ReferenceDecl::Kind::LayerNorm:
    return checked(std::make_unique<LayerNormReference>(decl, before));
  case ReferenceDecl::Kind::Sum:
    return checked(std::make_unique<SumReference>(decl, before));
  }
  return Error{ErrorKind::Input, "unknown reference"};
}
