// Factors of blocks of K: their copies to tensor memory (tcgen05.cp) and their place there, as products read them.
#include "TensorProduct.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tlx::emu {

/// PTX ISA, tcgen05.mma, block scaling: a column has four factors of a row, row r in lane r mod 32 of column r / 32.
constexpr unsigned rowsOfColumn = 32, factorsOfColumn = 4;

/// What of a block-scaled product the hardware does not have, or is not emulated; empty when all is well.
std::string Cluster::scaleProblemOf(const TensorProduct &product) {
  constexpr unsigned mxf8f6f4 = 0, mxf4 = 1;
  const Tcgen05Instruction &shape = product.shape;
  const unsigned kind = product.inst.flag, block = static_cast<unsigned>(product.inst.imm);
  // Kinds mxf8f6f4 and mxf4 have powers of two for 32 elements; mxf4nvf4 also 8-bit floats for 16.
  if (block != 32 && (block != 16 || kind == mxf8f6f4 || kind == mxf4))
    return "blocks of " + std::to_string(block) + " elements have no scale in this kind of product";
  if (shape.exponentScales != (block == 32))
    return "the instruction descriptor names a type of scales that this kind of product does not have";
  const unsigned factors = (kind == mxf8f6f4 ? 32 : 64) / block;
  if (shape.aScale % factors || shape.bScale % factors)
    return "the instruction descriptor begins with scale " +
           std::to_string(shape.aScale % factors ? shape.aScale : shape.bScale) + " of a column; the product has " +
           std::to_string(factors) + " for each row";
  if (shape.m != 128)
    return "the instruction descriptor asks for " + std::to_string(shape.m) +
           " rows; block-scaled products of one CTA have 128";
  if (kind != mxf8f6f4 && (shape.transposeA || shape.transposeB))
    return "operands of 4-bit elements cannot be MN-major";
  if (product.aScale.lane != 0 || product.bScale.lane != 0)
    return "scales begin at lane 0";
  return "";
}

/// The factors of all rows of an operand, as `into[row * blocks + block]`. Every 32 lanes hold them.
bool Cluster::readScales(TensorProduct &product, bool isA, unsigned rows, std::vector<float> &into) {
  const TensorAddress address = isA ? product.aScale : product.bScale;
  const unsigned first = isA ? product.shape.aScale : product.shape.bScale;
  const unsigned columns = (rows + rowsOfColumn - 1) / rowsOfColumn, blocks = product.k / product.block;
  Cta &cta = ctas[product.warp.cta];
  for (unsigned lane = 0; lane < tensorLanes; ++lane)
    if (!accessTensor({&cta, lane, address.column, columns}, false, product.tensor))
      return false;
  into.assign(static_cast<size_t>(rows) * blocks, 0);
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned lane = row % rowsOfColumn, column = address.column + row / rowsOfColumn;
    const uint32_t word = cta.tensor->at(lane, column);
    for (unsigned other = lane + rowsOfColumn; other < tensorLanes; other += rowsOfColumn)
      if (cta.tensor->at(other, column) != word) {
        report(FindingKind::Misuse, product.warp, product.inst.site,
               "finds scales in lane " + std::to_string(lane) + ", column " + std::to_string(column) +
                   " of tensor memory that lane " + std::to_string(other) + " does not have; every 32 lanes hold them");
        return false;
      }
    for (unsigned block = 0; block < blocks; ++block) {
      const uint32_t code = word >> (8 * ((first + block) % factorsOfColumn)) & 0xff;
      // ue8m0 has no sign and no fraction, and one code that is no number.
      into[row * blocks + block] = !product.shape.exponentScales ? decodeFloat(code & 0x7f, formatE4M3)
                                   : code == 0xff                ? std::numeric_limits<float>::quiet_NaN()
                                                                 : std::ldexp(1.0f, static_cast<int>(code) - 127);
    }
  }
  return true;
}

/// 32 rows of 16 bytes to four columns of every 32 lanes. Done in order with the products of its thread.
void Cluster::copyToTensor(Warp &warp, const Inst &inst, LaneMask mask) {
  auto refuse = [&](const std::string &why) { report(FindingKind::Misuse, warp, inst.site, why); };
  if (std::popcount(mask) != 1)
    return refuse("is issued by " + std::to_string(std::popcount(mask)) + " threads; one thread issues a copy");
  const unsigned issuer = static_cast<unsigned>(std::countr_zero(mask));
  const TensorAddress address(laneValue(warp, inst.a, issuer));
  const Tcgen05Operand source(laneValue(warp, inst.b, issuer));
  if (source.problem)
    return refuse(std::string("the descriptor of the source ") + source.problem);
  if (address.lane != 0)
    return refuse("writes from lane " + std::to_string(address.lane) + " on; it begins at lane 0");
  const uint32_t number = ++warp.productsIssued, agent = tensorAgent(warp);
  Clock ordered = warp.tensorKnown;
  ordered[warp.global] = std::max(ordered[warp.global], coveredTime(warp));
  ordered[agent] = number;
  const Event event{number, inst.site, static_cast<uint16_t>(agent), warp.global, clusterIndex, true, false};
  const Actor reader{event, &warp.knows, warp.cta};
  const TensorActor writer{event, &ordered, &warp.knows.generic};
  constexpr unsigned rowBytes = 16, rowColumns = 4;
  for (unsigned row = 0; row < rowsOfColumn; ++row) {
    const uint32_t place = source.chunkKMajor(row, 0, rowBytes) | static_cast<uint32_t>(warp.cta) << clusterRankShift;
    Target target = resolve(warp, inst.site, Space::Cluster, place, rowBytes, "the copy reads");
    if (!target.data)
      return;
    access(target, rowBytes, false, reader);
    for (unsigned lane = row; lane < tensorLanes; lane += rowsOfColumn) {
      if (!accessTensor({&ctas[warp.cta], lane, address.column, rowColumns}, true, writer))
        return;
      std::memcpy(&ctas[warp.cta].tensor->at(lane, address.column), target.data, rowBytes);
    }
  }
}

} // namespace tlx::emu
