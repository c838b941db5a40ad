// The table of targets and the questions that are asked of it.
#include "tlx/Arch/Arch.h"

#include "llvm/ADT/StringExtras.h"

using namespace tlx;

static constexpr Arch table[] = {
#define TLX_ARCH(NAME, VENDOR, ACCELERATED, DEVICES, PTX, SHARED_BLOCK, SHARED_SM, REGISTERS, THREAD_REGISTERS,        \
                 BLOCK_THREADS, SM_THREADS, WARP, BARRIERS, TMEM, FEATURES)                                            \
  {NAME,          Vendor::VENDOR, ACCELERATED, DEVICES,  PTX,  SHARED_BLOCK, SHARED_SM, REGISTERS, THREAD_REGISTERS,   \
   BLOCK_THREADS, SM_THREADS,     WARP,        BARRIERS, TMEM, FEATURES},
#include "tlx/Arch/Arch.def"
};

llvm::ArrayRef<Arch> tlx::allArchs() {
  return table;
}

const Arch *tlx::findArch(llvm::StringRef name) {
  for (const Arch &arch : table)
    if (arch.name == name)
      return &arch;
  return nullptr;
}

std::string tlx::archNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Arch &arch : table)
    names.push_back(arch.name);
  return llvm::join(names, ", ");
}

const Arch *tlx::archWith(const Arch &arch, Feature wanted) {
  if (arch.has(wanted))
    return &arch;
  const Arch *accelerated = findArch(arch.accelerated);
  return accelerated && accelerated->has(wanted) ? accelerated : nullptr;
}

llvm::StringRef tlx::featureName(Feature feature) {
  switch (feature) {
  case Feature::None:
    return "nothing";
  case Feature::TMA:
    return "tensor-map copies";
  case Feature::Clusters:
    return "clusters";
  case Feature::DependentLaunch:
    return "dependent launch";
  case Feature::SetMaxRegisters:
    return "register reallocation";
  case Feature::Wgmma:
    return "wgmma";
  case Feature::TensorMemory:
    return "tensor memory";
  case Feature::LaunchControl:
    return "cluster launch control";
  case Feature::Mfma:
    return "mfma";
  case Feature::DeepMfma:
    return "mfma of double depth";
  case Feature::FNUZFloat8:
    return "8-bit floats without infinities";
  case Feature::LaneCopy:
    return "copies to shared memory by lanes";
  case Feature::WideLaneCopy:
    return "copies to shared memory of 16 bytes a lane";
  case Feature::WaveScheduling:
    return "stages and scheduling barriers of waves";
  case Feature::IntegerTensorProducts:
    return "integer products in tensor memory";
  }
  return "several instruction families";
}
