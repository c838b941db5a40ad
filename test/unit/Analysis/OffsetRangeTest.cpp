//===- OffsetRangeTest.cpp - bounds of offsets -----------------------------------------------------------===//

#include "tlx/Analysis/OffsetRange.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tlx/Dialect/TLXDialect.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tlx;

/// The range of the operation that carries the attribute `probe`.
static std::optional<OffsetRange> probed(const std::string &body) {
  MLIRContext context;
  context.loadDialect<TLXDialect, func::FuncDialect, arith::ArithDialect, scf::SCFDialect>();
  auto module =
      parseSourceString<ModuleOp>("func.func @f(%x: i32, %t: tensor<64xi32>) {\n" + body + "\nreturn\n}\n", &context);
  std::optional<OffsetRange> range;
  bool found = false;
  if (module)
    module->walk([&](Operation *op) {
      if (op->hasAttr("probe")) {
        range = offsetRange(op->getResult(0));
        found = true;
      }
    });
  EXPECT_TRUE(found) << body;
  return range;
}

static const std::string range = "%r = tlx.range 0 to 64 : tensor<64xi32>\n";

TEST(OffsetRange, SumsAndProducts) {
  EXPECT_EQ(probed("%r = tlx.range -3 to 5 {probe} : tensor<8xi32>"), (OffsetRange{-3, 4}));
  EXPECT_EQ(probed(range + "%c = arith.constant dense<100> : tensor<64xi32>\n"
                           "%m = arith.muli %r, %c : tensor<64xi32>\n%o = arith.addi %m, %r {probe} : tensor<64xi32>"),
            (OffsetRange{0, 6363}));
  EXPECT_EQ(probed(range + "%c = arith.constant dense<63> : tensor<64xi32>\n"
                           "%o = arith.subi %c, %r {probe} : tensor<64xi32>"),
            (OffsetRange{0, 63}));
}

TEST(OffsetRange, UnknownNumbersHaveNone) {
  EXPECT_EQ(probed(range + "%o = arith.addi %r, %t {probe} : tensor<64xi32>"), std::nullopt);
  EXPECT_EQ(probed("%p = tlx.program_id 0 {probe}"), std::nullopt);
}

TEST(OffsetRange, WhatMayPassTheBitsHasNone) {
  EXPECT_EQ(probed(range + "%c = arith.constant dense<40000000> : tensor<64xi32>\n"
                           "%o = arith.muli %r, %c {probe} : tensor<64xi32>"),
            std::nullopt);
}

TEST(OffsetRange, MasksAndRemaindersBound) {
  const std::string c = "%c = arith.constant dense<16> : tensor<64xi32>\n";
  EXPECT_EQ(probed(c + "%o = arith.andi %t, %c {probe} : tensor<64xi32>"), (OffsetRange{0, 16}));
  EXPECT_EQ(probed(c + "%o = arith.remsi %t, %c {probe} : tensor<64xi32>"), (OffsetRange{-15, 15}));
  EXPECT_EQ(probed(range + c + "%o = arith.remsi %r, %c {probe} : tensor<64xi32>"), (OffsetRange{0, 15}));
}

TEST(OffsetRange, CountersOfLoops) {
  const std::string head = "%a = arith.constant 2 : i32\n%b = arith.constant 20 : i32\n%s = arith.constant 3 : i32\n";
  EXPECT_EQ(probed(head + "scf.for %i = %a to %b step %s : i32 {\n%o = arith.addi %i, %a {probe} : i32\n}"),
            (OffsetRange{4, 21}));
  EXPECT_EQ(probed(head + "scf.for %i = %a to %x step %s : i32 {\n%o = arith.addi %i, %a {probe} : i32\n}"),
            std::nullopt);
}

TEST(OffsetRange, DeepSharingIsLookedAtOnce) {
  std::string body = range;
  for (int i = 0; i < 22; ++i)
    body += "%d" + std::to_string(i) + " = arith.minsi " + (i ? "%d" + std::to_string(i - 1) : "%r") + ", " +
            (i ? "%d" + std::to_string(i - 1) : "%r") + (i == 21 ? " {probe}" : "") + " : tensor<64xi32>\n";
  EXPECT_EQ(probed(body), (OffsetRange{0, 63}));
}
