// Every field of the descriptors of tcgen05.mma, alone and together, against numbers worked out from PTX ISA 8.7.
#include "tlx/Arch/MatrixDescriptors.h"
#include <gtest/gtest.h>

using namespace tlx;

namespace {

struct InstructionRow {
  const char *what;
  Tcgen05Instruction instruction;
  uint32_t bits;
};

// Bit 4: D is f32. N/8 stands from bit 17 on, M/16 from bit 24 on.
const InstructionRow instructions[] = {
    {"f16, M 64, N 8", {Tcgen05Type::F16, Tcgen05Type::F16, false, false, 64, 8}, 0x04020010},
    {"f16, M 128, N 128", {Tcgen05Type::F16, Tcgen05Type::F16, false, false, 128, 128}, 0x08200010},
    {"bf16 A: bit 7", {Tcgen05Type::BF16, Tcgen05Type::F16, false, false, 128, 128}, 0x08200090},
    {"bf16 B: bit 10", {Tcgen05Type::F16, Tcgen05Type::BF16, false, false, 128, 128}, 0x08200410},
    {"tf32: 2 in both", {Tcgen05Type::TF32, Tcgen05Type::TF32, false, false, 128, 128}, 0x08200910},
    {"e5m2 and e4m3", {Tcgen05Type::E5M2, Tcgen05Type::E4M3, false, false, 128, 128}, 0x08200090},
    {"A MN-major: bit 15", {Tcgen05Type::F16, Tcgen05Type::F16, true, false, 128, 128}, 0x08208010},
    {"B MN-major: bit 16", {Tcgen05Type::F16, Tcgen05Type::F16, false, true, 128, 128}, 0x08210010},
    {"N 256 fills bit 22", {Tcgen05Type::F16, Tcgen05Type::F16, false, false, 128, 256}, 0x08400010},
    {"N 240", {Tcgen05Type::F16, Tcgen05Type::F16, false, false, 128, 240}, 0x083c0010},
    {"M 256 fills bit 28", {Tcgen05Type::F16, Tcgen05Type::F16, false, false, 256, 256}, 0x10400010},
    {"bytes: D is s32, 2 in bits 4 and 5",
     {Tcgen05Type::U8, Tcgen05Type::S8, false, false, 128, 128, true},
     0x08200420},
};

struct ScaledRow {
  const char *what;
  Tcgen05ScaledInstruction instruction;
  uint32_t bits;
};

// No type of D. The byte of the first scale of B stands from bit 4 on, that of A from bit 29 on; bit 23: powers of two.
const ScaledRow scaledInstructions[] = {
    {"e4m3", {Tcgen05Type::E4M3, Tcgen05Type::E4M3, false, false, 128, 128}, 0x08a00000},
    {"e5m2 A: bit 7", {Tcgen05Type::E5M2, Tcgen05Type::E4M3, false, false, 128, 128}, 0x08a00080},
    {"e5m2 B: bit 10", {Tcgen05Type::E4M3, Tcgen05Type::E5M2, false, false, 128, 128}, 0x08a00400},
    {"pairs e2m1: 1, not 5", {Tcgen05Type::E2M1, Tcgen05Type::E2M1, false, false, 128, 128}, 0x08a00480},
    {"A MN-major: bit 15", {Tcgen05Type::E4M3, Tcgen05Type::E4M3, true, false, 128, 128}, 0x08a08000},
    {"B MN-major: bit 16", {Tcgen05Type::E4M3, Tcgen05Type::E4M3, false, true, 128, 128}, 0x08a10000},
    {"N 16", {Tcgen05Type::E4M3, Tcgen05Type::E4M3, false, false, 128, 16}, 0x08840000},
    {"N 256 fills bit 22", {Tcgen05Type::E4M3, Tcgen05Type::E4M3, false, false, 128, 256}, 0x08c00000},
    {"A's last byte", {Tcgen05Type::E4M3, Tcgen05Type::E4M3, false, false, 128, 128, 3, 0}, 0x68a00000},
    {"B's last byte", {Tcgen05Type::E4M3, Tcgen05Type::E4M3, false, false, 128, 128, 0, 3}, 0x08a00030},
    {"scales are 8-bit floats",
     {Tcgen05Type::E2M1, Tcgen05Type::E2M1, false, false, 128, 128, 0, 0, false},
     0x08200480},
};

struct OperandRow {
  const char *what;
  Tcgen05Operand operand;
  uint64_t bits;
};

// Bit 46: version 1. Leading distance / 16 from bit 16, stride / 16 from bit 32, swizzle mode from bit 61.
const OperandRow operands[] = {
    {"no swizzle", {0, 0, 0}, 0x0000400000000000},
    {"leading 16", {16, 0, 0}, 0x0000400000010000},
    {"largest leading", {0x3fff0, 0, 0}, 0x000040003fff0000},
    {"stride 1024", {0, 1024, 0}, 0x0000404000000000},
    {"largest stride", {0, 0x3fff0, 0}, 0x00007fff00000000},
    {"swizzle 128: mode 2", {0, 0, 128}, 0x4000400000000000},
    {"swizzle 64: mode 4", {0, 0, 64}, 0x8000400000000000},
    {"swizzle 32: mode 6", {0, 0, 32}, 0xc000400000000000},
    {"K-major rows of 128 bytes", {16, 1024, 128}, 0x4000404000010000},
    {"MN-major panels of 64 rows", {8192, 1024, 128}, 0x4000404002000000},
};

} // namespace

TEST(MatrixDescriptors, InstructionFields) {
  for (const InstructionRow &row : instructions)
    EXPECT_EQ(row.instruction.encode(), row.bits) << row.what;
}

TEST(MatrixDescriptors, FieldsOfBlockScaledInstructions) {
  for (const ScaledRow &row : scaledInstructions)
    EXPECT_EQ(row.instruction.encode(), row.bits) << row.what;
}

TEST(MatrixDescriptors, OperandFields) {
  for (const OperandRow &row : operands)
    EXPECT_EQ(row.operand.encode(), row.bits) << row.what;
}

TEST(MatrixDescriptors, StartAddressHasItsBitsForItself) {
  for (const OperandRow &row : operands)
    EXPECT_EQ(row.operand.encode() & 0x3fff, 0u) << row.what;
}
