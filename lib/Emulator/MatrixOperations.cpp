// wgmma: operands from shared memory or registers, the product, and the registers in flight.
#include "Cluster.h"
#include "MatrixDescriptor.h"
#include "MatrixElement.h"
#include "Numbers.h"

#include <cstring>

namespace tlx::emu {
namespace {

/// d[row][column] += a[row][k] * b[k][column] for the 16 rows of one warp.
template <typename T>
void multiply(std::vector<T> &d, const std::vector<float> &a, const std::vector<float> &b, unsigned n, unsigned k) {
  std::vector<T> right(b.begin(), b.end());
  for (unsigned row = 0; row < 16; ++row) {
    T *into = &d[row * n];
    for (unsigned inner = 0; inner < k; ++inner) {
      const T left = static_cast<T>(a[row * k + inner]);
      const T *from = &right[inner * n];
      for (unsigned column = 0; column < n; ++column)
        into[column] += left * from[column];
    }
  }
}

/// Where accumulator element `e` of a lane lies (PTX ISA, wgmma register fragments, accumulator D).
unsigned rowOf(unsigned lane, unsigned e) {
  return lane / 4 + 8 * (e / 2 % 2);
}
unsigned columnOf(unsigned lane, unsigned e) {
  return 8 * (e / 4) + 2 * (lane % 4) + e % 2;
}

} // namespace

bool Cluster::checkDescriptor(Warp &warp, const Inst &inst, uint64_t bits, const char *name) {
  MatrixDescriptor descriptor(bits);
  if (descriptor.stray)
    report(FindingKind::Misuse, warp, inst.site,
           std::string("the descriptor of ") + name + " has bits set that must be zero");
  else if (descriptor.baseOffset)
    report(FindingKind::Misuse, warp, inst.site,
           std::string("the descriptor of ") + name + " has a base offset, which is not emulated");
  else
    return true;
  return false;
}

/// Reads rows [first, first + rows) of an operand as `into[row * k + inner]`.
bool Cluster::readMatrix(Warp &warp, const Inst &inst, uint64_t bits, MatrixType type, bool transposed, unsigned first,
                         unsigned rows, unsigned k, std::vector<float> &into, const Actor &actor, const char *name) {
  if (!checkDescriptor(warp, inst, bits, name))
    return false;
  const MatrixDescriptor descriptor(bits);
  const unsigned size = bytesOf(type), perChunk = 16 / size;
  into.assign(static_cast<size_t>(rows) * k, 0);
  const unsigned outer = transposed ? k : rows, inner = transposed ? rows : k;
  for (unsigned line = 0; line < outer; ++line)
    for (unsigned position = 0; position < inner; position += perChunk) {
      uint32_t address = transposed ? descriptor.chunkMNMajor(first + position, line)
                                    : descriptor.chunkKMajor(first + line, position, perChunk);
      // A descriptor has no place for a rank: operands are the CTA's own.
      address |= static_cast<uint32_t>(warp.cta) << clusterRankShift;
      Target target = resolve(warp, inst.site, Space::Shared, address, 16, "the matrix operation reads");
      if (!target.data)
        return false;
      access(target, 16, false, actor);
      for (unsigned element = 0; element < perChunk; ++element) {
        uint32_t value = 0;
        std::memcpy(&value, target.data + element * size, size);
        size_t row = transposed ? position + element : line, column = transposed ? line : position + element;
        into[row * k + column] = decodeElement(value, type);
      }
    }
  return true;
}

/// All four warps execute the same operation with the same descriptors (PTX ISA, wgmma.mma_async).
bool Cluster::agreeOnMatrix(Warp &warp, const Inst &inst, uint64_t a, uint64_t b, bool scaleD) {
  WarpGroup &group = groupOf(warp);
  const uint32_t index = static_cast<uint32_t>(&inst - program.code.data());
  if (warp.matrixIssued == group.operations.size()) {
    group.operations.push_back({index, a, b, scaleD, warp.global});
    return true;
  }
  const WarpGroup::Operation &first = group.operations[warp.matrixIssued];
  if (first.inst == index && first.a == a && first.b == b && first.scaleD == scaleD)
    return true;
  Finding found =
      finding(FindingKind::ParticipantMismatch, warp, inst.site,
              first.inst != index ? "the warps of a group execute different matrix operations together"
                                  : "the warps of a group execute a matrix operation with different descriptors");
  found.other = placeOf(first.warp, program.code[first.inst].site);
  log.add(std::move(found));
  return false;
}

void Cluster::wgmma(Warp &warp, const Inst &inst, LaneMask mask) {
  checkConverged(warp, inst, mask);
  const MatrixShape &shape = program.matrices[static_cast<size_t>(inst.imm)];
  const uint32_t *operands = &program.operands[inst.extra], *aOperands = operands + shape.accumulators;
  const uint32_t bOperand = aOperands[shape.aRegisters], scaleOperand = aOperands[shape.aRegisters + 1];
  const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  const bool aInRegisters = shape.aRegisters == 4, scaleD = laneValue(warp, scaleOperand, lane) & 1;
  const uint64_t aBits = aInRegisters ? 0 : laneValue(warp, aOperands[0], lane),
                 bBits = laneValue(warp, bOperand, lane);
  if (warp.index / 4 * 4 + 4u > program.threads / warpSize)
    report(FindingKind::ParticipantMismatch, warp, inst.site,
           "a matrix operation needs four warps; the last group of the block is smaller");
  // Needed before the first operation in any case (PTX ISA, wgmma.fence); later ones may do without.
  if (warp.matrixFence == 0)
    report(FindingKind::Misuse, warp, inst.site, "multiplies without a wgmma.fence before the first matrix operation");
  agreeOnMatrix(warp, inst, aBits, bBits, scaleD);
  ++matrixOperations;
  const uint64_t sequence = ++warp.matrixIssued;
  Actor actor = actorOf(warp, inst);
  actor.event.agent = static_cast<uint16_t>(groupOf(warp).agent);
  actor.event.time = static_cast<uint32_t>(sequence);
  actor.event.async = true;
  std::vector<float> a, b;
  const unsigned quarter = warp.index % 4 * 16, k = shape.k, n = shape.n;
  if (aInRegisters) {
    const unsigned size = bytesOf(shape.a), perRegister = 4 / size;
    a.assign(16 * k, 0);
    for (unsigned reg = 0; reg < 4; ++reg) {
      if (warp.inFlight[aOperands[reg]] > warp.matrixCompleted)
        report(FindingKind::InFlightAccess, warp, inst.site,
               "multiplies registers that an operation in flight still writes");
      for (unsigned from = 0; from < warpSize; ++from)
        for (unsigned part = 0; part < perRegister; ++part) {
          // Registers 0 and 2 hold rows 0-7, 1 and 3 rows 8-15; 2 and 3 the upper half of K.
          unsigned row = from / 4 + 8 * (reg % 2), column = from % 4 * perRegister + part + k / 2 * (reg / 2);
          uint32_t value = static_cast<uint32_t>(laneValue(warp, aOperands[reg], from)) >> (8 * size * part);
          a[row * k + column] = decodeElement(value, shape.a);
        }
    }
  } else if (!readMatrix(warp, inst, aBits, shape.a, shape.transA, quarter, 16, k, a, actor, "A")) {
    return;
  }
  std::vector<float> bRows, right(static_cast<size_t>(k) * n);
  if (!readMatrix(warp, inst, bBits, shape.b, shape.transB, 0, n, k, bRows, actor, "B"))
    return;
  for (unsigned column = 0; column < n; ++column)
    for (unsigned inner = 0; inner < k; ++inner)
      right[inner * n + column] = bRows[column * k + inner];
  const uint32_t group = static_cast<uint32_t>(warp.matrixGroups.size() + 1);
  auto finish = [&](auto zero, auto read, auto write) {
    std::vector<decltype(zero)> d(16 * static_cast<size_t>(n), zero);
    const unsigned elements = n / 2;
    if (scaleD)
      for (unsigned e = 0; e < elements; ++e)
        for (unsigned to = 0; to < warpSize; ++to)
          d[rowOf(to, e) * n + columnOf(to, e)] = read(e, to);
    multiply(d, a, right, n, k);
    for (unsigned e = 0; e < elements; ++e)
      for (unsigned to = 0; to < warpSize; ++to)
        write(e, to, d[rowOf(to, e) * n + columnOf(to, e)]);
  };
  auto source = [&](uint32_t reg, unsigned from) { return laneValue(warp, operands[reg], from); };
  auto result = [&](uint32_t reg, unsigned to) -> uint64_t & { return lanes(warp, inst.dst + reg)[to]; };
  if (shape.d == MatrixType::F32)
    finish(
        0.0f, [&](unsigned e, unsigned from) { return asFloat(source(e, from)); },
        [&](unsigned e, unsigned to, float value) { result(e, to) = asBits(value); });
  else if (shape.d == MatrixType::S32)
    finish(
        int32_t(0), [&](unsigned e, unsigned from) { return static_cast<int32_t>(source(e, from)); },
        [&](unsigned e, unsigned to, int32_t value) { result(e, to) = static_cast<uint32_t>(value); });
  else if (shape.accumulators == n / 2)
    finish(
        0.0f, [&](unsigned e, unsigned from) { return decodeF16(static_cast<uint16_t>(source(e, from))); },
        [&](unsigned e, unsigned to, float value) { result(e, to) = encodeF16(value); });
  else
    finish(
        0.0f,
        [&](unsigned e, unsigned from) {
          return decodeF16(static_cast<uint16_t>(source(e / 2, from) >> (16 * (e % 2))));
        },
        [&](unsigned e, unsigned to, float value) {
          uint64_t &packed = result(e / 2, to);
          packed = e % 2 ? (packed & 0xffff) | static_cast<uint64_t>(encodeF16(value)) << 16 : encodeF16(value);
        });
  for (uint32_t reg = 0; reg < shape.accumulators; ++reg)
    warp.inFlight[inst.dst + reg] = group;
  if (warp.matrixSince == 0)
    warp.matrixSince = now;
}

Cluster::Step Cluster::waitMatrix(Warp &warp, const Inst &inst, LaneMask mask) {
  checkConverged(warp, inst, mask);
  const uint64_t pending = static_cast<uint64_t>(inst.imm), committed = warp.matrixGroups.size();
  const uint64_t goal = committed > pending ? committed - pending : 0;
  Wait wait;
  wait.kind = Wait::Kind::Matrix;
  wait.generation = goal;
  warp.wait = wait;
  if (goal > warp.matrixCompleted && !isReady(warp))
    return block(warp, wait, inst.site);
  warp.wait = Wait();
  if (goal > 0)
    warp.knows.learn(groupOf(warp).agent, static_cast<uint32_t>(warp.matrixGroups[goal - 1]));
  warp.matrixCompleted = std::max(warp.matrixCompleted, goal);
  if (timeline && warp.matrixSince && goal == committed) {
    timeline->span(clusterIndex * static_cast<unsigned>(ctas.size()) + warp.cta, 500 + warp.index / 4u, "wgmma",
                   "matrix", warp.matrixSince, now);
    warp.matrixSince = 0;
  }
  for (uint32_t index = 0; index < inst.count; ++index) {
    const uint32_t from = program.operands[inst.extra + index];
    std::copy_n(lanes(warp, from), warpSize, lanes(warp, inst.dst + index));
    warp.inFlight[inst.dst + index] = warp.inFlight[from] > warp.matrixCompleted ? warp.inFlight[from] : 0;
  }
  return Step::Next;
}

} // namespace tlx::emu
