// tlxc sim: a launch file from beginning to end, and its exit codes.
#include "Kernels.h"

#include "tlx/Emulator/Simulate.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tlx::emu;

namespace {

/// y = x + add for 32 floats; `add` as an MLIR float.
std::string moduleText(const std::string &add, const std::string &index) {
  KernelText kernel;
  kernel.parameters = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>";
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %a = llvm.mlir.constant()" +
                add + R"( : f32) : f32
    %i = llvm.mlir.constant()" +
                index + R"( : i32) : i32
    %j = llvm.add %t, %i : i32
    %px = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr %y[%j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %px : !llvm.ptr<1> -> f32
    %w = llvm.fadd %v, %a : f32
    llvm.store %w, %py : f32, !llvm.ptr<1>
    llvm.return)";
  return kernel.module();
}

const char *const manifest = R"({"schema": 1, "kernel": "kernel", "entry": "kernel", "variant": "",
  "source": {"file": "k.tlx", "sha256": ""}, "constexprs": {}, "compiler": {"tlxc": "0", "llvm": "22", "ptxas": ""},
  "target": "sm_90a", "devices": ["sm_90"],
  "image": {"file": "k.ptx", "kind": "ptx", "bytes": 0, "sha256": "", "ptx_sha256": ""}, "module": {"file": "k.mlir"},
  "params": [{"name": "x", "kind": "pointer", "type": "*fp32", "offset": 0, "size": 8, "align": 8},
             {"name": "y", "kind": "pointer", "type": "*fp32", "offset": 8, "size": 8, "align": 8}],
  "launch": {"threads": 32, "cluster": [1, 1, 1], "dynamic_shared": 0, "static_shared": 0, "tmem_columns": 0,
             "cooperative": false, "dependent_launch": false, "scratch_bytes": 0, "scratch_align": 0,
             "max_grid": [2147483647, 65535, 65535]},
  "resources": {"registers": 0, "spill_stores": 0, "spill_loads": 0, "stack": 0, "barriers": 0, "tasks": [], "shared": []},
  "grid": null, "tuning": {}})";
const char *const launchFile = R"({"manifest": "k.json", "grid": [1, 1, 1],
  "tensors": {"x": {"dtype": "fp32", "shape": [32], "init": "arange"}, "one": {"dtype": "fp32", "shape": [32], "init": {"full": 1}},
              "y": {"dtype": "fp32", "shape": [32], "init": "nan"}},
  "args": {"x": "x", "y": "y"}, "expect": {"y": {"sum": ["x", "one"]}}})";

class Sim : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("tlx-sim-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    write("k.json", manifest);
    write("launch.json", launchFile);
    write("k.mlir", moduleText("1.0", "0"));
    options.launchFile = (folder / "launch.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const char *name, const std::string &text) { std::ofstream(folder / name) << text; }
  std::string read(const char *name) {
    std::ifstream file(folder / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  int run() {
    out.clear();
    err.clear();
    llvm::raw_string_ostream outStream(out), errStream(err);
    return simulate(options, outStream, errStream);
  }

  std::filesystem::path folder;
  SimulateOptions options;
  std::string out, err;
};

TEST_F(Sim, Passes) {
  options.seeds = 3;
  options.traceFile = (folder / "trace.json").string();
  EXPECT_EQ(run(), 0) << out << err;
  EXPECT_NE(out.find("pass: `y`"), std::string::npos) << out;
  EXPECT_NE(out.find("0 findings in 3 runs"), std::string::npos) << out;
  EXPECT_EQ(read("trace.json").find("{\"traceEvents\":["), 0u);
}

TEST_F(Sim, NumbersDiffer) {
  write("k.mlir", moduleText("2.0", "0"));
  EXPECT_EQ(run(), 1);
  EXPECT_NE(out.find("FAIL: `y`"), std::string::npos) << out;
}

TEST_F(Sim, Finding) {
  write("k.mlir", moduleText("1.0", "1"));
  EXPECT_EQ(run(), 4);
  EXPECT_NE(out.find("[out-of-bounds]"), std::string::npos) << out;
  options.json = true;
  EXPECT_EQ(run(), 4);
  EXPECT_NE(out.find("\"kind\": \"out-of-bounds\""), std::string::npos) << out;
}

TEST_F(Sim, NumbersOfARunWithoutAnEndDoNotPass) {
  // All is written and right before the warp waits for a barrier at which nobody else arrives.
  std::string text = moduleText("1.0", "0");
  const std::string wait =
      "    %id = llvm.mlir.constant(1 : i32) : i32\n    %all = llvm.mlir.constant(64 : i32) : i32\n"
      "    nvvm.barrier id = %id number_of_threads = %all\n    llvm.return";
  text.replace(text.find("llvm.return"), 11, wait);
  text.replace(text.find("array<i32: 32>"), 14, "array<i32: 64>");
  text.insert(text.find("    %a = "),
              "    %c32 = llvm.mlir.constant(32 : i32) : i32\n    %first = llvm.icmp \"ult\" %t, %c32 : i32\n"
              "    llvm.cond_br %first, ^work, ^leave\n^leave:\n    llvm.return\n^work:\n");
  write("k.mlir", text);
  EXPECT_EQ(run(), 4) << out << err;
  EXPECT_NE(out.find("[deadlock]"), std::string::npos) << out;
  EXPECT_NE(out.find("FAIL: `y`: the run came to no end (seed 0)"), std::string::npos) << out;
  EXPECT_EQ(out.find("pass: "), std::string::npos) << out;
}

TEST_F(Sim, MissingFiles) {
  std::filesystem::remove(folder / "k.mlir");
  EXPECT_EQ(run(), 3);
  EXPECT_NE(err.find("k.mlir"), std::string::npos) << err;
  options.launchFile = (folder / "none.json").string();
  EXPECT_EQ(run(), 3);
}

TEST_F(Sim, ModuleThatDoesNotParse) {
  write("k.mlir", "nothing");
  EXPECT_EQ(run(), 1);
}

} // namespace
