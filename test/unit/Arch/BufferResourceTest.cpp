// Every field of the last word of AMD's buffer resource descriptors, against bits of the CDNA3 ISA's table.
#include "tlx/Arch/BufferResource.h"
#include <gtest/gtest.h>

using namespace tlx;

namespace {

struct Row {
  const char *what;
  BufferFormat format;
  uint32_t bits;
};

const Row rows[] = {
    {"nothing", {}, 0x00000},
    {"x from memory: bits 0 to 2", {4, 0, 0, 0, 0, 0}, 0x00004},
    {"y: bits 3 to 5", {0, 5, 0, 0, 0, 0}, 0x00028},
    {"z: bits 6 to 8", {0, 0, 6, 0, 0, 0}, 0x00180},
    {"w: bits 9 to 11", {0, 0, 0, 7, 0, 0}, 0x00e00},
    {"float: bits 12 to 14", {0, 0, 0, 0, 7, 0}, 0x07000},
    {"32 bits: bits 15 to 18", {0, 0, 0, 0, 0, 4}, 0x20000},
    {"all that raw words need", rawWords, 0x27000},
    {"all fields full", {7, 7, 7, 7, 7, 15}, 0x7ffff},
};

TEST(BufferResource, Fields) {
  for (const Row &row : rows)
    EXPECT_EQ(lastWordOf(row.format), row.bits) << row.what;
}

} // namespace
