// Tensor maps: what the driver's encoder receives, reuse, hidden maps, and each rule that refuses a tensor.
#include "RuntimeFixture.h"

#include <chrono>
#include <cstring>

using namespace tlx::rt;

static TensorMap gemmMap() {
  TensorMap map;
  map.dtype = ElementType::FP16, map.rank = 2;
  map.box = {128, 64}, map.block = {128, 64}, map.elementStrides = {1, 1}, map.swizzle = 128;
  return map;
}

static uint64_t mapNumber(const RecordedLaunch &launch, size_t index) {
  uint64_t word = 0;
  std::memcpy(&word, launch.parameters[index].data(), sizeof word);
  return word - 0xABCD0000;
}

TEST(TensorMap, EncoderReceivesInnermostFirst) {
  StandIn &driver = freshStandIn();
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a", 0, gemmMap())}));
  tlxrt_tensor tensor = tensorOf(0x10000, TLXRT_FP16, {512, 256});
  tensor.strides[0] = 264;
  launchText(kernel, {tensorArg(tensor)}, TLXRT_SUCCESS);
  ASSERT_EQ(driver.maps.size(), 1u);
  const RecordedMap &map = driver.maps[0];
  EXPECT_EQ(map.type, cuda::tensorMapFloat16);
  EXPECT_EQ(map.address, 0x10000u);
  EXPECT_EQ(map.sizes, (std::vector<uint64_t>{256, 512}));
  EXPECT_EQ(map.strides, (std::vector<uint64_t>{528}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(map.elementStrides, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(map.interleave, 0);
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.l2Promotion, 3);
  EXPECT_EQ(map.fill, 0);
  EXPECT_EQ(mapNumber(driver.launches[0], 0), 1u);
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, NumbersOfTheRecipe) {
  StandIn &driver = freshStandIn();
  TensorMap map = gemmMap();
  map.dtype = ElementType::FP8E4NV, map.rank = 3, map.box = map.block = {1, 64, 32}, map.elementStrides = {1, 2, 1};
  map.swizzle = 32, map.l2Promotion = 64, map.interleave = 32;
  TensorMap other = gemmMap();
  other.dtype = ElementType::BF16, other.swizzle = 0, other.l2Promotion = 0, other.fill = Fill::NaN;
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a", 0, map), mapParam("b", 128, other)}));
  tlxrt_tensor a = tensorOf(0x10000, TLXRT_FP8E4NV, {2, 64, 32}), b = tensorOf(0x20000, TLXRT_BF16, {128, 64});
  launchText(kernel, {tensorArg(a), tensorArg(b)}, TLXRT_SUCCESS);
  ASSERT_EQ(driver.maps.size(), 2u);
  EXPECT_EQ(driver.maps[0].type, cuda::tensorMapUint8);
  EXPECT_EQ(driver.maps[0].strides, (std::vector<uint64_t>{32, 2048}));
  EXPECT_EQ(driver.maps[0].elementStrides, (std::vector<uint32_t>{1, 2, 1}));
  EXPECT_EQ(driver.maps[0].interleave, 2);
  EXPECT_EQ(driver.maps[0].swizzle, 1);
  EXPECT_EQ(driver.maps[0].l2Promotion, 1);
  EXPECT_EQ(driver.maps[1].type, cuda::tensorMapBfloat16);
  EXPECT_EQ(driver.maps[1].swizzle, 0);
  EXPECT_EQ(driver.maps[1].fill, 1);
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, RepeatedTensorsAreEncodedOnce) {
  StandIn &driver = freshStandIn();
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a", 0, gemmMap())}));
  tlxrt_tensor tensors[9];
  for (int i = 0; i < 9; ++i)
    tensors[i] = tensorOf(0x10000 * (i + 1), TLXRT_FP16, {128, 64});
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 8; ++i)
      launchText(kernel, {tensorArg(tensors[i])}, TLXRT_SUCCESS);
  EXPECT_EQ(driver.maps.size(), 8u);
  EXPECT_EQ(mapNumber(driver.launches[23], 0), 8u);
  EXPECT_EQ(mapNumber(driver.launches[16], 0), 1u);
  launchText(kernel, {tensorArg(tensors[8])}, TLXRT_SUCCESS);
  launchText(kernel, {tensorArg(tensors[0])}, TLXRT_SUCCESS);
  EXPECT_EQ(driver.maps.size(), 10u);
  EXPECT_EQ(mapNumber(driver.launches.back(), 0), 10u);
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, RefusesTensors) {
  StandIn &driver = freshStandIn();
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a", 0, gemmMap())}));
  tlxrt_tensor good = tensorOf(0x10000, TLXRT_FP16, {512, 256});
  auto refusal = [&](tlxrt_status expected, auto change) {
    tlxrt_tensor tensor = good;
    change(tensor);
    return launchText(kernel, {tensorArg(tensor)}, expected);
  };
  EXPECT_EQ(refusal(TLXRT_ERROR_TENSOR_MAP, [](tlxrt_tensor &t) { t.data = reinterpret_cast<void *>(0x10008); }),
            "`a`: address 65544 is not aligned to 16 bytes (it is off by 8)");
  EXPECT_EQ(refusal(TLXRT_ERROR_TENSOR_MAP, [](tlxrt_tensor &t) { t.data = nullptr; }), "`a`: the address is null");
  EXPECT_EQ(refusal(TLXRT_ERROR_TENSOR_MAP, [](tlxrt_tensor &t) { t.strides[1] = 2; }),
            "`a`: stride 2 of the innermost axis 1; a tensor map needs 1");
  EXPECT_EQ(refusal(TLXRT_ERROR_TENSOR_MAP, [](tlxrt_tensor &t) { t.strides[0] = 257; }),
            "`a`: stride of axis 0 is 514 bytes, no multiple of 16");
  EXPECT_EQ(refusal(TLXRT_ERROR_TENSOR_MAP, [](tlxrt_tensor &t) { t.strides[0] = -256; }),
            "`a`: stride of axis 0 is -512 bytes; it must be 0 to 1099511627775");
  EXPECT_EQ(refusal(TLXRT_ERROR_TENSOR_MAP, [](tlxrt_tensor &t) { t.sizes[0] = 0; }),
            "`a`: size 0 of axis 0; it must be 1 to 4294967296");
  EXPECT_EQ(refusal(TLXRT_ERROR_ARGUMENT_KIND, [](tlxrt_tensor &t) { t.rank = 3; }),
            "`a` takes a tensor of rank 2; the rank is 3");
  EXPECT_EQ(refusal(TLXRT_ERROR_ARGUMENT_KIND, [](tlxrt_tensor &t) { t.dtype = TLXRT_FP32; }),
            "`a` takes elements of `fp16`; the tensor has `fp32`");
  EXPECT_EQ(launchText(kernel, {pointerArg(0x10000)}, TLXRT_ERROR_ARGUMENT_KIND),
            "`a` takes a tensor; the argument is a pointer");
  EXPECT_TRUE(driver.maps.empty());
  driver.encodeResult = cuda::errorInvalidValue;
  EXPECT_EQ(launchText(kernel, {tensorArg(good)}, TLXRT_ERROR_TENSOR_MAP),
            "`a`: the driver refuses a tensor map of 512 x 256 elements of `fp16`");
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, StrideOfASingleRowDoesNotMatter) {
  StandIn &driver = freshStandIn();
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a", 0, gemmMap())}));
  tlxrt_tensor row = tensorOf(0x10000, TLXRT_FP16, {1, 65});
  row.strides[0] = 3;
  launchText(kernel, {tensorArg(row)}, TLXRT_SUCCESS);
  EXPECT_EQ(driver.maps[0].strides, (std::vector<uint64_t>{16}));
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, HiddenMapsAreMadeFromArguments) {
  StandIn &driver = freshStandIn();
  TensorMap hidden = gemmMap();
  hidden.source =
      TensorMapSource{"a_ptr", {std::string("m"), std::monostate()}, {std::string("sm"), std::string("sk")}};
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a_map", 0, hidden), pointerParam("a_ptr", "*fp16", 128),
                                                      scalarParam("m", "i32", 136, 4), scalarParam("sm", "i32", 140, 4),
                                                      scalarParam("sk", "i32", 144, 4)}));
  tlxrt_arg p = pointerArg(0x40000), m = integerArg(300), sm = integerArg(512), sk = integerArg(1);
  EXPECT_EQ(launchText(kernel, {p, m, sm, sk}, TLXRT_SUCCESS), "");
  EXPECT_EQ(driver.maps[0].address, 0x40000u);
  EXPECT_EQ(driver.maps[0].sizes, (std::vector<uint64_t>{uint64_t(1) << 31, 300}));
  EXPECT_EQ(driver.maps[0].strides, (std::vector<uint64_t>{1024}));
  EXPECT_EQ(launchText(kernel, {p, m, sm, integerArg(2)}, TLXRT_ERROR_ARGUMENT_VALUE),
            "`sk`: 2 is not 1, which the tensor map `a_map` needs");
  EXPECT_EQ(launchText(kernel, {p, m, integerArg(513), sk}, TLXRT_ERROR_TENSOR_MAP),
            "`a_map`: stride of axis 0 is 1026 bytes, no multiple of 16");
  EXPECT_EQ(launchText(kernel, {p, p, sm, sk}, TLXRT_ERROR_ARGUMENT_KIND),
            "`m` takes an integer; the argument is a pointer");
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, HiddenMapsTakeMultiplesOfArguments) {
  StandIn &driver = freshStandIn();
  TensorMap hidden = gemmMap();
  hidden.source = TensorMapSource{"a_ptr", {Multiple{"n", 2}, std::string("n")}, {Multiple{"n", 64}, int64_t(1)}};
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a_map", 0, hidden), pointerParam("a_ptr", "*fp16", 128),
                                                      scalarParam("n", "i32", 136, 4)}));
  EXPECT_EQ(launchText(kernel, {pointerArg(0x40000), integerArg(100)}, TLXRT_SUCCESS), "");
  EXPECT_EQ(driver.maps[0].sizes, (std::vector<uint64_t>{100, 200}));
  EXPECT_EQ(driver.maps[0].strides, (std::vector<uint64_t>{12800}));
  tlxrt_kernel_free(kernel);
}

// A tensor without elements has often no address either; whatever is read through its map is zero.
TEST(TensorMap, HiddenMapOfAnEmptyTensorShowsZeros) {
  StandIn &driver = freshStandIn();
  TensorMap hidden = gemmMap();
  hidden.source = TensorMapSource{"a_ptr", {int64_t(64), std::string("n")}, {std::string("n"), int64_t(1)}};
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a_map", 0, hidden), pointerParam("a_ptr", "*fp16", 128),
                                                      scalarParam("n", "i32", 136, 4)}));
  EXPECT_EQ(launchText(kernel, {pointerArg(0), integerArg(0)}, TLXRT_SUCCESS), "");
  EXPECT_EQ(driver.maps[0].sizes, (std::vector<uint64_t>{1, 1}));
  uint64_t zeros = driver.maps[0].address;
  EXPECT_NE(zeros, 0u);
  EXPECT_EQ(launchText(kernel, {pointerArg(0x40000), integerArg(-8)}, TLXRT_SUCCESS), "");
  EXPECT_EQ(driver.maps.back().address, zeros);
  EXPECT_EQ(launchText(kernel, {pointerArg(0), integerArg(8)}, TLXRT_ERROR_TENSOR_MAP), "`a_map`: the address is null");
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, WhatIsLoadedAheadIsNotWrittenTo) {
  StandIn &driver = freshStandIn();
  TensorMap hidden = gemmMap();
  hidden.source = TensorMapSource{"a_ptr", {int64_t(64), int64_t(64)}, {int64_t(64), int64_t(1)}, {"c_ptr"}};
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a_map", 0, hidden), pointerParam("a_ptr", "*fp16", 128),
                                                      pointerParam("c_ptr", "*fp16", 136)}));
  EXPECT_EQ(launchText(kernel, {pointerArg(0x40000), pointerArg(0x50000)}, TLXRT_SUCCESS), "");
  EXPECT_EQ(
      launchText(kernel, {pointerArg(0x40000), pointerArg(0x40000)}, TLXRT_ERROR_ARGUMENT_VALUE),
      "`a_ptr` and `c_ptr` are the same memory, and the kernel loads the one ahead of what it stores to the other: "
      "compile it with --no-hidden-maps");
  tlxrt_kernel_free(kernel);
}

TEST(TensorMap, RepeatedLaunchEncodesNothing) {
  StandIn &driver = freshStandIn();
  tlxrt_kernel *kernel = loaded(driver, manifestWith({mapParam("a", 0, gemmMap()), mapParam("b", 128, gemmMap()),
                                                      mapParam("c", 256, gemmMap()), scalarParam("m", "i32", 384, 4)}));
  tlxrt_tensor tensor = tensorOf(0x10000, TLXRT_FP16, {512, 256});
  std::vector<tlxrt_arg> args{tensorArg(tensor), tensorArg(tensor), tensorArg(tensor), integerArg(1)};
  // Printed, not judged: the stand-in copies parameters, and other programs share the machine.
  auto start = std::chrono::steady_clock::now();
  const int grid[] = {1, 1, 1}, launches = 2000;
  for (int i = 0; i < launches; ++i)
    ASSERT_EQ(tlxrt_launch(kernel, nullptr, grid, args.data(), 4), TLXRT_SUCCESS);
  double each = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / launches;
  EXPECT_EQ(driver.maps.size(), 3u);
  std::printf("%.2f us a launch\n", each);
  tlxrt_kernel_free(kernel);
}
