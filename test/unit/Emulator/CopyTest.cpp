// Asynchronous copies: tensor maps in each swizzle, bounds, multicast, stores, reductions, cp.async, matrix rows.
#include "Kernels.h"

#include <numeric>

using namespace tlx::emu;

namespace {

const char *const mapParameter =
    "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}";

HostTensorMap map2D(unsigned buffer, uint64_t rows, uint64_t columns, unsigned boxRows, unsigned boxColumns,
                    unsigned swizzle) {
  HostTensorMap map;
  map.buffer = buffer;
  map.type = ElementType::F16;
  map.rank = 2;
  map.sizes = {columns, rows};
  map.strides = {2, columns * 2};
  map.box = {boxColumns, boxRows};
  map.swizzle = swizzle;
  return map;
}

/// Thread 0 loads one box at (x, y) to offset 0 and expects `expected` bytes; all threads then copy `image` bytes of
/// shared memory to the second argument. The barrier lies behind the image.
struct LoadKernel {
  unsigned image, expected;
  int x = 0, y = 0;
  unsigned cluster = 1;
  std::string mask, tail;
  bool fence = true, wait = true;

  KernelText text() const {
    KernelText kernel;
    kernel.cluster = cluster;
    kernel.sharedBytes = image + 64;
    kernel.parameters = std::string("%map: ") + mapParameter + ", %p: !llvm.ptr<1>";
    kernel.attributes = R"(, tlx.shared = [{name = "tile", offset = 0 : i32, bytes = )" + std::to_string(image) +
                        R"( : i32, count = 1 : i32, line = 4 : i32}], tlx.barriers = [{name = "full", offset = )" +
                        std::to_string(image) + R"( : i32, count = 1 : i32, arrivals = 1 : i32, line = 5 : i32}])";
    auto constant = [](const char *name, int64_t value) {
      return std::string(name) + " = llvm.mlir.constant(" + std::to_string(value) + " : i32) : i32\n";
    };
    kernel.body = "%t = nvvm.read.ptx.sreg.tid.x : i32\n%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32\n" +
                  constant("%zero", 0) + constant("%one", 1) + constant("%x", x) + constant("%y", y) +
                  constant("%words", image / 4) + constant("%warp", 32) +
                  "%mask = llvm.mlir.constant(3 : i16) : i16\n%s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>\n"
                  "%b = llvm.getelementptr %s[" +
                  std::to_string(image) + "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n" +
                  R"(%first = llvm.icmp "eq" %t, %zero : i32
      llvm.cond_br %first, ^init, ^ready
    ^init:
      nvvm.mbarrier.init %b, %one : !llvm.ptr<3>, i32
      )" + (fence ? "nvvm.fence.mbarrier.init" : "") +
                  R"(
      llvm.br ^ready
    ^ready:
      nvvm.cluster.arrive {aligned}
      nvvm.cluster.wait {aligned}
      llvm.cond_br %first, ^arm, ^wait
    ^arm:
      thread.mbarrier_expect %b bytes )" +
                  std::to_string(expected) + R"( : !llvm.ptr<3>
      %isFirst = llvm.icmp "eq" %rank, %zero : i32
      llvm.cond_br %isFirst, ^load, ^wait
    ^load:
      thread.tma_load %s, %map[%x, %y] signal %b )" +
                  (mask.empty() ? "" : "mask " + mask) + R"( : !llvm.ptr<3>, !llvm.ptr, !llvm.ptr<3>
      llvm.br ^wait
    ^wait:
      )" + (wait ? "thread.mbarrier_wait %b phase %zero : !llvm.ptr<3>" : "") +
                  R"(
      llvm.br ^copy(%t : i32)
    ^copy(%i: i32):
      %go = llvm.icmp "ult" %i, %words : i32
      llvm.cond_br %go, ^body, ^done
    ^body:
      %from = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %v = llvm.load %from : !llvm.ptr<3> -> i32
      %base = llvm.mul %rank, %words : i32
      %place = llvm.add %base, %i : i32
      %to = llvm.getelementptr %p[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %v, %to : i32, !llvm.ptr<1>
      %next = llvm.add %i, %warp : i32
      llvm.br ^copy(%next : i32)
    ^done:
      )" + tail + R"(
      llvm.return)";
    return kernel;
  }
};

Report runLoad(const LoadKernel &kernel, const HostTensorMap &map, std::vector<uint16_t> &tensor,
               std::vector<uint16_t> &out, uint64_t seed = 0) {
  Launch launch;
  launch.grid = {kernel.cluster, 1, 1};
  launch.buffers = {bufferOf("tensor", tensor), bufferOf("out", out)};
  launch.arguments = {Argument::tensorMap(map), Argument::pointer(1)};
  Options options;
  options.seed = seed;
  return mustRun(kernel.text(), launch, options);
}

std::vector<uint16_t> numbered(size_t count) {
  std::vector<uint16_t> data(count);
  std::iota(data.begin(), data.end(), static_cast<uint16_t>(1));
  return data;
}

/// Where 16-byte chunk `c` of row `r` lies within the row, as the tables of the swizzles give it.
unsigned chunkPlace(unsigned swizzle, unsigned r, unsigned c) {
  return swizzle == 128 ? c ^ (r % 8) : swizzle == 64 ? c ^ (r / 2 % 4) : swizzle == 32 ? c ^ (r / 4 % 2) : c;
}

TEST(TensorMap, LoadsInEverySwizzle) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
    const unsigned width = swizzle ? swizzle / 2 : 64, rows = 24;
    std::vector<uint16_t> tensor = numbered(64 * 128), out(rows * width);
    LoadKernel kernel{rows * width * 2, rows * width * 2, 16, 8};
    for (uint64_t seed = 0; seed < 4; ++seed) {
      EXPECT_EQ(textOf(runLoad(kernel, map2D(0, 64, 128, rows, width, swizzle), tensor, out, seed)), "");
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned k = 0; k < width; ++k)
          ASSERT_EQ(out[r * width + chunkPlace(swizzle, r, k / 8) * 8 + k % 8], tensor[(r + 8) * 128 + k + 16])
              << "swizzle " << swizzle << " row " << r << " column " << k;
    }
  }
}

TEST(TensorMap, FillsOutsideAndCountsTheWholeBox) {
  std::vector<uint16_t> tensor = numbered(20 * 40), out(16 * 64);
  LoadKernel kernel{2048, 2048, -8, 10};
  for (bool nan : {false, true}) {
    HostTensorMap map = map2D(0, 20, 40, 16, 64, 0);
    map.fillNaN = nan;
    EXPECT_EQ(textOf(runLoad(kernel, map, tensor, out)), "");
    for (int r = 0; r < 16; ++r)
      for (int k = 0; k < 64; ++k) {
        bool inside = r + 10 < 20 && k - 8 >= 0 && k - 8 < 40;
        ASSERT_EQ(out[r * 64 + k], inside ? tensor[(r + 10) * 40 + k - 8] : nan ? 0x7fff : 0) << r << " " << k;
      }
  }
}

TEST(TensorMap, MulticastReachesEveryCta) {
  std::vector<uint16_t> tensor = numbered(16 * 64), out(2 * 16 * 64);
  LoadKernel kernel{2048, 2048};
  kernel.cluster = 2;
  kernel.mask = "%mask";
  kernel.tail = "nvvm.cluster.arrive {aligned}\nnvvm.cluster.wait {aligned}";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(textOf(runLoad(kernel, map2D(0, 16, 64, 16, 64, 0), tensor, out, seed)), "");
    for (unsigned i = 0; i < 1024; ++i) {
      ASSERT_EQ(out[i], tensor[i]);
      ASSERT_EQ(out[1024 + i], tensor[i]);
    }
  }
  // Without the mask the second CTA waits for bytes that never come.
  kernel.mask = "";
  Report report = runLoad(kernel, map2D(0, 16, 64, 16, 64, 0), tensor, out);
  ASSERT_TRUE(has(report, FindingKind::Deadlock));
  EXPECT_NE(textOf(report).find("2048 expected bytes have not come"), std::string::npos) << textOf(report);
}

TEST(TensorMap, WrongBytes) {
  std::vector<uint16_t> tensor = numbered(16 * 64), out(16 * 64);
  Report more = runLoad({2048, 4096}, map2D(0, 16, 64, 16, 64, 0), tensor, out);
  EXPECT_TRUE(has(more, FindingKind::Deadlock)) << textOf(more);
  Report less = runLoad({2048, 1024}, map2D(0, 16, 64, 16, 64, 0), tensor, out);
  EXPECT_TRUE(has(less, FindingKind::BarrierMisuse)) << textOf(less);
}

TEST(TensorMap, ReadWithoutWaitIsARace) {
  std::vector<uint16_t> tensor = numbered(16 * 64), out(16 * 64);
  LoadKernel kernel{2048, 2048};
  kernel.wait = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Report report = runLoad(kernel, map2D(0, 16, 64, 16, 64, 0), tensor, out, seed);
    ASSERT_TRUE(has(report, FindingKind::DataRace)) << seed << textOf(report);
    ASSERT_TRUE(has(report, FindingKind::OutstandingAtExit)) << seed << textOf(report);
  }
}

TEST(TensorMap, InitialisationNeedsItsFence) {
  std::vector<uint16_t> tensor = numbered(16 * 64), out(16 * 64);
  LoadKernel kernel{2048, 2048};
  kernel.fence = false;
  EXPECT_TRUE(has(runLoad(kernel, map2D(0, 16, 64, 16, 64, 0), tensor, out), FindingKind::MissingProxyFence));
}

TEST(TensorMap, RulesOfTheDriver) {
  std::vector<uint16_t> tensor = numbered(16 * 64), out(16 * 64);
  HostTensorMap map = map2D(0, 16, 64, 16, 64, 0);
  map.strides[1] = 120;
  Report report = runLoad({2048, 2048}, map, tensor, out);
  EXPECT_NE(textOf(report).find("not a multiple of 16 bytes"), std::string::npos) << textOf(report);
}

/// All 64 threads write 16 bytes each, `fence`, barrier, then thread 0 stores the box and waits by `wait`.
Report runStore(const std::string &fence, const std::string &wait, const std::string &reduce,
                std::vector<uint16_t> &tensor, uint64_t seed = 0, const std::string &tail = "") {
  KernelText kernel;
  kernel.threads = 64;
  kernel.sharedBytes = 1024;
  kernel.parameters = std::string("%map: ") + mapParameter;
  kernel.attributes =
      R"(, tlx.shared = [{name = "c", offset = 0 : i32, bytes = 1024 : i32, count = 1 : i32, line = 4 : i32}])";
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %four = llvm.mlir.constant(4 : i32) : i32
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %v = llvm.mlir.constant(dense<[1006648320, 1006648320, 1006648320, 1006648320]> : vector<4xi32>) : vector<4xi32>
    %a = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<4 x i32>
    llvm.store %v, %a : vector<4xi32>, !llvm.ptr<3>
    )" + fence + R"(
    nvvm.barrier0
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^store, ^end
  ^store:
    thread.tma_store %map[%four, %zero], %s )" +
                (reduce.empty() ? "" : "{reduce = \"" + reduce + "\"}") + R"( : !llvm.ptr, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    )" + wait + "\n" +
                tail + R"(
    llvm.br ^end
  ^end:
    llvm.return)";
  Launch launch;
  launch.buffers = {bufferOf("c", tensor)};
  launch.arguments = {Argument::tensorMap(map2D(0, 8, 48, 8, 64, 0))};
  Options options;
  options.seed = seed;
  return mustRun(kernel, launch, options);
}
const std::string proxyFence =
    "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}";

TEST(TensorStore, StoresAndClips) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint16_t> tensor(8 * 48, 0x4000);
    EXPECT_EQ(textOf(runStore(proxyFence, "nvvm.cp.async.bulk.wait_group 0 {read}", "", tensor, seed)), "");
    for (unsigned i = 0; i < tensor.size(); ++i)
      // 1006648320 is 0x3c003c00: two ones. Columns 0 to 3 lie outside the box, columns beyond 48 do not exist.
      ASSERT_EQ(tensor[i], i % 48 < 4 ? 0x4000 : 0x3c00) << i;
  }
}

TEST(TensorStore, Reduces) {
  std::vector<uint16_t> tensor(8 * 48, 0x4000);
  EXPECT_EQ(textOf(runStore(proxyFence, "nvvm.cp.async.bulk.wait_group 0", "add", tensor)), "");
  // 2 + 1 = 3 in f16.
  EXPECT_EQ(tensor[4], 0x4200);
  EXPECT_EQ(tensor[3], 0x4000);
}

TEST(TensorStore, MissingFence) {
  std::vector<uint16_t> tensor(8 * 48);
  Report report = runStore("", "nvvm.cp.async.bulk.wait_group 0 {read}", "", tensor);
  ASSERT_TRUE(has(report, FindingKind::MissingProxyFence)) << textOf(report);
  EXPECT_EQ(report.findings[0].buffer, "c");
}

TEST(TensorStore, NotWaitedForAtExit) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint16_t> tensor(8 * 48);
    EXPECT_TRUE(has(runStore(proxyFence, "", "", tensor, seed), FindingKind::OutstandingAtExit));
  }
}

TEST(TensorStore, SourceOverwrittenInFlight) {
  const std::string overwrite = "llvm.store %zero, %s : i32, !llvm.ptr<3>";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint16_t> tensor(8 * 48);
    Report bad = runStore(proxyFence, overwrite + "\nnvvm.cp.async.bulk.wait_group 0 {read}", "", tensor, seed);
    EXPECT_TRUE(has(bad, FindingKind::DataRace)) << textOf(bad);
    Report good = runStore(proxyFence, "nvvm.cp.async.bulk.wait_group 0 {read}", "", tensor, seed, overwrite);
    EXPECT_EQ(textOf(good), "");
  }
}

/// Each lane copies 16 bytes, of which `valid` are read, waits by `wait` and reads its own bytes.
Report runCpAsync(const std::string &wait, std::vector<uint32_t> &out, uint64_t seed) {
  KernelText kernel;
  kernel.sharedBytes = 512;
  kernel.parameters = "%p: !llvm.ptr<1>, %q: !llvm.ptr<1>";
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %valid = llvm.mlir.constant(8 : i32) : i32
    %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %d = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<4 x i32>
    %g = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x i32>
    thread.cp_async %d, %g bytes 16 valid %valid : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    )" + wait + R"(
    %v = llvm.load %d : !llvm.ptr<3> -> vector<4xi32>
    %o = llvm.getelementptr %q[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x i32>
    llvm.store %v, %o : vector<4xi32>, !llvm.ptr<1>
    llvm.return)";
  std::vector<uint32_t> in(128);
  std::iota(in.begin(), in.end(), 7u);
  Launch launch;
  launch.buffers = {bufferOf("in", in), bufferOf("out", out)};
  launch.arguments = {Argument::pointer(0), Argument::pointer(1)};
  Options options;
  options.seed = seed;
  return mustRun(kernel, launch, options);
}

TEST(CpAsync, CopiesAndFillsWithZero) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<uint32_t> out(128);
    EXPECT_EQ(textOf(runCpAsync("nvvm.cp.async.wait.group 0", out, seed)), "");
    for (uint32_t i = 0; i < 128; ++i)
      ASSERT_EQ(out[i], i % 4 < 2 ? i + 7 : 0);
    Report bad = runCpAsync("nvvm.cp.async.wait.group 1", out, seed);
    EXPECT_TRUE(has(bad, FindingKind::DataRace)) << textOf(bad);
  }
}

/// stmatrix of four matrices, then ldmatrix; the rows lie 16 bytes apart.
TEST(Matrices, StoreAndLoad) {
  for (bool transposed : {false, true}) {
    KernelText kernel;
    kernel.sharedBytes = 512;
    kernel.parameters = onePointer;
    kernel.body = R"(
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %all = llvm.mlir.constant(-1 : i32) : i32
      %k = llvm.mlir.constant(65537 : i32) : i32
      %h = llvm.mlir.constant(65536 : i32) : i32
      %e = llvm.mlir.constant(64 : i32) : i32
      %u = llvm.mul %t, %k : i32
      %v = llvm.add %u, %u : i32
      %r0 = llvm.add %v, %h : i32
      %r1 = llvm.add %r0, %e : i32
      %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
      %a = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<4 x i32>
      thread.stmatrix %a, %r0, %r1, %r0, %r1 )" +
                  std::string(transposed ? "transposed " : "") + R"(: !llvm.ptr<3>
      nvvm.bar.warp.sync %all : i32
      %l0, %l1, %l2, %l3 = thread.ldmatrix %a : !llvm.ptr<3> -> i32, i32, i32, i32
      %q = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %l0, %q : i32, !llvm.ptr<1>
      llvm.return)";
    std::vector<uint32_t> out(32);
    Launch launch;
    launch.buffers = {bufferOf("out", out)};
    launch.arguments = {Argument::pointer(0)};
    EXPECT_EQ(textOf(mustRun(kernel, launch)), "");
    // Lane t stored 2t and 2t + 1: element (r, c) of the matrix is 8r + c. Transposed, it is 8c + r.
    for (uint32_t t = 0; t < 32; ++t) {
      uint32_t r = t / 4, c = t % 4 * 2;
      uint32_t low = transposed ? 8 * c + r : 8 * r + c, high = transposed ? 8 * (c + 1) + r : 8 * r + c + 1;
      EXPECT_EQ(out[t], low | high << 16) << t;
    }
  }
}

} // namespace
