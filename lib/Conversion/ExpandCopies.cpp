// Inline PTX for bulk copies and remote stores. Instruction forms: PTX ISA 8.8.
#include "InlineAssembly.h"
#include "tlx/Dialect/ThreadDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::thread;

static void expandLoad(BulkLoadOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string destination = assembly.in(op.getDestination()), source = assembly.in(op.getSource());
  std::string bytes = assembly.in(op.getBytes()), barrier = assembly.in(op.getBarrier());
  assembly.emit("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" + destination + "], [" + source +
                    "], " + bytes + ", [" + barrier + "];",
                true);
}

static void expandStore(BulkStoreOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string destination = assembly.in(op.getDestination()), source = assembly.in(op.getSource());
  std::string bytes = assembly.in(op.getBytes());
  assembly.emit("cp.async.bulk.global.shared::cta.bulk_group [" + destination + "], [" + source + "], " + bytes + ";",
                true);
}

/// The address of the same place in the CTA of that rank.
static std::string mapped(const std::string &name, const std::string &address, const std::string &rank) {
  return ".reg .b32 " + name + "; mapa.shared::cluster.u32 " + name + ", " + address + ", " + rank + "; ";
}

static void expandRemoteCopy(BulkRemoteOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string destination = assembly.in(op.getDestination()), source = assembly.in(op.getSource());
  std::string bytes = assembly.in(op.getBytes()), rank = assembly.in(op.getRank()),
              barrier = assembly.in(op.getBarrier());
  assembly.emit("{ " + mapped("d", destination, rank) + mapped("m", barrier, rank) +
                    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [" + source + "], " +
                    bytes + ", [m]; }",
                true);
}

static void expandRemoteStore(thread::RemoteStoreOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string destination = assembly.in(op.getDestination());
  Value data = op.getValue();
  unsigned bits = data.getType().getIntOrFloatBitWidth();
  // Registers of inline assembly have at least 16 bits.
  if (bits < 16)
    data = LLVM::ZExtOp::create(b, op.getLoc(), b.getI16Type(), data);
  std::string value = assembly.in(data), rank = assembly.in(op.getRank());
  std::string type = ".b" + std::to_string(bits), text = "{ " + mapped("d", destination, rank);
  if (!op.getBarrier()) {
    assembly.emit(text + "st.shared::cluster" + type + " [d], " + value + "; }", true);
    return;
  }
  std::string barrier = assembly.in(op.getBarrier());
  assembly.emit(text + mapped("m", barrier, rank) + "st.async.shared::cluster.mbarrier::complete_tx::bytes" + type +
                    " [d], " + value + ", [m]; }",
                true);
}

void tlx::thread::expandBulkCopy(Operation *op, OpBuilder &b) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](BulkLoadOp load) { expandLoad(load, b); })
      .Case([&](BulkStoreOp store) { expandStore(store, b); })
      .Case([&](BulkRemoteOp copy) { expandRemoteCopy(copy, b); })
      .Case([&](thread::RemoteStoreOp store) { expandRemoteStore(store, b); });
}

/// PTX ISA, tensormap.replace: values of the fields elemtype and swizzle_mode.
static int elementCode(StringRef name) {
  static constexpr std::pair<StringLiteral, int> codes[] = {
      {"u8", 0},  {"i8", 0},  {"fp8e4nv", 0}, {"fp8e5", 0}, {"fp8e4b8", 0}, {"fp8e5b16", 0}, {"u16", 1},  {"i16", 1},
      {"u32", 2}, {"i32", 3}, {"u64", 4},     {"i64", 5},   {"fp16", 6},    {"fp32", 7},     {"fp64", 9}, {"bf16", 10}};
  for (auto [known, code] : codes)
    if (known == name)
      return code;
  llvm_unreachable("an element type that tensor maps have");
}

static void makeTensorMap(MakeTensorMapOp op, OpBuilder &b) {
  Assembly assembly(b, op.getLoc());
  std::string map = assembly.in(op.getDestination()), base = assembly.in(op.getBase()), text;
  auto line = [&](const Twine &what) { text += (what + "; ").str(); };
  for (int byte = 0; byte < 128; byte += 8)
    line("st.global.b64 [" + map + "+" + Twine(byte) + "], 0");
  auto replace = [&](const Twine &field, const Twine &type, const Twine &value) {
    line("tensormap.replace.tile." + field + ".global.b1024." + type + " [" + map + "], " + value);
  };
  size_t rank = op.getSizes().size();
  replace("global_address", "b64", base);
  replace("rank", "b32", Twine(static_cast<int64_t>(rank) - 1));
  for (size_t axis = 0; axis < rank; ++axis) {
    replace("box_dim", "b32", Twine(axis) + ", " + Twine(op.getBox()[axis]));
    replace("global_dim", "b32", Twine(axis) + ", " + assembly.in(op.getSizes()[axis]));
    replace("element_stride", "b32", Twine(axis) + ", 1");
  }
  for (auto [axis, stride] : llvm::enumerate(op.getStrides()))
    replace("global_stride", "b64", Twine(axis) + ", " + assembly.in(stride));
  int64_t swizzle = op.getSwizzle(), mode = swizzle == 128 ? 3 : swizzle == 64 ? 2 : swizzle == 32 ? 1 : 0;
  replace("elemtype", "b32", Twine(elementCode(op.getType())));
  replace("interleave_layout", "b32", "0");
  replace("swizzle_mode", "b32", Twine(mode));
  replace("fill_mode", "b32", Twine(op.getFillNan() ? 1 : 0));
  line("fence.proxy.tensormap::generic.release.gpu");
  assembly.emit(text, true);
}

void tlx::thread::expandTensorMap(Operation *op, OpBuilder &b) {
  if (auto make = dyn_cast<MakeTensorMapOp>(op))
    return makeTensorMap(make, b);
  Assembly assembly(b, op->getLoc());
  std::string map = assembly.in(op->getOperand(0));
  assembly.emit("fence.proxy.tensormap::generic.acquire.gpu [" + map + "], 128;", true);
}
