// First values of tensors. Element i of a stream is element i of the tensor in row-major order, whatever its strides.
#include "Parallel.h"
#include "tlx/Launch/LaunchSession.h"
#include "tlx/Launch/Npy.h"
#include "tlx/Launch/Random.h"

#include <cmath>
#include <limits>

using namespace tlx;
using namespace tlx::rt;

static double valueAt(const TensorDecl &decl, int64_t index) {
  const Initializer &init = decl.init;
  switch (init.kind) {
  case Initializer::Kind::Randn:
    return init.mean + init.deviation * standardNormal(decl.seed, uint64_t(index));
  case Initializer::Kind::RandInt:
    return double(uniformInteger(decl.seed, uint64_t(index), init.low, init.high));
  case Initializer::Kind::Arange:
    return double(index);
  case Initializer::Kind::NaN:
    return std::numeric_limits<double>::quiet_NaN();
  case Initializer::Kind::Full:
    return init.value;
  case Initializer::Kind::Zeros:
  case Initializer::Kind::Npy:
    return 0;
  }
  return 0;
}

static Status fillFromFile(const LaunchFile &file, const TensorDecl &decl, HostTensor &tensor) {
  Result<HostTensor> source = readNpy(file.folder / decl.init.path);
  if (!source)
    return source.error();
  if (source->shape != tensor.shape)
    return Error{ErrorKind::Input, "`" + decl.init.path + "` has shape " + toText(source->shape) + "; `" + decl.name +
                                       "` has " + toText(decl.shape)};
  std::vector<double> row(size_t(tensor.rowLength()));
  for (int64_t i = 0; i < tensor.rowCount(); ++i) {
    source->readRow(i, row.data());
    tensor.writeRow(i, row.data());
  }
  return Done();
}

static Result<HostTensor> makeTensor(const LaunchFile &file, const TensorDecl &decl) {
  HostTensor tensor{decl.name, decl.dtype, decl.shape, decl.strides, decl.offset, {}};
  if (decl.init.kind == Initializer::Kind::NaN && !isFloat(decl.dtype))
    return Error{ErrorKind::Input, "`" + decl.name + "`: `" + std::string(spelling(decl.dtype)) + "` has no NaN"};
  tensor.allocate();
  if (decl.init.kind == Initializer::Kind::Npy) {
    if (Status status = fillFromFile(file, decl, tensor); !status)
      return status.error();
    return tensor;
  }
  int64_t length = tensor.rowLength();
  parallelFor(tensor.rowCount(), std::max<int64_t>(1, 65536 / length), [&](int64_t begin, int64_t end) {
    std::vector<double> row(static_cast<size_t>(length));
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t column = 0; column < length; ++column)
        row[column] = valueAt(decl, i * length + column);
      tensor.writeRow(i, row.data());
    }
  });
  return tensor;
}

Result<std::vector<HostTensor>> rt::makeTensors(const LaunchFile &file) {
  std::vector<HostTensor> tensors;
  for (const TensorDecl &decl : file.tensors) {
    Result<HostTensor> tensor = makeTensor(file, decl);
    if (!tensor)
      return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}
