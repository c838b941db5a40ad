// The decoded kernel: a flat array of instructions over a flat register file. A value of n scalar parts owns n slots in
// a row; a slot holds 64 bits for each lane of a warp, integers zero-extended, floats as their bits.
#ifndef TLX_EMULATOR_PROGRAM_H
#define TLX_EMULATOR_PROGRAM_H

#include "Lanes.h"
#include "tlx/Emulator/Emulator.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tlx::emu {

enum class Opcode : uint16_t {
#define TLX_OPCODE(name) name,
#include "Opcodes.def"
};

/// In Warp::inFlight: a register that a load from tensor memory still writes.
constexpr uint32_t loadInFlight = ~0u;

enum class FloatKind : uint8_t { F16, BF16, F32, F64 };
enum class Space : uint8_t { Generic, Global, Shared, Cluster, Constant, Local };

constexpr uint32_t noSlot = ~0u;
constexpr uint32_t exitBlock = ~0u;

/// What has to be looked after when an instruction runs: operands that a matrix operation or a load may still write,
/// operands that nobody may have written, registers of a wgmma that it reads or writes.
enum Watch : uint8_t { watchInFlight = 1, watchUndefined = 2, watchTouch = 4 };

struct Inst {
  Opcode op;
  /// Width of the operands in bits, or a FloatKind.
  uint8_t bits = 0;
  /// Width or FloatKind of the result of a conversion.
  uint8_t toBits = 0;
  /// Predicate, variant or space, by opcode.
  uint8_t flag = 0;
  /// A set of Watch.
  uint8_t watch = 0;
  /// An atomic access or a fence whose scope is smaller than a block's peers: see Event::narrow.
  bool narrow = false;
  uint32_t dst = noSlot, a = noSlot, b = noSlot, c = noSlot;
  uint32_t site = 0;
  /// First of `count` entries in Program::operands.
  uint32_t extra = 0, count = 0;
  int64_t imm = 0;
};

struct Site {
  std::string file;
  unsigned line = 0, column = 0;
  std::string operation;
};

struct Move {
  uint32_t from, to;
};

struct Edge {
  uint32_t target, firstMove, moves;
  /// It moves registers whose history counts.
  bool watched = false;
};

struct BasicBlock {
  uint32_t first = 0;
  uint32_t postDominator = exitBlock;
  std::vector<uint32_t> successors;
};

struct Task {
  std::string name;
  unsigned firstWarp = 0, warps = 0, registers = 0, replica = 0;
};

/// A named range of shared memory: `count` slots of `bytes`.
struct NamedRange {
  std::string name;
  uint32_t offset = 0, bytes = 0, count = 1;
  unsigned arrivals = 0, line = 0;
};

struct Parameter {
  enum class Kind : uint8_t { Scalar, Pointer, TensorMap } kind;
  uint32_t slot;
  uint8_t bits;
};

/// Number formats of matrix operands, in the order of the thread dialect's MmaType.
enum class MatrixType : uint8_t { F16, BF16, TF32, E4M3, E5M2, S8, U8, F32, S32, E2M1 };

/// The static part of one wgmma. Its operands are the accumulators, A, B and scale-d, in this order.
struct MatrixShape {
  uint32_t n, k;
  MatrixType d, a, b;
  bool transA, transB;
  uint32_t accumulators, aRegisters;

  bool hasShapeOf(const MatrixShape &other) const {
    return n == other.n && k == other.k && d == other.d && a == other.a && b == other.b;
  }
};

/// The static part of one mma.sync: types of A and B. Its operands are the four accumulators, A's four words, B's two.
struct WarpProduct {
  MatrixType a, b;
  bool isInteger;
};

/// Whose rules the kernel follows.
enum class Machine : uint8_t { Nvidia, Gfx942, Gfx950 };

/// What the vendor calls the things that findings speak of.
struct Words {
  const char *warp, *block, *shared;
};

/// Number formats of the operands of mfma; the 8-bit floats are those of the target.
enum class MfmaType : uint8_t { F16, BF16, XF32, F32, F64, FP8, BF8, FP6, BF6, FP4, I8 };

/// Bits of one element.
inline unsigned bitsOf(MfmaType type) {
  switch (type) {
  case MfmaType::F64:
    return 64;
  case MfmaType::F32:
  case MfmaType::XF32:
    return 32;
  case MfmaType::F16:
  case MfmaType::BF16:
    return 16;
  case MfmaType::FP6:
  case MfmaType::BF6:
    return 6;
  case MfmaType::FP4:
    return 4;
  default:
    return 8;
  }
}

/// The static part of one mfma: `blocks` products of m x k by k x n. Its operands are A, B and C, part by part, and
/// with `scaled` the scales of A and B and which byte of each counts.
struct MfmaShape {
  unsigned m = 0, n = 0, k = 0, blocks = 1;
  MfmaType a = MfmaType::F16, b = MfmaType::F16;
  /// Parts and bits of a part of each operand, and of C and D.
  unsigned aParts = 0, aBits = 0, bParts = 0, bBits = 0, dParts = 0;
  bool scaled = false;
  unsigned scaleByteA = 0, scaleByteB = 0;
};

struct Program {
  std::string name;
  Machine machine = Machine::Nvidia;
  /// Lanes of a warp, and their logarithm.
  unsigned lanes = warpSize, laneShift = 5;
  std::vector<Inst> code;
  std::vector<uint32_t> operands;
  std::vector<BasicBlock> blocks;
  std::vector<Edge> edges;
  std::vector<Move> moves;
  std::vector<Site> sites;
  std::vector<std::pair<uint32_t, uint64_t>> constants;
  std::vector<Parameter> parameters;
  std::vector<MatrixShape> matrices;
  std::vector<MfmaShape> products;
  std::vector<WarpProduct> warpProducts;
  std::vector<std::string> strings;
  /// The static part of tensor maps that the kernel makes.
  std::vector<HostTensorMap> maps;
  /// The constant that has no value, if there is one.
  uint32_t undefined = noSlot;
  /// Whether registers that nobody has written, and registers of wgmma, are looked after.
  bool watchesUndefined = false, watchesTouches = false;
  /// Slots that may become accumulators or left operands of a wgmma.
  std::vector<bool> matrixRegisters;
  /// For each slot that begins the results of an instruction how many there are.
  std::vector<uint32_t> resultCounts;
  uint32_t slots = 0;
  unsigned threads = 32;
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t sharedBytes = 0;
  bool usesTensorMemory = false;
  std::vector<Task> tasks;
  std::vector<NamedRange> buffers, barriers;

  LaneMask fullMask() const { return lanes == warpSize ? fullWarp : fullWave; }
  bool hasWaves() const { return machine != Machine::Nvidia; }
  Words words() const { return hasWaves() ? Words{"wave", "workgroup", "LDS"} : Words{"warp", "CTA", "shared memory"}; }
};

/// Address of the first byte of shared memory: not zero, so that a null pointer is outside.
constexpr uint32_t sharedBase = 0x400;

/// Calls `function` for every slot that the instruction reads.
template <typename Function> inline void forOperands(const Program &program, const Inst &inst, Function &&function) {
  auto one = [&](uint32_t slot) {
    if (slot < program.slots)
      function(slot);
  };
  one(inst.a);
  // Those of a branch are edges, and so are the entries of a switch.
  if (inst.op == Opcode::CondBranch || inst.op == Opcode::Switch)
    return;
  one(inst.b);
  one(inst.c);
  for (uint32_t index = 0; index < inst.count; ++index)
    one(program.operands[inst.extra + index]);
  // The mask of a multicast.
  if (inst.op == Opcode::TensorLoad)
    one(inst.dst);
}

} // namespace tlx::emu

#endif
