// tlx-run from its command line to its exit code, with a driver that executes nothing.
#include "tlx/Launch/RunProgram.h"
#include "HipStandIn.h"
#include "StandInDriver.h"
#include "tlx/Manifest/Manifest.h"
#include "tlx/Manifest/Sha256.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tlx::rt;

namespace {

struct Outcome {
  int code;
  std::string out, err;
};

class RunProgram : public testing::Test {
protected:
  void SetUp() override {
    setenv("TLXRT_DRIVER", STAND_IN_DRIVER, 1);
    void *library = dlopen(STAND_IN_DRIVER, RTLD_NOW);
    driver = reinterpret_cast<StandInAccess>(dlsym(library, "standIn"))();
    *driver = StandIn();
    driver->entry = "copy";
    driver->places = {{0, 8}, {8, 4}};
    folder = std::filesystem::path(testing::TempDir()) / "tlx-run-test";
    std::filesystem::create_directories(folder);
    Manifest manifest;
    manifest.kernel = manifest.entry = "copy", manifest.target = "sm_90a";
    manifest.image = {"copy.cubin", ImageKind::Cubin, 5, sha256("image"), ""};
    manifest.params = {{"y", ParamKind::Pointer, "*fp16", 0, 8, 8, 0, {}, {}},
                       {"n", ParamKind::Scalar, "i32", 8, 4, 4, 0, {}, {}}};
    manifest.launch.threads = 128;
    write("copy.json", tlx::rt::write(manifest));
    write("copy.cubin", "image");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const char *name, const std::string &text) { std::ofstream(folder / name) << text; }

  void writeLaunch(const char *init) {
    write("launch.json", std::string(R"({"manifest": "copy.json", "grid": [2], "tensors": {
        "x": {"dtype": "fp16", "shape": [3, 4], "init": "arange"},
        "y": {"dtype": "fp16", "shape": [3, 4], "init": )") +
                             init + R"(}}, "args": {"y": "y", "n": 12}, "expect": {"y": {"equal": "x"}},
        "flops": 3e9, "bytes": 6e6, "save": ["y"]})");
  }

  Outcome run(std::vector<std::string> arguments) {
    std::ostringstream out, err;
    for (std::string &argument : arguments)
      if (argument.ends_with(".json"))
        argument = (folder / argument).string();
    int code = runProgram(arguments, out, err);
    return {code, out.str(), err.str()};
  }

  StandIn *driver = nullptr;
  std::filesystem::path folder;
};

TEST_F(RunProgram, PassesWhenTheNumbersAgree) {
  writeLaunch("\"arange\"");
  Outcome outcome = run({"launch.json", "--repeat", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "equal bits in 3 runs\npass: `y`: relative error 0 (limit 0), largest error 0\n");
  EXPECT_EQ(driver->launches.size(), 3u);
  EXPECT_EQ(driver->launches[0].grid[0], 2u);
  EXPECT_TRUE(std::filesystem::exists(folder / "y.npy"));
}

TEST_F(RunProgram, ImagesForAMDRunThroughHip) {
  setenv("TLXRT_HIP_DRIVER", HIP_STAND_IN, 1);
  HipStandIn &hip = *reinterpret_cast<HipStandInAccess>(dlsym(dlopen(HIP_STAND_IN, RTLD_NOW), "hipStandIn"))();
  hip = HipStandIn();
  hip.entry = "copy";
  Manifest manifest;
  manifest.kernel = manifest.entry = "copy", manifest.target = "gfx942", manifest.devices = {"gfx942"};
  manifest.image = {"copy.hsaco", ImageKind::Hsaco, 5, sha256("image"), ""};
  manifest.params = {{"y", ParamKind::Pointer, "*fp16", 0, 8, 8, 0, {}, {}},
                     {"n", ParamKind::Scalar, "i32", 8, 4, 4, 0, {}, {}}};
  manifest.launch.threads = 256;
  write("copy.json", tlx::rt::write(manifest));
  write("copy.hsaco", "image");
  writeLaunch("\"arange\"");
  Outcome outcome = run({"launch.json", "--bench"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("pass: `y`"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("time: 0.2143 ms (median of 21"), std::string::npos) << outcome.out;
  EXPECT_EQ(hip.launches.at(0).grid[0], 2u);
  EXPECT_EQ(hip.launches.at(0).arguments.size(), 12u);
  EXPECT_TRUE(driver->launches.empty());
  EXPECT_EQ(hip.buffers, 0) << "all device memory was given back";
  EXPECT_EQ(hip.events, 0);
  hip.failing = "hipDeviceSynchronize", hip.failure = 719;
  outcome = run({"launch.json"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "error: hipDeviceSynchronize: hipErrorLaunchFailure (as the test asked)\n");
}

TEST_F(RunProgram, FailsWhenNothingIsWritten) {
  writeLaunch("\"nan\"");
  Outcome outcome = run({"launch.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "FAIL: `y`: 12 elements are not finite or should not be, first nan instead of 0 at [0, 0]\n");
}

TEST_F(RunProgram, BenchPrintsRates) {
  writeLaunch("\"arange\"");
  Outcome outcome = run({"--bench", "launch.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  // The stand-in says 1.5 ms for every pair of events, between which 7 launches lie.
  EXPECT_NE(outcome.out.find("time: 0.2143 ms (median of 21, least 0.2143), 14.0 TFLOP/s, 0.028 TB/s\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(RunProgram, CommandLine) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_EQ(run({"--version"}).out, "tlx-run 0.1.0\n");
  EXPECT_EQ(run({}).code, 2);
  EXPECT_NE(run({}).err.find("a launch file is needed"), std::string::npos);
  EXPECT_NE(run({"--fast", "launch.json"}).err.find("unknown option `--fast`"), std::string::npos);
  EXPECT_EQ(run({"launch.json", "--repeat", "0"}).code, 2);
  EXPECT_EQ(run({"launch.json", "--repeat"}).code, 2);
  EXPECT_EQ(run({"launch.json", "--repeat=2x"}).code, 2);
  EXPECT_EQ(run({"launch.json", "other.json"}).code, 2);
}

TEST_F(RunProgram, ExitCodesOfFailures) {
  EXPECT_EQ(run({"absent.json"}).code, 3);
  write("launch.json", "{");
  EXPECT_EQ(run({"launch.json"}).code, 1);
  write("launch.json", R"({"manifest": "absent.json", "grid": [1]})");
  EXPECT_EQ(run({"launch.json"}).code, 3);
  writeLaunch("\"arange\"");
  driver->launchResult = 719;
  Outcome outcome = run({"launch.json"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "error: cuLaunchKernelEx: CUDA_ERROR_OTHER (as the test asked)\n");
  driver->launchResult = 0;
  write("copy.cubin", "imagf");
  EXPECT_EQ(run({"launch.json"}).code, 3);
}

} // namespace
