// OCP Microscaling formats: a scale is an exponent, 127 is 1, 255 no number.
#include "BlockScales.h"

#include <cmath>
#include <limits>

using namespace tlx;
using namespace tlx::rt;

constexpr int64_t blockLength = 32, atomRows = 128, atomBlocks = 4, atomBytes = 512;

std::optional<Error> rt::checkBlockScales(const HostTensor &scales, int64_t rows, int64_t k) {
  const int64_t atoms = (rows + atomRows - 1) / atomRows * ((k + 127) / 128);
  if (scales.dtype == ElementType::U8 && scales.elementCount() == atoms * atomBytes && k % blockLength == 0)
    return std::nullopt;
  return Error{ErrorKind::Input, "`scales`: `" + scales.name + "` has " + std::to_string(scales.elementCount()) +
                                     " elements; " + std::to_string(rows) + " rows of " + std::to_string(k) +
                                     " elements have " + std::to_string(atoms * atomBytes) + " of type u8"};
}

/// A block of 512 bytes has 128 rows and four blocks along K; all blocks of 128 rows stand together.
static int64_t placeOf(int64_t row, int64_t block, int64_t k) {
  const int64_t atomsOfRow = (k + 127) / 128, atom = row / atomRows * atomsOfRow + block / atomBlocks;
  const int64_t inside = row % atomRows;
  return atom * atomBytes + inside % 32 * 16 + inside / 32 * 4 + block % atomBlocks;
}

template <typename T> void rt::applyBlockScales(std::vector<T> &matrix, int64_t k, const HostTensor &scales) {
  const std::vector<float> codes = flattened<float>(scales);
  for (size_t index = 0; index < matrix.size(); ++index) {
    const int64_t row = static_cast<int64_t>(index) / k, block = static_cast<int64_t>(index) % k / blockLength;
    const int code = static_cast<int>(codes[static_cast<size_t>(placeOf(row, block, k))]);
    matrix[index] *= code == 255 ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(std::ldexp(1.0, code - 127));
  }
}

template void rt::applyBlockScales(std::vector<float> &, int64_t, const HostTensor &);
template void rt::applyBlockScales(std::vector<double> &, int64_t, const HostTensor &);
