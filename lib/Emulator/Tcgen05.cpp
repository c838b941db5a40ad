// tcgen05.mma and tcgen05.commit: products computed at issue; their accesses count as in flight until the arrival of a
// commit is known.
#include "TensorProduct.h"

#include <cstring>

namespace tlx::emu {

/// The operand type that a code of the instruction descriptor means for a kind; false when there is none.
static bool typeOfCode(const Inst &inst, unsigned code, MatrixType &type) {
  constexpr unsigned f16 = 0, tf32 = 1, i8 = 3;
  const unsigned kind = inst.flag;
  if (inst.op == Opcode::Tcgen05ScaledMma) {
    if (kind == 0 ? code > 1 : code != 1)
      return false;
    type = kind ? MatrixType::E2M1 : code ? MatrixType::E5M2 : MatrixType::E4M3;
    return true;
  }
  if (kind == i8 && code < 2)
    type = code ? MatrixType::S8 : MatrixType::U8;
  else if (kind == f16 && code < 2)
    type = code ? MatrixType::BF16 : MatrixType::F16;
  else if (kind == tf32 && code == 2)
    type = MatrixType::TF32;
  else if (kind > tf32 && kind < i8 && code < 2)
    type = code ? MatrixType::E5M2 : MatrixType::E4M3;
  else
    return false;
  return true;
}

/// PTX ISA, tcgen05.mma, table of shapes.
static bool isShape(const Tcgen05Instruction &shape, bool pair, bool isInteger) {
  if (isInteger && shape.n % 16 && shape.n != 8)
    return false;
  if (pair && isInteger && shape.n % 32)
    return false;
  if (pair)
    return (shape.m == 128 || shape.m == 256) && shape.n >= 16 && shape.n <= 256 && shape.n % 16 == 0;
  return (shape.m == 64 && shape.n >= 8 && shape.n <= 256 && shape.n % 8 == 0) ||
         (shape.m == 128 && shape.n >= 16 && shape.n <= 256 && shape.n % 16 == 0);
}

/// The lane of tensor memory for a row of a CTA's part (PTX ISA, data path layouts A, D and F).
static unsigned laneOfRow(unsigned row, unsigned rows) {
  return rows == 64 ? row / 16 * 32 + row % 16 : row;
}

/// Rows of A, or columns of B, that a CTA has in shared memory, as `into[row * k + inner]`.
bool Cluster::readSharedRows(TensorProduct &product, bool isA, unsigned cta, unsigned rows, std::vector<float> &into) {
  const Tcgen05Operand operand(isA ? product.a : product.b);
  if (operand.problem) {
    report(FindingKind::Misuse, product.warp, product.inst.site,
           std::string("the descriptor of ") + (isA ? "A " : "B ") + operand.problem);
    return false;
  }
  const MatrixType type = isA ? product.aType : product.bType;
  const bool transposed = isA ? product.shape.transposeA : product.shape.transposeB;
  const bool negate = isA ? product.shape.negateA : product.shape.negateB;
  const unsigned size = bytesOf(type), perByte = elementsPerByte(type), perChunk = 16 / size, k = product.k;
  // Elements of 4 bits are read as bytes of two.
  const unsigned outer = transposed ? k : rows, inner = transposed ? rows : k / perByte;
  into.assign(static_cast<size_t>(rows) * k, 0);
  for (unsigned line = 0; line < outer; ++line)
    for (unsigned position = 0; position < inner; position += perChunk) {
      uint32_t address =
          transposed ? operand.chunkMNMajor(position, line, perChunk) : operand.chunkKMajor(line, position, perChunk);
      address |= cta << clusterRankShift;
      Target target = resolve(product.warp, product.inst.site, Space::Cluster, address, 16, "the product reads");
      if (!target.data)
        return false;
      access(target, 16, false, product.shared);
      for (unsigned element = 0; element < perChunk && position + element < inner; ++element) {
        uint32_t value = 0;
        std::memcpy(&value, target.data + element * size, size);
        const size_t row = transposed ? position + element : line, column = transposed ? line : position + element;
        for (unsigned part = 0; part < perByte; ++part) {
          const float decoded = decodeElement(value >> (4 * part), type);
          into[row * k + column * perByte + part] = negate ? -decoded : decoded;
        }
      }
    }
  return true;
}

/// Rows of A in tensor memory: along K, the first element in the low bits of a column.
bool Cluster::readTensorRows(TensorProduct &product, unsigned cta, unsigned rows, std::vector<float> &into) {
  const TensorAddress address(product.a);
  const unsigned size = bytesOf(product.aType), perColumn = 4 / size, k = product.k, columns = k / perColumn;
  into.assign(static_cast<size_t>(rows) * k, 0);
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned lane = address.lane + laneOfRow(row, rows);
    if (!accessTensor({&ctas[cta], lane, address.column, columns}, false, product.tensor))
      return false;
    for (unsigned inner = 0; inner < k; ++inner) {
      uint32_t word = ctas[cta].tensor->at(lane, address.column + inner / perColumn);
      float value = decodeElement(word >> (8 * size * (inner % perColumn)), product.aType);
      into[row * k + inner] = product.shape.negateA ? -value : value;
    }
  }
  return true;
}

void Cluster::TensorProduct::multiplyRow(unsigned row, const std::vector<float> &left, const std::vector<float> &right,
                                         std::vector<float> &sums) const {
  const unsigned n = shape.n, blocks = k / block;
  std::vector<float> part(n);
  std::fill(sums.begin(), sums.end(), 0.0f);
  for (unsigned index = 0; index < blocks; ++index) {
    std::fill(part.begin(), part.end(), 0.0f);
    for (unsigned inner = index * block; inner < (index + 1) * block; ++inner) {
      const float factor = left[static_cast<size_t>(row) * k + inner];
      const float *line = &right[static_cast<size_t>(inner) * n];
      for (unsigned column = 0; column < n; ++column)
        part[column] += factor * line[column];
    }
    for (unsigned column = 0; column < n; ++column)
      sums[column] += isScaled()
                          ? static_cast<float>(static_cast<double>(part[column]) * aFactors[row * blocks + index] *
                                               bFactors[column * blocks + index])
                          : part[column];
  }
}

bool Cluster::multiplyInto(TensorProduct &product, unsigned cta, const std::vector<float> &a,
                           const std::vector<float> &b) {
  const unsigned rows = product.rowsOfCta(), n = product.shape.n;
  // Layout B: a pair with 64 rows each folds the second half of the columns into the upper lanes.
  const bool folded = product.pair && rows == 64;
  const unsigned parts = folded ? 2 : 1, width = n / parts;
  std::vector<float> sums(n);
  for (unsigned row = 0; row < rows; ++row) {
    product.multiplyRow(row, a, b, sums);
    for (unsigned part = 0; part < parts; ++part) {
      const unsigned lane = product.d.lane + (folded ? row + 64 * part : laneOfRow(row, rows));
      const TensorRange range{&ctas[cta], lane, product.d.column, width};
      if (product.accumulate && !accessTensor(range, false, product.tensor))
        return false;
      if (!accessTensor(range, true, product.tensor))
        return false;
      for (unsigned column = 0; column < width; ++column) {
        uint32_t &word = ctas[cta].tensor->at(lane, product.d.column + column);
        const float sum = sums[part * width + column];
        // 32 products of bytes are exact as floats.
        if (product.isInteger())
          word = (product.accumulate ? word : 0) + static_cast<uint32_t>(static_cast<int32_t>(sum));
        else
          word = static_cast<uint32_t>(asBits((product.accumulate ? asFloat(word) : 0.0f) + sum));
      }
    }
  }
  return true;
}

/// What the hardware would not do, or is not emulated; empty when all is well. Settles the operand types.
std::string Cluster::problemOf(TensorProduct &product) {
  const Tcgen05Instruction &shape = product.shape;
  if (shape.problem)
    return std::string("the instruction descriptor ") + shape.problem;
  if (!typeOfCode(product.inst, shape.aType, product.aType) || !typeOfCode(product.inst, shape.bType, product.bType))
    return "the instruction descriptor names operand types that this kind of product does not have";
  if (product.isInteger() ? shape.dType != 2 : shape.dType != 1)
    return "the instruction descriptor names a type of D that is not emulated; f32, of integers s32 is";
  if (product.isInteger() && (shape.negateA || shape.negateB))
    return "the instruction descriptor changes signs of integers";
  if (product.isScaled())
    if (std::string problem = scaleProblemOf(product); !problem.empty())
      return problem;
  if (!isShape(shape, product.pair, product.isInteger()))
    return "the instruction descriptor asks for " + std::to_string(shape.m) + " rows and " + std::to_string(shape.n) +
           " columns; the hardware has no such product";
  const bool fromTensor = product.inst.toBits;
  if ((product.aType == MatrixType::TF32 && (shape.transposeA || shape.transposeB)) || (fromTensor && shape.transposeA))
    return "the operand cannot be MN-major here";
  if (product.d.lane != 0)
    return "D begins at lane " + std::to_string(product.d.lane) + "; it begins at lane 0";
  return "";
}

void Cluster::multiplyTensor(Warp &warp, const Inst &inst, LaneMask mask) {
  auto refuse = [&](const std::string &why) { report(FindingKind::Misuse, warp, inst.site, why); };
  if (std::popcount(mask) != 1)
    return refuse("is issued by " + std::to_string(std::popcount(mask)) + " threads; one thread issues a product");
  const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  auto operand = [&](uint32_t slot) { return laneValue(warp, slot, lane); };
  const bool pair = inst.bits;
  if (pair && (ctas.size() % 2 || warp.cta % 2))
    return refuse("a product of a pair of CTAs is issued by the even one of two");
  const uint32_t number = ++warp.productsIssued, agent = tensorAgent(warp);
  ++matrixOperations;
  Clock ordered = warp.tensorKnown;
  ordered[warp.global] = std::max(ordered[warp.global], coveredTime(warp));
  // Products of one thread are done in order.
  ordered[agent] = number;
  Event event{number, inst.site, static_cast<uint16_t>(agent), warp.global, clusterIndex, true, false};
  TensorProduct product{warp,
                        inst,
                        operand(inst.a),
                        operand(inst.b),
                        TensorAddress(operand(inst.c)),
                        Tcgen05Instruction::decode(static_cast<uint32_t>(operand(program.operands[inst.extra])),
                                                   inst.op == Opcode::Tcgen05ScaledMma),
                        (operand(program.operands[inst.extra + 1]) & 1) != 0,
                        pair,
                        {event, &warp.knows, warp.cta},
                        {event, &ordered, &warp.knows.generic}};
  if (product.isScaled()) {
    product.aScale = TensorAddress(operand(program.operands[inst.extra + 2]));
    product.bScale = TensorAddress(operand(program.operands[inst.extra + 3]));
  }
  const Tcgen05Instruction &shape = product.shape;
  if (std::string problem = problemOf(product); !problem.empty())
    return refuse(problem);
  const bool fromTensor = inst.toBits;
  product.k = 32 / bytesOf(product.aType) * elementsPerByte(product.aType);
  product.block = product.isScaled() ? static_cast<unsigned>(inst.imm) : product.k;
  const unsigned rows = product.rowsOfCta(), columns = pair ? shape.n / 2 : shape.n, members = pair ? 2 : 1;
  if (product.isScaled() &&
      (!readScales(product, true, shape.m, product.aFactors) || !readScales(product, false, shape.n, product.bFactors)))
    return;
  // B as right[inner * n + column], each CTA with its part of the columns.
  std::vector<float> part, right(static_cast<size_t>(product.k) * shape.n), a;
  for (unsigned member = 0; member < members; ++member) {
    if (!readSharedRows(product, false, warp.cta + member, columns, part))
      return;
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned inner = 0; inner < product.k; ++inner)
        right[static_cast<size_t>(inner) * shape.n + member * columns + column] = part[column * product.k + inner];
  }
  for (unsigned member = 0; member < members; ++member) {
    const unsigned cta = warp.cta + member;
    bool isRead = fromTensor ? readTensorRows(product, cta, rows, a) : readSharedRows(product, true, cta, rows, a);
    if (!isRead || !multiplyInto(product, cta, a, right))
      return;
  }
}

/// The arrival comes when the products are done: some time later.
void Cluster::commitTensor(Warp &warp, const Inst &inst, LaneMask mask) {
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = laneValue(warp, inst.a, lane);
    uint32_t targets = 1u << (sharedOffset(address) == address ? warp.cta : address >> clusterRankShift);
    if (inst.b != noSlot)
      targets = static_cast<uint32_t>(laneValue(warp, inst.b, lane) & 0xffff);
    if (targets == 0 || targets >> ctas.size())
      return report(FindingKind::OutOfBounds, warp, inst.site,
                    "signals CTAs of mask " + std::to_string(targets) + " in a cluster of " +
                        std::to_string(ctas.size()));
    for (unsigned rank = 0; rank < ctas.size(); ++rank) {
      if (!(targets >> rank & 1) || !findMbarrier(warp, inst.site, sharedOffset(address), rank, "signals").barrier)
        continue;
      CopyRef commit = std::make_shared<Copy>();
      commit->kind = Copy::Kind::MatrixCommit;
      commit->cta = static_cast<uint16_t>(rank);
      commit->warp = warp.global;
      commit->site = inst.site;
      commit->agent = tensorAgent(warp);
      commit->time = warp.productsIssued;
      commit->issued = warp.knows;
      commit->started = now;
      commit->barrier = sharedOffset(address);
      release(warp);
      schedule(commit);
    }
  });
}

void Cluster::finishCommit(Copy &copy) {
  Warp &issuer = warps[copy.warp];
  auto found = ctas[copy.cta].mbarriers.find(copy.barrier);
  if (found == ctas[copy.cta].mbarriers.end())
    return report(FindingKind::BarrierMisuse, issuer, copy.site, "signals a barrier that is dead when products end");
  Mbarrier &barrier = found->second;
  // A commit also orders what its thread knew of tensor memory (PTX ISA, tcgen05.commit: implies the fence before).
  barrier.gathered.join(copy.issued);
  join(barrier.gathered.tensor, Clock(agents));
  barrier.gathered.learn(copy.agent, copy.time);
  uint32_t &done = barrier.gathered.tensor[copy.agent];
  done = std::max(done, copy.time);
  if (barrier.pending == 0) {
    Finding excess = finding(FindingKind::BarrierMisuse, issuer, copy.site,
                             "arrives once more than the barrier expects in this phase");
    nameBarrier(excess, copy.barrier);
    log.add(std::move(excess));
    return;
  }
  --barrier.pending;
  barrier.noteArrival(copy.site, issuer.cta, copy.warp);
  barrier.advance();
}

} // namespace tlx::emu
