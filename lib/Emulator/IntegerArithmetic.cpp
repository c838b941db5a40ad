// Integer instructions and moves between registers.
#include "Arithmetic.h"
#include "Lanes.h"

#include <algorithm>

namespace tlx::emu {
namespace {

template <typename Function> void binary(const Inst &inst, Registers registers, LaneMask mask, Function function) {
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *left = lanesOf(registers, inst.a), *right = lanesOf(registers, inst.b);
  const uint64_t keep = lowBits(inst.bits);
  forLanes(mask, [&](unsigned lane) { result[lane] = function(left[lane], right[lane]) & keep; });
}
template <typename Function>
void binarySigned(const Inst &inst, Registers registers, LaneMask mask, Function function) {
  const unsigned bits = inst.bits;
  binary(inst, registers, mask, [&](uint64_t left, uint64_t right) {
    return static_cast<uint64_t>(function(signExtend(left, bits), signExtend(right, bits)));
  });
}
template <typename Function> void unary(const Inst &inst, Registers registers, LaneMask mask, Function function) {
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *source = lanesOf(registers, inst.a);
  const uint64_t keep = lowBits(inst.bits);
  forLanes(mask, [&](unsigned lane) { result[lane] = function(source[lane]) & keep; });
}

/// llvm.icmp predicates in the order of the LLVM dialect: eq ne slt sle sgt sge ult ule ugt uge.
void compare(const Inst &inst, Registers registers, LaneMask mask) {
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *left = lanesOf(registers, inst.a), *right = lanesOf(registers, inst.b);
  const unsigned bits = inst.bits;
  auto loop = [&](auto function) {
    forLanes(mask, [&](unsigned lane) { result[lane] = function(left[lane], right[lane]); });
  };
  auto loopSigned = [&](auto function) {
    forLanes(mask, [&](unsigned lane) {
      result[lane] = function(signExtend(left[lane], bits), signExtend(right[lane], bits));
    });
  };
  switch (inst.flag) {
  case 0:
    return loop([](uint64_t a, uint64_t b) { return a == b; });
  case 1:
    return loop([](uint64_t a, uint64_t b) { return a != b; });
  case 2:
    return loopSigned([](int64_t a, int64_t b) { return a < b; });
  case 3:
    return loopSigned([](int64_t a, int64_t b) { return a <= b; });
  case 4:
    return loopSigned([](int64_t a, int64_t b) { return a > b; });
  case 5:
    return loopSigned([](int64_t a, int64_t b) { return a >= b; });
  case 6:
    return loop([](uint64_t a, uint64_t b) { return a < b; });
  case 7:
    return loop([](uint64_t a, uint64_t b) { return a <= b; });
  case 8:
    return loop([](uint64_t a, uint64_t b) { return a > b; });
  case 9:
    return loop([](uint64_t a, uint64_t b) { return a >= b; });
  }
}

/// Division by zero gives all ones, as the hardware's does.
int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? -1 : b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}
int64_t remainder(int64_t a, int64_t b) {
  return b == 0 ? a : b == -1 ? 0 : a % b;
}

uint64_t reverseBits(uint64_t value, unsigned bits) {
  uint64_t result = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    result |= (value >> bit & 1) << (bits - 1 - bit);
  return result;
}

void funnel(const Inst &inst, Registers registers, LaneMask mask) {
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *high = lanesOf(registers, inst.a), *low = lanesOf(registers, inst.b),
                 *amount = lanesOf(registers, inst.c);
  const unsigned bits = inst.bits;
  forLanes(mask, [&](unsigned lane) {
    unsigned shift = amount[lane] % bits;
    uint64_t value = inst.op == Opcode::FunnelLeft
                         ? (shift ? high[lane] << shift | low[lane] >> (bits - shift) : high[lane])
                         : (shift ? low[lane] >> shift | high[lane] << (bits - shift) : low[lane]);
    result[lane] = value & lowBits(bits);
  });
}

/// PTX ISA, prmt.b32 in its default mode.
void permute(const Inst &inst, Registers registers, LaneMask mask) {
  uint64_t *result = lanesOf(registers, inst.dst);
  const uint64_t *low = lanesOf(registers, inst.a), *high = lanesOf(registers, inst.b),
                 *selector = lanesOf(registers, inst.c);
  forLanes(mask, [&](unsigned lane) {
    uint64_t bytes = (low[lane] & 0xffffffffu) | high[lane] << 32, value = 0;
    for (unsigned index = 0; index < 4; ++index) {
      unsigned select = selector[lane] >> (4 * index) & 15;
      uint64_t byte = bytes >> (8 * (select & 7)) & 0xff;
      if (select & 8)
        byte = byte & 0x80 ? 0xff : 0;
      value |= byte << (8 * index);
    }
    result[lane] = value;
  });
}

bool executeRare(const Inst &inst, Registers registers, LaneMask mask) {
  const unsigned bits = inst.bits;
  switch (inst.op) {
  case Opcode::CtPop:
    unary(inst, registers, mask, [](uint64_t a) { return static_cast<uint64_t>(std::popcount(a)); });
    return true;
  case Opcode::Ctlz:
    unary(inst, registers, mask, [&](uint64_t a) { return static_cast<uint64_t>(std::countl_zero(a)) - (64 - bits); });
    return true;
  case Opcode::Cttz:
    unary(inst, registers, mask, [&](uint64_t a) { return a ? static_cast<uint64_t>(std::countr_zero(a)) : bits; });
    return true;
  case Opcode::BitReverse:
    unary(inst, registers, mask, [&](uint64_t a) { return reverseBits(a, bits); });
    return true;
  case Opcode::ByteSwap:
    unary(inst, registers, mask, [&](uint64_t a) { return __builtin_bswap64(a) >> (64 - bits); });
    return true;
  case Opcode::Abs:
    unary(inst, registers, mask, [&](uint64_t a) { return signExtend(a, bits) < 0 ? 0 - a : a; });
    return true;
  case Opcode::MulHiU:
    binary(inst, registers, mask, [&](uint64_t a, uint64_t b) {
      return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> bits);
    });
    return true;
  case Opcode::MulHiS:
    binarySigned(inst, registers, mask, [&](int64_t a, int64_t b) { return static_cast<__int128>(a) * b >> bits; });
    return true;
  case Opcode::FunnelLeft:
  case Opcode::FunnelRight:
    funnel(inst, registers, mask);
    return true;
  case Opcode::Permute:
    permute(inst, registers, mask);
    return true;
  default:
    return false;
  }
}

bool executeDivision(const Inst &inst, Registers registers, LaneMask mask) {
  switch (inst.op) {
  case Opcode::UDiv:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return b ? a / b : ~0ull; });
    return true;
  case Opcode::URem:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return b ? a % b : a; });
    return true;
  case Opcode::SDiv:
    binarySigned(inst, registers, mask, divide);
    return true;
  case Opcode::SRem:
    binarySigned(inst, registers, mask, remainder);
    return true;
  case Opcode::UMin:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return std::min(a, b); });
    return true;
  case Opcode::UMax:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return std::max(a, b); });
    return true;
  case Opcode::SMin:
    binarySigned(inst, registers, mask, [](int64_t a, int64_t b) { return std::min(a, b); });
    return true;
  case Opcode::SMax:
    binarySigned(inst, registers, mask, [](int64_t a, int64_t b) { return std::max(a, b); });
    return true;
  default:
    return executeRare(inst, registers, mask);
  }
}

} // namespace

bool executeInteger(const Inst &inst, Registers registers, LaneMask mask) {
  const unsigned bits = inst.bits;
  switch (inst.op) {
  case Opcode::Add:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return a + b; });
    return true;
  case Opcode::Sub:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return a - b; });
    return true;
  case Opcode::Mul:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return a * b; });
    return true;
  case Opcode::And:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return a & b; });
    return true;
  case Opcode::Or:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return a | b; });
    return true;
  case Opcode::Xor:
    binary(inst, registers, mask, [](uint64_t a, uint64_t b) { return a ^ b; });
    return true;
  // Shifting by the width or more gives zero (or the sign), as the hardware's shifts do.
  case Opcode::Shl:
    binary(inst, registers, mask, [=](uint64_t a, uint64_t b) { return b < bits ? a << b : 0; });
    return true;
  case Opcode::LShr:
    binary(inst, registers, mask, [=](uint64_t a, uint64_t b) { return b < bits ? a >> b : 0; });
    return true;
  case Opcode::AShr:
    binary(inst, registers, mask, [=](uint64_t a, uint64_t b) {
      return static_cast<uint64_t>(signExtend(a, bits) >> std::min<uint64_t>(b, bits - 1));
    });
    return true;
  case Opcode::ICmp:
    compare(inst, registers, mask);
    return true;
  case Opcode::AddImm: {
    const uint64_t amount = static_cast<uint64_t>(inst.imm);
    unary(inst, registers, mask, [=](uint64_t a) { return a + amount; });
    return true;
  }
  case Opcode::MulAddImm: {
    // a + sext(b) * imm: one index of an address. `toBits` is the width of the index.
    const unsigned indexBits = inst.toBits;
    const uint64_t scale = static_cast<uint64_t>(inst.imm);
    binary(inst, registers, mask,
           [=](uint64_t a, uint64_t b) { return a + static_cast<uint64_t>(signExtend(b, indexBits)) * scale; });
    return true;
  }
  case Opcode::Trunc:
    unary(inst, registers, mask, [](uint64_t a) { return a; });
    return true;
  case Opcode::SExt: {
    const unsigned from = inst.toBits;
    unary(inst, registers, mask, [=](uint64_t a) { return static_cast<uint64_t>(signExtend(a, from)); });
    return true;
  }
  default:
    return executeDivision(inst, registers, mask);
  }
}

namespace {

/// `count` operand slots of `bits` each become result slots of `toBits` each, as memory would.
void bitcast(const Inst &inst, const Program &program, Registers registers, LaneMask mask) {
  const unsigned fromBits = inst.bits, toBits = inst.toBits, results = inst.count * fromBits / toBits;
  forLanes(mask, [&](unsigned lane) {
    uint64_t words[16] = {};
    for (unsigned index = 0; index < inst.count; ++index) {
      unsigned bit = index * fromBits;
      words[bit / 64] |= lanesOf(registers, program.operands[inst.extra + index])[lane] << (bit % 64);
    }
    for (unsigned index = 0; index < results; ++index) {
      unsigned bit = index * toBits;
      lanesOf(registers, inst.dst + index)[lane] = words[bit / 64] >> (bit % 64) & lowBits(toBits);
    }
  });
}

} // namespace

bool executeMove(const Inst &inst, const Program &program, Registers registers, LaneMask mask) {
  uint64_t *result = inst.dst == noSlot ? nullptr : lanesOf(registers, inst.dst);
  switch (inst.op) {
  case Opcode::Copy: {
    const uint64_t *source = lanesOf(registers, inst.a);
    forLanes(mask, [&](unsigned lane) { result[lane] = source[lane]; });
    return true;
  }
  case Opcode::Select: {
    const uint64_t *condition = lanesOf(registers, inst.a), *yes = lanesOf(registers, inst.b),
                   *no = lanesOf(registers, inst.c);
    forLanes(mask, [&](unsigned lane) { result[lane] = condition[lane] & 1 ? yes[lane] : no[lane]; });
    return true;
  }
  case Opcode::Bitcast:
    bitcast(inst, program, registers, mask);
    return true;
  case Opcode::ExtractDynamic:
    forLanes(mask, [&](unsigned lane) {
      uint64_t index = lanesOf(registers, inst.b)[lane] % inst.count;
      result[lane] = lanesOf(registers, program.operands[inst.extra + index])[lane];
    });
    return true;
  case Opcode::InsertDynamic:
    for (uint32_t index = 0; index < inst.count; ++index)
      forLanes(mask, [&](unsigned lane) {
        bool here = lanesOf(registers, inst.b)[lane] == index;
        lanesOf(registers, inst.dst + index)[lane] =
            here ? lanesOf(registers, inst.c)[lane] : lanesOf(registers, program.operands[inst.extra + index])[lane];
      });
    return true;
  default:
    return false;
  }
}

} // namespace tlx::emu
