// One tcgen05.mma on its way through the emulator.
#ifndef TLX_EMULATOR_TENSORPRODUCT_H
#define TLX_EMULATOR_TENSORPRODUCT_H

#include "Cluster.h"
#include "MatrixElement.h"
#include "Tcgen05Descriptors.h"

namespace tlx::emu {

struct Cluster::TensorProduct {
  Warp &warp;
  const Inst &inst;
  uint64_t a, b;
  TensorAddress d;
  Tcgen05Instruction shape;
  bool accumulate, pair;
  /// Accesses to shared and to tensor memory.
  Actor shared;
  TensorActor tensor;
  MatrixType aType = MatrixType::F16, bType = MatrixType::F16;
  unsigned k = 0;
  /// Elements of K that share a scale, all of K where there are none; where the scales are.
  unsigned block = 0;
  TensorAddress aScale{0}, bScale{0};
  /// A factor for each row of A (column of B) and each block.
  std::vector<float> aFactors, bFactors;

  bool isScaled() const { return inst.op == Opcode::Tcgen05ScaledMma; }
  bool isInteger() const { return aType == MatrixType::S8 || aType == MatrixType::U8; }
  /// One row of A times all columns of B: each block of K is summed, then multiplied by its two factors (Tcgen05.cpp).
  void multiplyRow(unsigned row, const std::vector<float> &left, const std::vector<float> &right,
                   std::vector<float> &sums) const;
  unsigned rowsOfCta() const { return pair ? shape.m / 2 : shape.m; }
};

} // namespace tlx::emu

#endif
