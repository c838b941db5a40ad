// mma.sync: the product of one warp's registers. Who holds what: PTX ISA, "Matrix Fragments for mma.m16n8k8",
// "m16n8k16" and "m16n8k32". With groupID = lane / 4 and threadID_in_group = lane % 4 a word of A holds elements of row
// groupID, one of every second word of row groupID + 8, and the words of the second pair lie half of K further.
#include "Cluster.h"
#include "MatrixElement.h"

#include <array>

namespace tlx::emu {
namespace {

constexpr unsigned rows = 16, columns = 8, wordsOfA = 4, wordsOfB = 2, sums = 4;

/// c0 and c1 are of row groupID, c2 and c3 of the row eight below; columns are 2 threadID_in_group and one more.
unsigned sumRow(unsigned lane, unsigned i) {
  return lane / 4 + (i < 2 ? 0 : 8);
}
unsigned sumColumn(unsigned lane, unsigned i) {
  return lane % 4 * 2 + (i & 1);
}

/// The elements of a word, lowest bits first.
template <typename Visit> void forElements(uint32_t word, MatrixType type, Visit visit) {
  const unsigned bytes = bytesOf(type);
  for (unsigned e = 0; e < 4 / bytes; ++e)
    visit(e, decodeElement(word >> (8 * bytes * e), type));
}

} // namespace

void Cluster::mmaSync(Warp &warp, const Inst &inst, LaneMask mask) {
  if (!checkConverged(warp, inst, mask))
    return;
  ++matrixOperations;
  const WarpProduct &shape = program.warpProducts[static_cast<size_t>(inst.imm)];
  const uint32_t *c = &program.operands[inst.extra], *a = c + sums, *b = a + wordsOfA;
  const unsigned perWord = 4 / bytesOf(shape.a), depth = 8 * perWord;
  std::vector<float> left(rows * depth), right(static_cast<size_t>(depth) * columns);
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    const unsigned group = lane / 4, inGroup = lane % 4;
    for (unsigned word = 0; word < wordsOfA; ++word)
      forElements(static_cast<uint32_t>(laneValue(warp, a[word], lane)), shape.a, [&](unsigned e, float value) {
        left[(group + 8 * (word % 2)) * depth + inGroup * perWord + e + depth / 2 * (word / 2)] = value;
      });
    for (unsigned word = 0; word < wordsOfB; ++word)
      forElements(static_cast<uint32_t>(laneValue(warp, b[word], lane)), shape.b, [&](unsigned e, float value) {
        right[(inGroup * perWord + e + depth / 2 * word) * columns + group] = value;
      });
  }
  auto finish = [&](auto fromBits, auto toBits) {
    using Sum = decltype(fromBits(0));
    std::array<std::array<Sum, sums>, warpSize> results;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < sums; ++i) {
        Sum sum = fromBits(laneValue(warp, c[i], lane));
        const float *row = &left[sumRow(lane, i) * depth], *column = &right[sumColumn(lane, i)];
        for (unsigned k = 0; k < depth; ++k)
          sum += static_cast<Sum>(row[k]) * static_cast<Sum>(column[k * columns]);
        results[lane][i] = sum;
      }
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < sums; ++i)
        lanes(warp, inst.dst + i)[lane] = toBits(results[lane][i]);
  };
  if (shape.isInteger)
    finish([](uint64_t bits) { return static_cast<int64_t>(static_cast<int32_t>(bits)); },
           [](int64_t value) { return static_cast<uint64_t>(static_cast<uint32_t>(value)); });
  else
    finish([](uint64_t bits) { return asFloat(bits); }, [](float value) { return asBits(value); });
}

} // namespace tlx::emu
