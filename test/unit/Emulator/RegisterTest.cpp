// Registers that nobody has written: where they may go, and where they may not.
#include "Kernels.h"

using namespace tlx::emu;

namespace {

/// Runs `body` for one warp; `%t` is the thread, `%q` the address of its i32 result, `%u` a value that nobody has
/// written,
/// `%s` shared memory of a word for each thread. The text of the findings.
std::string findingsOf(const std::string &body) {
  KernelText kernel;
  kernel.sharedBytes = 128;
  kernel.parameters = onePointer;
  kernel.body = R"(
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %q = llvm.getelementptr %p[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %base = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
    %s = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %u = llvm.mlir.undef : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %few = llvm.icmp "ult" %t, %two : i32
)" + body;
  std::vector<uint32_t> out(32);
  Launch launch;
  launch.buffers = {bufferOf("out", out)};
  launch.arguments = {Argument::pointer(0)};
  return textOf(mustRun(kernel, launch));
}

TEST(Undefined, StoredComputedOrNot) {
  EXPECT_NE(findingsOf("llvm.store %u, %q : i32, !llvm.ptr<1>\nllvm.return")
                .find("stores a value in lane 0 that nobody has written [uninitialized-read]"),
            std::string::npos);
  EXPECT_NE(findingsOf("%x = llvm.add %u, %t : i32\nllvm.store %x, %q : i32, !llvm.ptr<1>\nllvm.return")
                .find("stores a value in lane 0"),
            std::string::npos);
}

TEST(Undefined, OnlyTheLanesThatChooseIt) {
  const std::string store = "llvm.store %x, %q : i32, !llvm.ptr<1>\nllvm.return";
  EXPECT_NE(findingsOf("%x = llvm.select %few, %t, %u : i1, i32\n" + store).find("stores a value in lane 2 "),
            std::string::npos);
  // Nobody stores the lanes that have none.
  EXPECT_EQ(findingsOf("%x = llvm.select %few, %t, %u : i1, i32\nllvm.cond_br %few, ^some, ^end\n^some:\n"
                       "llvm.store %x, %q : i32, !llvm.ptr<1>\nllvm.br ^end\n^end:\nllvm.return"),
            "");
}

TEST(Undefined, ThroughBlockArguments) {
  const std::string tail = "^join(%x: i32):\nllvm.store %x, %q : i32, !llvm.ptr<1>\nllvm.return";
  EXPECT_NE(findingsOf("llvm.cond_br %few, ^join(%u : i32), ^join(%t : i32)\n" + tail).find("in lane 0 "),
            std::string::npos);
  EXPECT_EQ(findingsOf("llvm.cond_br %few, ^join(%two : i32), ^join(%t : i32)\n" + tail), "");
}

TEST(Undefined, ThroughVectorsPartByPart) {
  const std::string half = R"(
    %v = llvm.mlir.poison : vector<2xi16>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %low = llvm.trunc %t : i32 to i16
    %one = llvm.insertelement %low, %v[%zero : i32] : vector<2xi16>
  )";
  const std::string store = "%x = llvm.bitcast %w : vector<2xi16> to i32\nllvm.store %x, %q : i32, !llvm.ptr<1>\n"
                            "llvm.return";
  EXPECT_NE(
      findingsOf(half + "%w = llvm.bitcast %one : vector<2xi16> to vector<2xi16>\n" + store).find("stores a value"),
      std::string::npos);
  EXPECT_EQ(findingsOf(half +
                       "%c1 = llvm.mlir.constant(1 : i32) : i32\n"
                       "%w = llvm.insertelement %low, %one[%c1 : i32] : vector<2xi16>\n" +
                       store),
            "");
}

TEST(Undefined, ThroughShuffles) {
  // Lane 2 and those behind have no value; everybody reads that of its neighbour.
  const std::string shuffle = R"(
    %x = llvm.select %few, %t, %u : i1, i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %y = nvvm.shfl.sync bfly %all, %x, %c1, %c31 : i32 -> i32
  )";
  const std::string store = "llvm.store %y, %q : i32, !llvm.ptr<1>\nllvm.return";
  EXPECT_NE(findingsOf(shuffle + store).find("in lane 2 "), std::string::npos);
  EXPECT_EQ(findingsOf(shuffle + "llvm.cond_br %few, ^some, ^end\n^some:\nllvm.store %y, %q : i32, !llvm.ptr<1>\n"
                                 "llvm.br ^end\n^end:\nllvm.return"),
            "");
}

TEST(Undefined, AddressesAndBranches) {
  EXPECT_NE(findingsOf("%o = llvm.and %u, %two : i32\n"
                       "%b = llvm.getelementptr %p[%o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
                       "llvm.store %t, %b : i32, !llvm.ptr<1>\nllvm.return")
                .find("writes at an address in lane 0 that nobody has written"),
            std::string::npos);
  EXPECT_NE(findingsOf("%c = llvm.icmp \"ult\" %u, %two : i32\nllvm.cond_br %c, ^a, ^b\n^a:\nllvm.br ^b\n^b:\n"
                       "llvm.return")
                .find("branches on a value in lane 0"),
            std::string::npos);
}

TEST(Undefined, SharedMemoryForgets) {
  const std::string store = "llvm.store %u, %s : i32, !llvm.ptr<3>\n", load = R"(
    %y = llvm.load %s : !llvm.ptr<3> -> i32
    llvm.store %y, %q : i32, !llvm.ptr<1>
    llvm.return)";
  // What nobody reads is no fault.
  EXPECT_EQ(findingsOf(store + "llvm.return"), "");
  EXPECT_NE(findingsOf(store + load).find("reads shared memory that nobody has written"), std::string::npos);
  EXPECT_EQ(findingsOf(store + "llvm.store %t, %s : i32, !llvm.ptr<3>\n" + load), "");
}

} // namespace
