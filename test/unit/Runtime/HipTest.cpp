// Launching through HIP: the argument buffer byte for byte, grid and block, devices, and each refusal with its text.
#include "HipStandIn.h"
#include "RuntimeFixture.h"

#include "tlx/Manifest/Sha256.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace tlx::rt;

static HipStandIn &freshHip() {
  setenv("TLXRT_HIP_DRIVER", HIP_STAND_IN, 1);
  void *library = dlopen(HIP_STAND_IN, RTLD_NOW);
  HipStandIn &state = *reinterpret_cast<HipStandInAccess>(dlsym(library, "hipStandIn"))();
  state = HipStandIn();
  return state;
}

static Manifest hipManifest(std::vector<Param> params) {
  Manifest manifest = manifestWith(std::move(params));
  manifest.target = "gfx942", manifest.devices = {"gfx942"};
  manifest.image.file = "gemm.hsaco", manifest.image.kind = ImageKind::Hsaco;
  manifest.launch.threads = 256;
  manifest.launch.maxGrid = {2147483647, 65535, 65535};
  return manifest;
}

static tlxrt_kernel *load(const Manifest &manifest) {
  tlxrt_kernel *kernel = nullptr;
  EXPECT_EQ(tlxrt_kernel_load_memory(write(manifest).c_str(), "image", 5, &kernel), TLXRT_SUCCESS)
      << tlxrt_last_error();
  return kernel;
}

/// The bytes of a buffer with `size` bytes and values at offsets.
struct Bytes {
  std::vector<unsigned char> bytes;
  explicit Bytes(size_t size) : bytes(size, 0) {}
  template <typename T> Bytes &put(size_t offset, T value) {
    std::memcpy(&bytes[offset], &value, sizeof value);
    return *this;
  }
};

TEST(Hip, TheArgumentBufferIsThatOfTheKernelByteForByte) {
  HipStandIn &hip = freshHip();
  tlxrt_kernel *kernel = load(
      hipManifest({scalarParam("flag", "i1", 0, 1), scalarParam("byte", "i8", 1, 1), scalarParam("half", "fp16", 2, 2),
                   pointerParam("p", "*fp16", 8), scalarParam("m", "i32", 16, 4), scalarParam("real", "fp64", 24, 8),
                   scalarParam("scale", "fp32", 32, 4)}));
  launchText(kernel,
             {integerArg(1), integerArg(-3), floatArg(1.5), pointerArg(0x7fff00001000), integerArg(-70000),
              floatArg(0.1), floatArg(2)},
             TLXRT_SUCCESS);
  ASSERT_EQ(hip.launches.size(), 1u);
  EXPECT_TRUE(hip.launches[0].wellFormed);
  // 36 bytes: no hidden argument, no padding behind the last.
  Bytes expected(36);
  expected.put<uint8_t>(0, 1).put<int8_t>(1, -3).put<uint16_t>(2, 0x3E00).put<uint64_t>(8, 0x7fff00001000);
  expected.put<int32_t>(16, -70000).put<double>(24, 0.1).put<float>(32, 2);
  EXPECT_EQ(hip.launches[0].arguments, expected.bytes);
  EXPECT_EQ(hip.image, "image");
  tlxrt_kernel_free(kernel);
}

TEST(Hip, GridCountsBlocks) {
  HipStandIn &hip = freshHip();
  Manifest manifest = hipManifest({});
  manifest.launch.dynamicShared = 1024, manifest.launch.staticShared = 32768;
  tlxrt_kernel *kernel = load(manifest);
  const int grid[] = {7, 3, 2};
  ASSERT_EQ(tlxrt_launch(kernel, reinterpret_cast<void *>(0x77), grid, nullptr, 0), TLXRT_SUCCESS)
      << tlxrt_last_error();
  const RecordedHipLaunch &launch = hip.launches.at(0);
  EXPECT_EQ(std::vector<unsigned>(launch.grid, launch.grid + 3), (std::vector<unsigned>{7, 3, 2}));
  EXPECT_EQ(std::vector<unsigned>(launch.block, launch.block + 3), (std::vector<unsigned>{256, 1, 1}));
  // What the descriptor of the kernel asks for is not passed again.
  EXPECT_EQ(launch.sharedBytes, 1024u);
  EXPECT_EQ(launch.stream, reinterpret_cast<void *>(0x77));
  tlxrt_kernel_free(kernel);
}

TEST(Hip, GridsOfTooManyThreadsAreRefused) {
  HipStandIn &hip = freshHip();
  tlxrt_kernel *kernel = load(hipManifest({}));
  const int most[] = {16777215, 1, 1}, more[] = {16777216, 1, 1};
  EXPECT_EQ(tlxrt_launch(kernel, nullptr, most, nullptr, 0), TLXRT_SUCCESS);
  EXPECT_EQ(tlxrt_launch(kernel, nullptr, more, nullptr, 0), TLXRT_ERROR_GRID);
  EXPECT_STREQ(tlxrt_last_error(),
               "grid x is 16777216: with 256 threads a block these are 4294967296 threads; HIP takes "
               "at most 4294967295");
  EXPECT_EQ(hip.launches.size(), 1u);
  tlxrt_kernel_free(kernel);
}

TEST(Hip, ModulesBelongToDevices) {
  HipStandIn &hip = freshHip();
  tlxrt_kernel *kernel = load(hipManifest({}));
  EXPECT_TRUE(hip.modulesLoadedOn.empty());
  for (int device : {0, 3, 3, 0}) {
    hip.device = device;
    launchText(kernel, {}, TLXRT_SUCCESS);
    EXPECT_EQ(hip.launches.back().device, device);
  }
  EXPECT_EQ(hip.modulesLoadedOn, (std::vector<int>{0, 3}));
  hip.device = 5;
  tlxrt_kernel_free(kernel);
  EXPECT_EQ(hip.modulesUnloadedOn, (std::vector<int>{0, 3}));
  EXPECT_EQ(hip.device, 5) << "the caller's device stays current";
}

TEST(Hip, ScratchIsOrderedInTheStream) {
  HipStandIn &hip = freshHip();
  Param scratch = pointerParam("scratch", "", 0);
  scratch.kind = ParamKind::Scratch;
  Manifest manifest = hipManifest({scratch});
  manifest.launch.scratchBytes = 64, manifest.launch.scratchAlign = 128;
  tlxrt_kernel *kernel = load(manifest);
  const int grid[] = {4, 1, 1};
  ASSERT_EQ(tlxrt_launch(kernel, nullptr, grid, nullptr, 0), TLXRT_SUCCESS) << tlxrt_last_error();
  EXPECT_EQ(hip.scratchAllocated, 4u * 64 + 128);
  EXPECT_EQ(hip.launches[0].arguments, Bytes(8).put<uint64_t>(0, 0x500080).bytes);
  EXPECT_EQ(hip.scratchFreed, 0x500010u);
  tlxrt_kernel_free(kernel);
}

TEST(Hip, RefusesDevicesAndImages) {
  HipStandIn &hip = freshHip();
  Manifest manifest = hipManifest({});
  auto text = [&](tlxrt_status expected) {
    tlxrt_kernel *kernel = load(manifest);
    std::string result = launchText(kernel, {}, expected);
    tlxrt_kernel_free(kernel);
    return result;
  };
  hip.minor = 5;
  EXPECT_EQ(text(TLXRT_ERROR_WRONG_DEVICE),
            "the image of `gemm` was built as `gfx942` for `gfx942`; the device is of the family `gfx95`");
  hip.minor = 4, manifest.launch.staticShared = 65537;
  EXPECT_EQ(text(TLXRT_ERROR_WRONG_DEVICE), "`gemm` needs 65537 bytes of shared memory; the device has 65536");
  manifest.launch.staticShared = 65536, hip.entry = "other";
  EXPECT_EQ(text(TLXRT_ERROR_IMAGE), "`gemm.hsaco` has no entry `gemm`");
  EXPECT_EQ(hip.modulesLoadedOn.size(), hip.modulesUnloadedOn.size());
  hip.entry = "gemm";
  EXPECT_EQ(text(TLXRT_SUCCESS), "");
}

TEST(Hip, FailingCallsHaveTheirNameAndError) {
  HipStandIn &hip = freshHip();
  Param scratch = pointerParam("scratch", "", 0);
  scratch.kind = ParamKind::Scratch;
  Manifest manifest = hipManifest({scratch});
  manifest.launch.scratchBytes = 64;
  auto text = [&](const char *function, hip::Result failure, tlxrt_status expected) {
    hip.failing = function, hip.failure = failure;
    tlxrt_kernel *kernel = load(manifest);
    std::string result = launchText(kernel, {}, expected);
    tlxrt_kernel_free(kernel);
    return result;
  };
  EXPECT_EQ(text("hipModuleLoadData", hip::errorInvalidImage, TLXRT_ERROR_IMAGE),
            "`gemm.hsaco`: hipModuleLoadData: hipErrorInvalidImage (as the test asked)");
  EXPECT_EQ(text("hipModuleLoadData", hip::errorNoBinaryForGpu, TLXRT_ERROR_WRONG_DEVICE),
            "`gemm.hsaco`: hipModuleLoadData: hipErrorNoBinaryForGpu (as the test asked)");
  EXPECT_EQ(text("hipModuleLoadData", hip::errorOutOfMemory, TLXRT_ERROR_OUT_OF_MEMORY),
            "`gemm.hsaco`: hipModuleLoadData: hipErrorOutOfMemory (as the test asked)");
  EXPECT_EQ(text("hipMallocAsync", hip::errorOutOfMemory, TLXRT_ERROR_OUT_OF_MEMORY),
            "hipMallocAsync: hipErrorOutOfMemory (as the test asked)");
  EXPECT_EQ(text("hipModuleLaunchKernel", hip::errorLaunchFailure, TLXRT_ERROR_DRIVER),
            "hipModuleLaunchKernel: hipErrorLaunchFailure (as the test asked)");
  EXPECT_EQ(text("hipDeviceGetAttribute", hip::errorInvalidValue, TLXRT_ERROR_DRIVER),
            "hipDeviceGetAttribute: hipErrorInvalidValue (as the test asked)");
  EXPECT_EQ(text("hipGetDevice", hip::errorNoDevice, TLXRT_ERROR_NO_DEVICE),
            "hipGetDevice: error 100 (as the test asked)");
  EXPECT_EQ(text("nothing", 0, TLXRT_SUCCESS), "");
}

TEST(Hip, ArgumentsAreCheckedAsEverywhere) {
  HipStandIn &hip = freshHip();
  Param pointer = pointerParam("p", "*fp16", 0), count = scalarParam("m", "i32", 8, 4);
  pointer.divisibleBy = 16;
  tlxrt_kernel *kernel = load(hipManifest({pointer, count}));
  EXPECT_EQ(launchText(kernel, {pointerArg(0x1008), integerArg(1)}, TLXRT_ERROR_ARGUMENT_VALUE),
            "`p`: address 4104 is not divisible by 16, which the kernel was compiled for");
  EXPECT_EQ(launchText(kernel, {pointerArg(0x1000)}, TLXRT_ERROR_ARGUMENT_COUNT),
            "`gemm` takes 2 arguments; 1 were given");
  EXPECT_TRUE(hip.launches.empty());
  tlxrt_kernel_free(kernel);
}

TEST(Hip, WhatAMDLacksIsRefusedAtLoad) {
  freshHip();
  auto refusal = [&](auto change) {
    Manifest manifest = hipManifest({});
    change(manifest);
    tlxrt_kernel *kernel = nullptr;
    EXPECT_EQ(tlxrt_kernel_load_memory(write(manifest).c_str(), "image", 5, &kernel), TLXRT_ERROR_UNSUPPORTED);
    return std::string(tlxrt_last_error());
  };
  const std::string begin = "`gemm.hsaco` is an image for AMD GPUs, whose launches have no ";
  EXPECT_EQ(refusal([](Manifest &m) { m.launch.cluster = {2, 1, 1}; }), begin + "clusters");
  EXPECT_EQ(refusal([](Manifest &m) { m.launch.dependentLaunch = true; }), begin + "dependent launch");
  EXPECT_EQ(refusal([](Manifest &m) { m.launch.cooperative = true; }), begin + "cooperative grids here");
  EXPECT_EQ(refusal([](Manifest &m) {
              TensorMap map;
              map.rank = 1, map.box = map.block = {64}, map.elementStrides = {1};
              m.params = {mapParam("a", 0, map)};
            }),
            begin + "tensor maps");
}

TEST(Hip, CountsOfTheDevice) {
  freshHip();
  tlxrt_kernel *kernel = load(hipManifest({}));
  int count = 0;
  EXPECT_EQ(tlxrt_kernel_multiprocessor_count(kernel, &count), TLXRT_SUCCESS);
  EXPECT_EQ(count, 304);
  EXPECT_EQ(tlxrt_max_active_clusters(kernel, &count), TLXRT_SUCCESS);
  EXPECT_EQ(count, 8 * 304);
  EXPECT_EQ(tlxrt_kernel_multiprocessor_count(nullptr, &count), TLXRT_ERROR_NULL);
  tlxrt_kernel_free(kernel);
}

TEST(Hip, TheImageDecidesWhichDriverLaunches) {
  HipStandIn &hip = freshHip();
  StandIn &cuda = freshStandIn();
  tlxrt_kernel *amd = load(hipManifest({})), *nvidia = loaded(cuda, manifestWith({}));
  launchText(amd, {}, TLXRT_SUCCESS);
  EXPECT_EQ(hip.launches.size(), 1u);
  EXPECT_EQ(cuda.launches.size(), 0u);
  launchText(nvidia, {}, TLXRT_SUCCESS);
  EXPECT_EQ(hip.launches.size(), 1u);
  EXPECT_EQ(cuda.launches.size(), 1u);
  tlxrt_kernel_free(amd);
  tlxrt_kernel_free(nvidia);
}
