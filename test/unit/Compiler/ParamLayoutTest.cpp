// Offsets, kinds and preconditions of parameters.
#include "ParamLayout.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace tlx;

namespace {

class ParamLayoutTest : public testing::Test {
protected:
  ParamLayoutTest() { context.loadDialect<mlir::LLVM::LLVMDialect>(); }

  /// "error: …" or "", with the parameters in `params`.
  std::string layOut(llvm::StringRef arguments, llvm::StringRef described) {
    std::string text =
        ("llvm.func @k(" + arguments + ") attributes {tlx.params = [" + described + "]} { llvm.return }").str();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return "error: malformed";
    auto result = layOutParams(*module->getOps<mlir::LLVM::LLVMFuncOp>().begin());
    if (!result)
      return "error: " + llvm::toString(result.takeError());
    params = std::move(*result);
    return "";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<rt::Param> params;
};

constexpr const char *tensorMap =
    R"({tlx.name = "a", tlx.type = "tensordesc<fp16[128,64]>", tlx.tensor_map = {dtype = "fp16", block = array<i64: 128, 128>,
        box = array<i64: 128, 64>, swizzle = 128 : i32}})";
constexpr const char *mapArgument = "%a: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64}";

} // namespace

TEST_F(ParamLayoutTest, NaturalAlignmentOneAfterTheOther) {
  ASSERT_EQ(
      layOut(
          "%x: i32, %p: !llvm.ptr<1>, %b: i8, %h: f16, %d: f64",
          R"({tlx.name = "x", tlx.type = "i32"}, {tlx.name = "p", tlx.type = "*fp32:16", tlx.divisibility = 16 : i32},
                      {tlx.name = "b", tlx.type = "i8"}, {tlx.name = "h", tlx.type = "fp16"}, {tlx.name = "d", tlx.type = "fp64"})"),
      "");
  ASSERT_EQ(params.size(), 5u);
  int64_t offsets[] = {0, 8, 16, 18, 24};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(params[i].offset, offsets[i]) << params[i].name;
  EXPECT_EQ(params[1].kind, rt::ParamKind::Pointer);
  EXPECT_EQ(params[1].type, "*fp32");
  EXPECT_EQ(params[1].divisibleBy, 16);
  EXPECT_EQ(params[0].divisibleBy, 0);
}

TEST_F(ParamLayoutTest, TensorMapsHave128BytesAt64) {
  ASSERT_EQ(layOut((llvm::Twine("%n: i32, ") + mapArgument).str(),
                   (llvm::Twine(R"({tlx.name = "n", tlx.type = "i32"}, )") + tensorMap).str()),
            "");
  const rt::Param &map = params[1];
  EXPECT_EQ(map.kind, rt::ParamKind::TensorMap);
  EXPECT_EQ(map.offset, 64);
  EXPECT_EQ(map.size, 128);
  ASSERT_TRUE(map.tensorMap);
  EXPECT_EQ(map.tensorMap->block, (std::vector<int64_t>{128, 128}));
  EXPECT_EQ(map.tensorMap->box, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(map.tensorMap->swizzle, 128);
  EXPECT_FALSE(map.tensorMap->source);
}

TEST_F(ParamLayoutTest, HiddenTensorMapsNameTheirSource) {
  ASSERT_EQ(layOut(mapArgument, R"({tlx.name = "A_map", tlx.tensor_map = {dtype = "bf16", block = array<i64: 64, 64>,
                                     box = array<i64: 64, 64>, swizzle = 128 : i32, pointer = "A_ptr",
                                     strides = ["stride_am", 1 : i64]}})"),
            "");
  ASSERT_TRUE(params[0].tensorMap && params[0].tensorMap->source);
  const rt::TensorMapSource &source = *params[0].tensorMap->source;
  EXPECT_EQ(source.pointer, "A_ptr");
  EXPECT_EQ(source.strides[0], rt::Extent("stride_am"));
  EXPECT_EQ(source.strides[1], rt::Extent(int64_t(1)));
  EXPECT_EQ(source.sizes.size(), 2u);
  EXPECT_TRUE(params[0].isHidden());
}

TEST_F(ParamLayoutTest, EqualToIsKept) {
  ASSERT_EQ(layOut("%s: i32", R"({tlx.name = "s", tlx.type = "i32", tlx.equal_to = 1 : i32})"), "");
  EXPECT_EQ(params[0].equalTo, std::optional<int64_t>(1));
}

TEST_F(ParamLayoutTest, MissingDescriptionsAreOurBug) {
  EXPECT_EQ(layOut("%s: i32", ""), "error: the lowered kernel does not describe its parameters");
  EXPECT_EQ(layOut("%s: i32", R"({tlx.name = "s"})"), "error: parameter `s` of the lowered kernel has no type");
  EXPECT_EQ(layOut(mapArgument, R"({tlx.name = "a", tlx.type = "tensordesc<fp16[8,8]>"})"),
            "error: parameter `a` of the lowered kernel lacks the recipe of its tensor map");
}
