// Block-scaled products: scales copied to tensor memory and multiplied, and twins that break one rule each.
#include "Kernels.h"

using namespace tlx::emu;

namespace {

/// A is 128 rows of 32 ones, B 16 columns of them, e4m3 without swizzle. Scales of A: byte 0 is 2^(row mod 4), byte 1
/// 2^2, the others 1; of B: byte 0 is 2^(column mod 2), byte 1 2^3, the others 1.
struct ScaledProduct {
  /// M 128, N 16, scales are powers of two.
  uint32_t instruction = 0x08840000;
  std::string block = "32", kind = "mxf8f6f4";
  std::string copyA = "thread.tcgen05_copy %base_a, %source_a", copyB = "thread.tcgen05_copy %base_b, %source_b";
  std::string scaleA = "%base_a", scaleB = "%base_b";
  std::string proxyFence = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}";
  std::string issuers = "%c1";
  /// Eight rows of 16 bytes to a core matrix: a stride of 128; version 1 in bit 46.
  uint64_t sourceBits = 0x0000400800000000;

  std::string text() const;
};

std::string constant(const char *name, uint64_t value, const char *type = "i32") {
  return std::string("      %") + name + " = llvm.mlir.constant(" + std::to_string(static_cast<int64_t>(value)) +
         " : " + type + ") : " + type + "\n";
}

/// `words` copies of a word from a place on.
std::string stores(const char *place, const char *word, unsigned words) {
  std::string result;
  for (unsigned index = 0; index < words; ++index) {
    std::string at = std::string("%") + place + std::to_string(index);
    result += "      " + at + " = llvm.getelementptr %" + place + "[" + std::to_string(4 * index) +
              "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8\n      llvm.store %" + word + ", " + at +
              " : i32, !llvm.ptr<3>\n";
  }
  return result;
}

constexpr unsigned placeA = 1024, placeB = 5120, scalesA = 6144, scalesB = 6656;
// Halves of K 128 bytes apart, 8 rows to the next 8 rows 256.
constexpr uint64_t operandBits = 0x0000401000080000;

std::string ScaledProduct::text() const {
  std::string body = R"(
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %s = llvm.mlir.addressof @tlx_shared : !llvm.ptr<3>
      %b = llvm.getelementptr %s[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %no = llvm.mlir.constant(false) : i1
)";
  for (unsigned value : {0, 1, 2, 3, 4, 5, 15, 16, 21, 32, 127, 512})
    body += constant(("c" + std::to_string(value)).c_str(), value);
  body += constant("four", 4, "i64") + constant("ones", 0x38383838) + constant("rest_a", 0x7f7f8100) +
          constant("rest_b", 0x7f7f8200) + constant("place_a", placeA) + constant("place_b", placeB) +
          constant("scales_a", scalesA) + constant("scales_b", scalesB) + constant("instruction", instruction) +
          constant("at_a", operandBits | placeA >> 4, "i64") + constant("at_bb", operandBits | placeB >> 4, "i64") +
          constant("at_source_a", sourceBits | scalesA >> 4, "i64") +
          constant("at_source_b", sourceBits | scalesB >> 4, "i64");
  body += R"(
      %begin = llvm.ptrtoint %s : !llvm.ptr<3> to i64
      %begin16 = llvm.lshr %begin, %four : i64
      %a = llvm.add %at_a, %begin16 : i64
      %bb = llvm.add %at_bb, %begin16 : i64
      %source_a = llvm.add %at_source_a, %begin16 : i64
      %source_b = llvm.add %at_source_b, %begin16 : i64
      %warp = llvm.lshr %t, %c5 : i32
      %lane = llvm.urem %t, %c32 : i32
      %first = llvm.icmp "ult" %t, %c32 : i32
      %few = llvm.icmp "ult" %t, %c16 : i32
      %thirtytwo = llvm.mul %t, %c32 : i32
      %oa = llvm.add %thirtytwo, %place_a : i32
      %pa = llvm.getelementptr %s[%oa] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
)" + stores("pa", "ones", 8) +
          R"(
      %row16 = llvm.mul %lane, %c16 : i32
      %row4 = llvm.mul %warp, %c4 : i32
      %atom = llvm.add %row16, %row4 : i32
      %osa = llvm.add %atom, %scales_a : i32
      %osb = llvm.add %atom, %scales_b : i32
      %psa = llvm.getelementptr %s[%osa] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %psb = llvm.getelementptr %s[%osb] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
      %t3 = llvm.and %t, %c3 : i32
      %t1 = llvm.and %t, %c1 : i32
      %ea = llvm.add %t3, %c127 : i32
      %eb = llvm.add %t1, %c127 : i32
      %wa = llvm.or %ea, %rest_a : i32
      %wb = llvm.or %eb, %rest_b : i32
      llvm.store %wa, %psa : i32, !llvm.ptr<3>
      llvm.store %wb, %psb : i32, !llvm.ptr<3>
      llvm.cond_br %few, ^right, ^filled
    ^right:
      %ob = llvm.add %thirtytwo, %place_b : i32
      %pb = llvm.getelementptr %s[%ob] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
)" + stores("pb", "ones", 8) +
          R"(
      llvm.br ^filled
    ^filled:
      )" + proxyFence +
          R"(
      llvm.cond_br %first, ^alloc, ^ready
    ^alloc:
      thread.tmem_alloc %s columns 32 : !llvm.ptr<3>
      thread.tmem_relinquish
      %isone = llvm.icmp "eq" %t, %c0 : i32
      llvm.cond_br %isone, ^init, ^ready
    ^init:
      nvvm.mbarrier.init %b, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      llvm.br ^ready
    ^ready:
      thread.tcgen05_fence
      nvvm.barrier0
      thread.tcgen05_fence after
      %d = llvm.load %s : !llvm.ptr<3> -> i32
      %base_a = llvm.add %d, %c16 : i32
      %other = llvm.add %base_a, %c1 : i32
      %base_b = llvm.add %base_a, %c4 : i32
      %issues = llvm.icmp "ult" %t, )" +
          issuers + R"( : i32
      llvm.cond_br %issues, ^issue, ^wait
    ^issue:
      )" + copyA +
          "\n      " + copyB + "\n      thread.tcgen05_scaled_mma " + kind + " block " + block +
          " %d, %a, %bb, %instruction scales " + scaleA + ", " + scaleB + R"( accumulate %no
      thread.tcgen05_commit %b : !llvm.ptr<3>
      llvm.br ^wait
    ^wait:
      thread.mbarrier_wait %b phase %c0 : !llvm.ptr<3>
      thread.tcgen05_fence after
      %rows = llvm.shl %warp, %c21 : i32
      %place = llvm.add %d, %rows : i32
      %l:2 = thread.tmem_load lanes32 %place distance 0 : i32, i32
      %w:2 = thread.tmem_wait_load %l#0, %l#1 : i32, i32 -> i32, i32
      %index = llvm.mul %t, %c2 : i32
      %q = llvm.getelementptr %p[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %next = llvm.getelementptr %q[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %w#0, %q : i32, !llvm.ptr<1>
      llvm.store %w#1, %next : i32, !llvm.ptr<1>
      thread.tcgen05_fence
      nvvm.barrier0
      thread.tcgen05_fence after
      llvm.cond_br %first, ^dealloc, ^end
    ^dealloc:
      thread.tmem_dealloc %d columns 32
      llvm.br ^end
    ^end:
      llvm.return)";
  return body;
}

Report runProduct(const ScaledProduct &product, std::vector<float> *out = nullptr) {
  KernelText kernel;
  kernel.threads = 128;
  kernel.sharedBytes = 7168;
  kernel.parameters = onePointer;
  kernel.body = product.text();
  std::vector<float> result(256);
  Launch launch;
  launch.buffers = {bufferOf("out", result)};
  launch.arguments = {Argument::pointer(0)};
  Report report = mustRun(kernel, launch);
  if (out)
    *out = result;
  return report;
}

struct Broken {
  const char *what;
  FindingKind kind;
  void (*change)(ScaledProduct &);
};

const Broken brokenProducts[] = {
    {"scales that nobody copied", FindingKind::UninitializedRead, [](ScaledProduct &p) { p.copyA = ""; }},
    {"scales one column further", FindingKind::UninitializedRead,
     [](ScaledProduct &p) { p.scaleA = "%other", p.copyB = ""; }},
    {"no proxy fence before the copy", FindingKind::MissingProxyFence, [](ScaledProduct &p) { p.proxyFence = ""; }},
    {"two threads issue", FindingKind::Misuse, [](ScaledProduct &p) { p.issuers = "%c2"; }},
    {"a swizzle mode that is reserved", FindingKind::Misuse, [](ScaledProduct &p) { p.sourceBits |= 1ull << 61; }},
    {"8-bit floats as scales of 8-bit floats", FindingKind::Misuse,
     [](ScaledProduct &p) { p.instruction ^= 1u << 23; }},
    {"64 rows", FindingKind::Misuse, [](ScaledProduct &p) { p.instruction ^= 12u << 24; }},
    {"a type of six bits", FindingKind::Misuse, [](ScaledProduct &p) { p.instruction |= 3u << 7; }},
    {"96 elements of K", FindingKind::Misuse, [](ScaledProduct &p) { p.instruction |= 1u << 31; }},
    {"blocks of 16", FindingKind::Misuse, [](ScaledProduct &p) { p.block = "16"; }},
    {"pairs that begin with an odd scale", FindingKind::Misuse,
     [](ScaledProduct &p) { p.kind = "mxf4", p.instruction |= 1u << 4 | 1u << 7 | 1u << 10; }},
};

} // namespace

TEST(ScaledProduct, EachRowAndColumnHasItsFactor) {
  std::vector<float> out;
  Report report = runProduct({}, &out);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 2; ++column)
      EXPECT_EQ(out[2 * row + column], 32.0f * static_cast<float>(1u << row % 4) * static_cast<float>(1u << column));
}

TEST(ScaledProduct, TheInstructionChoosesTheByte) {
  ScaledProduct product;
  // Byte 1 of A and byte 1 of B, then byte 2 of A: 1.
  product.instruction |= 1u << 29 | 1u << 4;
  std::vector<float> out;
  EXPECT_TRUE(runProduct(product, &out).findings.empty());
  for (float value : out)
    EXPECT_EQ(value, 32.0f * 4.0f * 8.0f);
  product.instruction ^= 3u << 29;
  EXPECT_TRUE(runProduct(product, &out).findings.empty());
  for (float value : out)
    EXPECT_EQ(value, 32.0f * 8.0f);
}

TEST(ScaledProduct, PairsHaveTwoScales) {
  // 0x38 as two elements of four bits is 8 = -0 and 3 = 1.5: 32 products of 2.25 for each pair of scales.
  ScaledProduct product;
  product.kind = "mxf4";
  product.instruction |= 1u << 7 | 1u << 10;
  std::vector<float> out;
  Report report = runProduct(product, &out);
  EXPECT_TRUE(report.findings.empty()) << textOf(report);
  for (uint32_t row = 0; row < 128; ++row)
    for (uint32_t column = 0; column < 2; ++column)
      EXPECT_EQ(out[2 * row + column],
                16 * 2.25f * (static_cast<float>(1u << row % 4) * static_cast<float>(1u << column) + 4.0f * 8.0f));
}

TEST(ScaledProduct, EachRuleThatIsBrokenIsFound) {
  for (const Broken &broken : brokenProducts) {
    ScaledProduct product;
    broken.change(product);
    Report report = runProduct(product);
    EXPECT_TRUE(has(report, broken.kind)) << broken.what << "\n" << textOf(report);
  }
}
