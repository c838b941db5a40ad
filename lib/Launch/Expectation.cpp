// Comparison of an output with its reference: which rows, which errors, and how it is said.
#include "tlx/Launch/Expectation.h"

#include "Parallel.h"
#include "Reference.h"
#include "tlx/Launch/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>

using namespace tlx;
using namespace tlx::rt;

namespace {

constexpr int64_t leastRows = 64;

struct Place {
  int64_t row = -1, column = -1;
  double found = 0, expected = 0;
};

/// What was seen in some rows. Sums are kept by row order of pieces, so they depend a little on the machine; limits do
/// not.
struct Tally {
  double squaredError = 0, squaredReference = 0;
  double largest = 0;
  Place largestAt;
  int64_t wrongSpecials = 0;
  Place firstSpecial;

  void add(int64_t row, int64_t column, double found, double expected) {
    if (!std::isfinite(found) || !std::isfinite(expected)) {
      // Equal infinities are right; NaN never is.
      if (found == expected)
        return;
      if (wrongSpecials++ == 0 || row < firstSpecial.row)
        firstSpecial = {row, column, found, expected};
      return;
    }
    double error = std::abs(found - expected);
    squaredError += error * error;
    squaredReference += expected * expected;
    if (error > largest || largestAt.row < 0) {
      largest = error;
      largestAt = {row, column, found, expected};
    }
  }

  void merge(const Tally &other) {
    squaredError += other.squaredError;
    squaredReference += other.squaredReference;
    if (other.largestAt.row >= 0 && (other.largest > largest || largestAt.row < 0))
      largest = other.largest, largestAt = other.largestAt;
    bool earlier = wrongSpecials == 0 || other.firstSpecial.row < firstSpecial.row;
    if (other.wrongSpecials && earlier)
      firstSpecial = other.firstSpecial;
    wrongSpecials += other.wrongSpecials;
  }

  double relativeError() const {
    if (squaredReference == 0)
      return squaredError == 0 ? 0 : HUGE_VAL;
    return std::sqrt(squaredError / squaredReference);
  }
};

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

std::string placeText(const HostTensor &output, const Place &place) {
  return text(place.found) + " instead of " + text(place.expected) + " at " +
         toText(output.indices(place.row, place.column));
}

std::vector<int64_t> chooseRows(int64_t rows, double costOfRow, const ExpectDecl &expect) {
  std::vector<int64_t> chosen;
  int64_t wanted = rows;
  if (double(rows) * costOfRow > expect.sampleAbove)
    wanted = std::min(rows, std::max(leastRows, int64_t(expect.sampleAbove / costOfRow)));
  for (int64_t i = 0; i < wanted; ++i)
    chosen.push_back(wanted == rows ? i : uniformInteger(expect.seed, uint64_t(i), 0, rows));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Tally compare(const Reference &reference, const HostTensor &output, const std::vector<int64_t> &rows) {
  Tally total;
  std::mutex mutex;
  int64_t length = output.rowLength();
  parallelFor(int64_t(rows.size()), Reference::groupSize, [&](int64_t begin, int64_t end) {
    std::vector<double> expected(size_t((end - begin) * length)), found(static_cast<size_t>(length));
    reference.compute(rows.data() + begin, end - begin, expected.data());
    Tally tally;
    for (int64_t i = begin; i < end; ++i) {
      output.readRow(rows[i], found.data());
      for (int64_t column = 0; column < length; ++column) {
        // The output cannot be closer than its type allows.
        uint64_t bits = 0;
        encodeElement(output.dtype, expected[(i - begin) * length + column], &bits);
        tally.add(rows[i], column, found[column], decodeElement(output.dtype, &bits));
      }
    }
    std::lock_guard lock(mutex);
    total.merge(tally);
  });
  return total;
}

Verdict judge(const ExpectDecl &expect, const HostTensor &output, const Tally &tally, const std::string &sample) {
  Verdict verdict{expect.tensor, false, ""};
  if (tally.wrongSpecials) {
    verdict.text = std::to_string(tally.wrongSpecials) + " elements are not finite or should not be, first " +
                   placeText(output, tally.firstSpecial) + sample;
    return verdict;
  }
  double relative = tally.relativeError();
  verdict.text =
      "relative error " + text(relative) + " (limit " + text(expect.rtol) + "), largest error " + text(tally.largest);
  if (expect.atol)
    verdict.text += " (limit " + text(*expect.atol) + ")";
  if (tally.largest > 0)
    verdict.text += ": " + placeText(output, tally.largestAt);
  verdict.text += sample;
  verdict.passed = relative <= expect.rtol && (!expect.atol || tally.largest <= *expect.atol);
  return verdict;
}

HostTensor withElementsAsRows(HostTensor tensor) {
  tensor.shape.push_back(1);
  tensor.strides.push_back(0);
  return tensor;
}

Verdict compareSample(const ExpectDecl &expect, const Reference &reference, const HostTensor &output) {
  std::vector<int64_t> rows = chooseRows(output.rowCount(), reference.costOfRow, expect);
  std::string sample;
  if (int64_t(rows.size()) < output.rowCount())
    sample = " [" + std::to_string(rows.size()) + " of " + std::to_string(output.rowCount()) + " rows, seed " +
             std::to_string(expect.seed) + "]";
  return judge(expect, output, compare(reference, output, rows), sample);
}

} // namespace

Result<Verdict> rt::checkExpectation(const LaunchFile &file, const ExpectDecl &expect, const Tensors &before,
                                     const Tensors &after) {
  const HostTensor &output = find(after, expect.tensor);
  Result<std::unique_ptr<Reference>> reference = makeReference(file, expect.reference, before, after);
  if (!reference)
    return reference.error();
  if ((*reference)->shape != output.shape)
    return Error{ErrorKind::Input, "the reference of `" + expect.tensor + "` has shape " + toText((*reference)->shape) +
                                       "; the tensor has " + toText(output.shape)};
  if (int64_t byte = output.firstTouchedPadding(); byte >= 0)
    return Verdict{expect.tensor, false,
                   "byte " + std::to_string(byte) + " of the storage, outside of the tensor, was overwritten"};
  if ((*reference)->elementIsRow)
    return compareSample(expect, **reference, withElementsAsRows(output));
  return compareSample(expect, **reference, output);
}
