// Launching: parameters at their offsets, attributes, contexts, and each refusal with its text.
#include "RuntimeFixture.h"

#include <chrono>
#include <cstring>

using namespace tlx::rt;

template <typename T> static T valueOf(const std::vector<unsigned char> &bytes) {
  T value{};
  EXPECT_EQ(bytes.size(), sizeof value);
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

TEST(Launch, PacksEveryTypeAtItsOffset) {
  StandIn &driver = freshStandIn();
  tlxrt_kernel *kernel =
      loaded(driver, manifestWith({scalarParam("flag", "i1", 0, 1), scalarParam("byte", "i8", 1, 1),
                                   scalarParam("half", "fp16", 2, 2), scalarParam("single", "fp32", 4, 4),
                                   pointerParam("p", "*fp16", 8), scalarParam("big", "u64", 16, 8),
                                   scalarParam("brain", "bf16", 24, 2), scalarParam("real", "fp64", 32, 8),
                                   scalarParam("m", "i32", 40, 4)}));
  EXPECT_EQ(launchText(kernel,
                       {integerArg(1), integerArg(-3), floatArg(1.5), floatArg(0.1), pointerArg(0x7fff00001000),
                        integerArg(-1), floatArg(-2), floatArg(0.1), integerArg(-70000)},
                       TLXRT_SUCCESS),
            "");
  ASSERT_EQ(driver.launches.size(), 1u);
  const auto &parameters = driver.launches[0].parameters;
  EXPECT_EQ(valueOf<uint8_t>(parameters[0]), 1);
  EXPECT_EQ(valueOf<int8_t>(parameters[1]), -3);
  EXPECT_EQ(valueOf<uint16_t>(parameters[2]), 0x3E00);
  EXPECT_EQ(valueOf<float>(parameters[3]), 0.1f);
  EXPECT_EQ(valueOf<uint64_t>(parameters[4]), 0x7fff00001000u);
  EXPECT_EQ(valueOf<uint64_t>(parameters[5]), ~uint64_t(0));
  EXPECT_EQ(valueOf<uint16_t>(parameters[6]), 0xC000);
  EXPECT_EQ(valueOf<double>(parameters[7]), 0.1);
  EXPECT_EQ(valueOf<int32_t>(parameters[8]), -70000);
  tlxrt_kernel_free(kernel);
}

TEST(Launch, ThreeHundredParameters) {
  StandIn &driver = freshStandIn();
  std::vector<Param> params;
  std::vector<tlxrt_arg> args;
  for (int i = 0; i < 300; ++i) {
    params.push_back(scalarParam(("p" + std::to_string(i)).c_str(), "i64", 8 * i, 8));
    args.push_back(integerArg(1000000007ll * i));
  }
  tlxrt_kernel *kernel = loaded(driver, manifestWith(params));
  launchText(kernel, args, TLXRT_SUCCESS);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(valueOf<int64_t>(driver.launches[0].parameters[i]), 1000000007ll * i);
  tlxrt_kernel_free(kernel);
}

TEST(Launch, AttributesFollowTheManifest) {
  StandIn &driver = freshStandIn();
  Manifest manifest = manifestWith({});
  manifest.launch.cluster = {2, 1, 1}, manifest.launch.dynamicShared = 200000;
  manifest.launch.cooperative = manifest.launch.dependentLaunch = true;
  tlxrt_kernel *kernel = loaded(driver, manifest);
  const int grid[] = {4, 3, 2};
  ASSERT_EQ(tlxrt_launch(kernel, reinterpret_cast<void *>(0x77), grid, nullptr, 0), TLXRT_SUCCESS);
  const RecordedLaunch &launch = driver.launches[0];
  EXPECT_EQ(launch.grid[0], 4u);
  EXPECT_EQ(launch.grid[1], 3u);
  EXPECT_EQ(launch.grid[2], 2u);
  EXPECT_EQ(launch.block[0], 384u);
  EXPECT_EQ(launch.sharedBytes, 200000u);
  EXPECT_EQ(launch.stream, reinterpret_cast<void *>(0x77));
  ASSERT_EQ(launch.attributes.size(), 3u);
  EXPECT_EQ(launch.attributes[0].first, cuda::clusterDimension);
  EXPECT_EQ(launch.attributes[0].second, (std::vector<unsigned>{2, 1, 1}));
  EXPECT_EQ(launch.attributes[1].first, cuda::cooperative);
  EXPECT_EQ(launch.attributes[1].second[0], 1u);
  EXPECT_EQ(launch.attributes[2].first, cuda::programmaticStreamSerialization);
  EXPECT_EQ(driver.functionAttributes, (std::vector<std::pair<int, int>>{{cuda::maxDynamicSharedSizeBytes, 200000}}));
  tlxrt_kernel_free(kernel);
}

TEST(Launch, LargeClustersAskForPermission) {
  StandIn &driver = freshStandIn();
  Manifest manifest = manifestWith({});
  manifest.launch.cluster = {16, 1, 1};
  tlxrt_kernel *kernel = loaded(driver, manifest);
  const int grid[] = {16, 1, 1};
  ASSERT_EQ(tlxrt_launch(kernel, nullptr, grid, nullptr, 0), TLXRT_SUCCESS);
  EXPECT_EQ(driver.functionAttributes, (std::vector<std::pair<int, int>>{{cuda::nonPortableClusterSizeAllowed, 1}}));
  tlxrt_kernel_free(kernel);
}

TEST(Launch, RefusesGrids) {
  StandIn &driver = freshStandIn();
  Manifest manifest = manifestWith({});
  manifest.launch.cluster = {2, 1, 1};
  manifest.launch.maxGrid = {100, 65535, 65535};
  tlxrt_kernel *kernel = loaded(driver, manifest);
  auto text = [&](int x, int y, int z) {
    const int grid[] = {x, y, z};
    EXPECT_EQ(tlxrt_launch(kernel, nullptr, grid, nullptr, 0), TLXRT_ERROR_GRID);
    return std::string(tlxrt_last_error());
  };
  EXPECT_EQ(text(3, 1, 1), "grid x is 3, no multiple of the cluster's 2");
  EXPECT_EQ(text(2, 0, 1), "grid y is 0; it must be at least 1");
  EXPECT_EQ(text(102, 1, 1), "grid x is 102; `gemm` takes at most 100");
  EXPECT_EQ(text(2, 1, 65536), "grid z is 65536; `gemm` takes at most 65535");
  EXPECT_TRUE(driver.launches.empty());
  tlxrt_kernel_free(kernel);
}

TEST(Launch, RefusesArguments) {
  StandIn &driver = freshStandIn();
  Param pointer = pointerParam("p", "*fp16", 0), count = scalarParam("m", "i32", 8, 4);
  pointer.divisibleBy = 16, count.divisibleBy = 8;
  Param one = scalarParam("stride", "i32", 12, 4), scale = scalarParam("scale", "fp32", 16, 4);
  one.equalTo = 1;
  tlxrt_kernel *kernel = loaded(driver, manifestWith({pointer, count, one, scale}));
  tlxrt_tensor wrong = tensorOf(0x100, TLXRT_BF16, {4});
  tlxrt_arg p = pointerArg(0x1000), m = integerArg(64), s = integerArg(1), f = floatArg(1);
  EXPECT_EQ(launchText(kernel, {p, m, s}, TLXRT_ERROR_ARGUMENT_COUNT), "`gemm` takes 4 arguments; 3 were given");
  EXPECT_EQ(launchText(kernel, {m, m, s, f}, TLXRT_ERROR_ARGUMENT_KIND),
            "`p` takes a pointer or a tensor; the argument is an integer");
  EXPECT_EQ(launchText(kernel, {tensorArg(wrong), m, s, f}, TLXRT_ERROR_ARGUMENT_KIND),
            "`p` takes elements of `fp16`; the tensor has `bf16`");
  EXPECT_EQ(launchText(kernel, {pointerArg(0x1008), m, s, f}, TLXRT_ERROR_ARGUMENT_VALUE),
            "`p`: address 4104 is not divisible by 16, which the kernel was compiled for");
  EXPECT_EQ(launchText(kernel, {p, f, s, f}, TLXRT_ERROR_ARGUMENT_KIND),
            "`m` takes an integer; the argument is a floating-point number");
  EXPECT_EQ(launchText(kernel, {p, integerArg(65), s, f}, TLXRT_ERROR_ARGUMENT_VALUE),
            "`m`: 65 is not divisible by 8, which the kernel was compiled for");
  EXPECT_EQ(launchText(kernel, {p, integerArg(int64_t(1) << 31), s, f}, TLXRT_ERROR_ARGUMENT_VALUE),
            "`m`: 2147483648 does not fit `i32`, which holds -2147483648 to 2147483647");
  EXPECT_EQ(launchText(kernel, {p, m, integerArg(2), f}, TLXRT_ERROR_ARGUMENT_VALUE),
            "`stride`: 2 is not 1, which the kernel was compiled for");
  EXPECT_EQ(launchText(kernel, {p, m, s, m}, TLXRT_ERROR_ARGUMENT_KIND),
            "`scale` takes a floating-point number; the argument is an integer");
  EXPECT_TRUE(driver.launches.empty());
  EXPECT_EQ(launchText(kernel, {p, m, s, f}, TLXRT_SUCCESS), "");
  tlxrt_kernel_free(kernel);
}

TEST(Launch, RefusesDevicesAndImages) {
  StandIn &driver = freshStandIn();
  driver.major = 10;
  Manifest manifest = manifestWith({scalarParam("m", "i32", 0, 4)});
  auto text = [&](tlxrt_status expected) {
    driver.places.clear();
    tlxrt_kernel *kernel = loaded(driver, manifest);
    if (manifest.variant == "moved")
      driver.places[0].first = 8;
    std::string result = launchText(kernel, {integerArg(1)}, expected);
    tlxrt_kernel_free(kernel);
    return result;
  };
  EXPECT_EQ(text(TLXRT_ERROR_WRONG_DEVICE),
            "the image of `gemm` was built as `sm_90a` for `sm_90`; the device is `sm_100`");
  driver.major = 9, manifest.launch.dynamicShared = 232449;
  EXPECT_EQ(text(TLXRT_ERROR_WRONG_DEVICE), "`gemm` needs 232449 bytes of shared memory; the device has 232448");
  manifest.launch.dynamicShared = 0, manifest.variant = "moved";
  EXPECT_EQ(text(TLXRT_ERROR_IMAGE),
            "the parameters of the image lie at offsets 8; those of the manifest cannot be laid out so");
  manifest.variant = "", driver.entry = "other";
  EXPECT_EQ(text(TLXRT_ERROR_IMAGE), "`gemm.cubin` has no entry `gemm`");
  EXPECT_EQ(driver.modulesLoaded, driver.modulesUnloaded);
  driver.loadResult = cuda::errorInvalidImage;
  EXPECT_EQ(text(TLXRT_ERROR_IMAGE),
            "`gemm.cubin`: cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE (as the test asked): the log");
  driver.loadResult = 0, driver.entry = "gemm", driver.launchResult = 719;
  EXPECT_EQ(text(TLXRT_ERROR_DRIVER), "cuLaunchKernelEx: CUDA_ERROR_OTHER (as the test asked)");
}

TEST(Launch, PlacesAreComparedFromTheStartThatTheDriverCounts) {
  TensorMap map;
  map.rank = 1, map.box = map.block = {64}, map.elementStrides = {1};
  map.source = TensorMapSource{"p", {int64_t(64)}, {int64_t(1)}};
  Manifest manifest =
      manifestWith({pointerParam("p", "*fp16", 0), mapParam("m", 64, map), scalarParam("n", "i32", 192, 4)});
  auto text = [&](std::vector<std::pair<size_t, size_t>> places, tlxrt_status expected) {
    StandIn &driver = freshStandIn();
    tlxrt_kernel *kernel = loaded(driver, manifest);
    driver.places = places;
    std::string result = launchText(kernel, {pointerArg(0x1000), integerArg(1)}, expected);
    tlxrt_kernel_free(kernel);
    return result;
  };
  // Counted from an address that is 0, then 16 modulo 64.
  text({{0, 8}, {64, 128}, {192, 4}}, TLXRT_SUCCESS);
  text({{0, 8}, {48, 128}, {176, 4}}, TLXRT_SUCCESS);
  EXPECT_EQ(text({{0, 8}, {48, 128}, {192, 4}}, TLXRT_ERROR_IMAGE),
            "the parameters of the image lie at offsets 0, 48, 192; those of the manifest cannot be laid out so");
  EXPECT_EQ(text({{0, 8}, {48, 128}, {176, 8}}, TLXRT_ERROR_IMAGE),
            "`n` has 8 bytes in the image; the manifest says 4");
  EXPECT_EQ(text({{0, 8}, {48, 128}}, TLXRT_ERROR_IMAGE), "the image has 2 parameters; the manifest has 3");
}

TEST(Launch, KeepsTheCallersContext) {
  StandIn &driver = freshStandIn();
  tlxrt_kernel *kernel = loaded(driver, manifestWith({}));
  launchText(kernel, {}, TLXRT_SUCCESS);
  EXPECT_EQ(driver.context, nullptr);
  EXPECT_EQ(driver.contextDepth, 0);
  EXPECT_EQ(driver.modulesLoaded, 1);
  launchText(kernel, {}, TLXRT_SUCCESS);
  EXPECT_EQ(driver.modulesLoaded, 1);
  driver.context = reinterpret_cast<void *>(0x9000);
  launchText(kernel, {}, TLXRT_SUCCESS);
  EXPECT_EQ(driver.context, reinterpret_cast<void *>(0x9000));
  EXPECT_EQ(driver.modulesLoaded, 2);
  tlxrt_kernel_free(kernel);
  EXPECT_EQ(driver.modulesUnloaded, 2);
}

TEST(Launch, ScratchIsForEachBlock) {
  StandIn &driver = freshStandIn();
  Param scratch = pointerParam("scratch", "", 0);
  scratch.kind = ParamKind::Scratch;
  Manifest manifest = manifestWith({scratch});
  manifest.launch.scratchBytes = 256, manifest.launch.scratchAlign = 128;
  tlxrt_kernel *kernel = loaded(driver, manifest);
  const int grid[] = {3, 2, 1};
  ASSERT_EQ(tlxrt_launch(kernel, nullptr, grid, nullptr, 0), TLXRT_SUCCESS);
  EXPECT_EQ(driver.scratchAllocated, 6u * 256 + 128);
  EXPECT_EQ(driver.scratchFreed, 0x500010u);
  EXPECT_EQ(valueOf<uint64_t>(driver.launches[0].parameters[0]), 0x500080u);
  tlxrt_kernel_free(kernel);
}

TEST(Launch, Occupancy) {
  StandIn &driver = freshStandIn();
  Manifest manifest = manifestWith({});
  tlxrt_kernel *kernel = loaded(driver, manifest);
  int count = 0;
  ASSERT_EQ(tlxrt_max_active_clusters(kernel, &count), TLXRT_SUCCESS);
  EXPECT_EQ(count, 264);
  tlxrt_kernel_free(kernel);
  manifest.launch.cluster = {2, 1, 1};
  kernel = loaded(driver, manifest);
  ASSERT_EQ(tlxrt_max_active_clusters(kernel, &count), TLXRT_SUCCESS);
  EXPECT_EQ(count, 66);
  ASSERT_EQ(tlxrt_multiprocessor_count(&count), TLXRT_SUCCESS);
  EXPECT_EQ(count, 132);
  tlxrt_kernel_free(kernel);
}
