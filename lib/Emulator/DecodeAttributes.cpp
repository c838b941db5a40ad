// What the kernel's attributes say: threads, cluster, shared memory, tasks, buffers, barriers.
#include "Decoder.h"

using namespace mlir;

namespace tlx::emu {

static int64_t integerOr(Attribute attribute, int64_t otherwise) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  return integer ? integer.getInt() : otherwise;
}
static std::string textOf(Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  return text ? text.str() : std::string();
}

/// Three numbers from an array attribute of any of the forms in use; missing ones are 1.
static std::array<uint32_t, 3> triple(Attribute attribute) {
  std::array<uint32_t, 3> result{1, 1, 1};
  if (auto dense = dyn_cast_or_null<DenseI32ArrayAttr>(attribute)) {
    for (size_t index = 0; index < std::min<size_t>(3, dense.size()); ++index)
      result[index] = static_cast<uint32_t>(dense[static_cast<int64_t>(index)]);
  } else if (auto array = dyn_cast_or_null<ArrayAttr>(attribute)) {
    for (size_t index = 0; index < std::min<size_t>(3, array.size()); ++index)
      result[index] = static_cast<uint32_t>(integerOr(array[index], 1));
  }
  return result;
}

bool Decoder::readRanges(llvm::StringRef name, std::vector<NamedRange> &into) {
  auto array = kernel->getAttrOfType<ArrayAttr>(name);
  if (!array)
    return true;
  for (Attribute entry : array) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    if (!dictionary)
      return fail(kernel, "attribute `" + name + "` holds something else than dictionaries");
    NamedRange range;
    range.name = textOf(dictionary.get("name"));
    range.offset = static_cast<uint32_t>(integerOr(dictionary.get("offset"), 0));
    range.bytes = static_cast<uint32_t>(integerOr(dictionary.get("bytes"), 8));
    range.count = static_cast<uint32_t>(integerOr(dictionary.get("count"), 1));
    range.arrivals = static_cast<unsigned>(integerOr(dictionary.get("arrivals"), 0));
    range.line = static_cast<unsigned>(integerOr(dictionary.get("line"), 0));
    into.push_back(std::move(range));
  }
  return true;
}

bool Decoder::readSharedAttributes(uint32_t limit) {
  program.sharedBytes = static_cast<uint32_t>(integerOr(kernel->getAttr("tlx.shared_bytes"), 0));
  if (program.sharedBytes > limit)
    return fail(kernel, "needs " + llvm::Twine(program.sharedBytes) + " bytes of " + program.words().shared + "; a " +
                            (program.hasWaves() ? "workgroup" : "block") + " has " + llvm::Twine(limit));
  return readRanges("tlx.shared", program.buffers);
}

/// A kernel for AMD: its module names the target, itself how many threads a workgroup has.
bool Decoder::readWaveAttributes() {
  std::string target = textOf(module->getAttr("tlx.target"));
  if (target != "gfx942" && target != "gfx950")
    return fail(kernel, "the module's `tlx.target` is `" + target + "`; the emulator knows gfx942 and gfx950");
  program.machine = target == "gfx942" ? Machine::Gfx942 : Machine::Gfx950;
  program.lanes = waveSize;
  program.laneShift = 6;
  unsigned least = 0, most = 0;
  const std::string size = textOf(kernel->getAttr("rocdl.flat_work_group_size"));
  auto [first, second] = llvm::StringRef(size).split(',');
  if (first.trim().getAsInteger(10, least) || second.trim().getAsInteger(10, most) || least != most || most == 0 ||
      most % waveSize || most > 1024)
    return fail(kernel,
                "needs a `rocdl.flat_work_group_size` of two equal numbers of 64 to 1024 threads, multiples of 64");
  program.threads = most;
  // LDS of a workgroup (CDNA3 and CDNA4 ISA, local data share).
  return readSharedAttributes(program.machine == Machine::Gfx942 ? 65536 : 163840);
}

bool Decoder::readAttributes() {
  if (auto tasks = kernel->getAttrOfType<ArrayAttr>("tlx.tasks"))
    for (Attribute entry : tasks)
      if (auto dictionary = dyn_cast<DictionaryAttr>(entry))
        program.tasks.push_back({textOf(dictionary.get("name")),
                                 static_cast<unsigned>(integerOr(dictionary.get("first_warp"), 0)),
                                 static_cast<unsigned>(integerOr(dictionary.get("warps"), 0)),
                                 static_cast<unsigned>(integerOr(dictionary.get("registers"), 0)),
                                 static_cast<unsigned>(integerOr(dictionary.get("replica"), 0))});
  if (kernel->hasAttr("rocdl.kernel"))
    return readWaveAttributes();
  std::array<uint32_t, 3> threads = triple(kernel->getAttr("nvvm.reqntid"));
  if (!kernel->hasAttr("nvvm.reqntid"))
    return fail(kernel, "the kernel has no `nvvm.reqntid`, so the number of threads is not known");
  program.threads = threads[0] * threads[1] * threads[2];
  if (threads[1] != 1 || threads[2] != 1 || program.threads % 32 || program.threads == 0 || program.threads > 1024)
    return fail(kernel, "needs one-dimensional blocks of 32 to 1024 threads, a multiple of 32");
  program.cluster = triple(kernel->getAttr("nvvm.cluster_dim"));
  // Shared memory per block, PTX ISA and the occupancy tables of sm_90 and sm_100.
  constexpr uint32_t sharedLimit = 232448;
  return readSharedAttributes(sharedLimit) && readRanges("tlx.barriers", program.barriers);
}

} // namespace tlx::emu
