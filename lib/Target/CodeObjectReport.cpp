// Reads the metadata note of a code object: msgpack in an ELF note (AMDGPU usage guide, code object metadata).
#include "tlx/Target/CodeObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx;

/// The bytes of the metadata note.
static llvm::Expected<llvm::StringRef> findNote(const llvm::object::ELF64LEFile &file) {
  auto headers = file.program_headers();
  if (!headers)
    return headers.takeError();
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file.notes(header, error))
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA && note.getName() == "AMDGPU") {
        llvm::consumeError(std::move(error));
        return note.getDescAsStringRef(header.p_align);
      }
    if (error)
      return error;
  }
  return llvm::createStringError("the code object has no metadata");
}

static unsigned number(llvm::msgpack::MapDocNode &map, llvm::StringRef key) {
  auto found = map.find(key);
  if (found == map.end())
    return 0;
  if (found->second.getKind() == llvm::msgpack::Type::Int)
    return static_cast<unsigned>(found->second.getInt());
  return found->second.getKind() == llvm::msgpack::Type::UInt ? static_cast<unsigned>(found->second.getUInt()) : 0;
}

static llvm::StringRef text(llvm::msgpack::MapDocNode &map, llvm::StringRef key) {
  auto found = map.find(key);
  return found != map.end() && found->second.isString() ? found->second.getString() : llvm::StringRef();
}

/// The entries of the list `key`, as far as they are maps.
static llvm::SmallVector<llvm::msgpack::MapDocNode> maps(llvm::msgpack::MapDocNode &map, llvm::StringRef key) {
  llvm::SmallVector<llvm::msgpack::MapDocNode> result;
  auto found = map.find(key);
  if (found != map.end() && found->second.isArray())
    for (llvm::msgpack::DocNode &node : found->second.getArray())
      if (node.isMap())
        result.push_back(node.getMap());
  return result;
}

static CodeObjectReport reportOf(llvm::msgpack::MapDocNode &kernel) {
  CodeObjectReport report;
  report.vectorRegisters = number(kernel, ".vgpr_count");
  report.accumulationRegisters = number(kernel, ".agpr_count");
  report.scalarRegisters = number(kernel, ".sgpr_count");
  report.vectorSpills = number(kernel, ".vgpr_spill_count");
  report.scalarSpills = number(kernel, ".sgpr_spill_count");
  report.scratch = number(kernel, ".private_segment_fixed_size");
  report.shared = number(kernel, ".group_segment_fixed_size");
  report.mostThreads = number(kernel, ".max_flat_workgroup_size");
  report.segmentBytes = number(kernel, ".kernarg_segment_size");
  report.segmentAlign = number(kernel, ".kernarg_segment_align");
  for (llvm::msgpack::MapDocNode &argument : maps(kernel, ".args")) {
    llvm::StringRef kind = text(argument, ".value_kind");
    report.arguments.push_back(
        {kind.starts_with("hidden_") ? kind.str() : "", number(argument, ".offset"), number(argument, ".size")});
  }
  return report;
}

llvm::Expected<CodeObjectReport> tlx::readCodeObject(llvm::StringRef image, llvm::StringRef kernel) {
  auto file = llvm::object::ELF64LEFile::create(image);
  if (!file)
    return file.takeError();
  llvm::Expected<llvm::StringRef> note = findNote(*file);
  if (!note)
    return note.takeError();
  llvm::msgpack::Document document;
  if (!document.readFromBlob(*note, /*Multi=*/false) || !document.getRoot().isMap())
    return llvm::createStringError("the metadata of the code object cannot be read");
  for (llvm::msgpack::MapDocNode &entry : maps(document.getRoot().getMap(), "amdhsa.kernels"))
    if (text(entry, ".name") == kernel)
      return reportOf(entry);
  return llvm::createStringError("the code object has no kernel `" + kernel + "`");
}

unsigned tlx::wavesPerSimd(const CodeObjectReport &report, unsigned threads, const Arch &arch) {
  // CDNA3 ISA guide, 3.6.4: registers are given out by eights, and a SIMD holds eight waves. Four SIMDs make a unit.
  constexpr unsigned registersOfSimd = 512, granule = 8, most = 8, simds = 4;
  unsigned registers = std::max<unsigned>(granule, llvm::alignTo(report.vectorRegisters, granule));
  unsigned waves = std::min(most, registersOfSimd / registers);
  if (report.shared == 0)
    return waves;
  unsigned blockWaves = llvm::divideCeil(threads, arch.warpSize);
  unsigned blocks = arch.sharedPerMultiprocessor / report.shared;
  return std::min(waves, static_cast<unsigned>(llvm::divideCeil(blocks * blockWaves, simds)));
}
