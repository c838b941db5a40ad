// What each target has: memories, registers, barriers and instruction families. The numbers stand in Arch.def.
#ifndef TLX_ARCH_ARCH_H
#define TLX_ARCH_ARCH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace tlx {

enum class Vendor { NVIDIA, AMD };

/// Instruction families that some targets have and others lack; a bit each.
enum class Feature : uint32_t {
  None = 0,
  /// Copies described by tensor maps, and mbarriers that count their bytes.
  TMA = 1u << 0,
  Clusters = 1u << 1,
  /// Programmatic dependent launch (griddepcontrol).
  DependentLaunch = 1u << 2,
  /// Moving registers between warp groups (setmaxnreg).
  SetMaxRegisters = 1u << 3,
  Wgmma = 1u << 4,
  /// Tensor memory and tcgen05.
  TensorMemory = 1u << 5,
  /// Cluster launch control.
  LaunchControl = 1u << 6,
  Mfma = 1u << 7,
  /// mfma of twice the depth for 8- and 16-bit elements.
  DeepMfma = 1u << 8,
  /// 8-bit floats without negative zero and infinities instead of those of OCP.
  FNUZFloat8 = 1u << 9,
  /// Copies from global to shared memory in which the lanes of a warp write side by side, 4 bytes each; or 16 as well.
  LaneCopy = 1u << 10,
  WideLaneCopy = 1u << 11,
  /// Priorities of waves, and barriers for the order of instructions.
  WaveScheduling = 1u << 12,
  /// Products of bytes that accumulate in tensor memory (tcgen05.mma.kind::i8).
  IntegerTensorProducts = 1u << 13,
};

constexpr Feature operator|(Feature a, Feature b) {
  return static_cast<Feature>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}

/// The name that messages give to one feature: "wgmma", "tensor maps", …
llvm::StringRef featureName(Feature feature);

/// One row of Arch.def.
struct Arch {
  llvm::StringRef name;
  Vendor vendor;
  /// The form of this architecture that has all instruction families; its own name where it is that form.
  llvm::StringRef accelerated;
  /// Names of the devices that load the image, separated by spaces.
  llvm::StringRef devices;
  /// Feature string that gives the code generator its PTX version; empty on AMD.
  llvm::StringRef ptxFeature;
  unsigned sharedPerBlock;
  unsigned sharedPerMultiprocessor;
  unsigned registersPerMultiprocessor;
  unsigned registersPerThread;
  unsigned threadsPerBlock;
  unsigned threadsPerMultiprocessor;
  unsigned warpSize;
  unsigned namedBarriers;
  unsigned tensorMemoryColumns;
  Feature features;

  bool isNVIDIA() const { return vendor == Vendor::NVIDIA; }
  /// Every feature of `wanted` is there.
  bool has(Feature wanted) const {
    return (static_cast<uint32_t>(features) & static_cast<uint32_t>(wanted)) == static_cast<uint32_t>(wanted);
  }
  /// Those of `wanted` that this target lacks.
  Feature missing(Feature wanted) const {
    return static_cast<Feature>(static_cast<uint32_t>(wanted) & ~static_cast<uint32_t>(features));
  }
};

/// All targets, in the order of Arch.def.
llvm::ArrayRef<Arch> allArchs();
/// The target of that exact name, or null.
const Arch *findArch(llvm::StringRef name);
/// "sm_90, sm_90a, …": what a message about an unknown target lists.
std::string archNames();
/// The target to compile for when a kernel needs `wanted`: `arch` itself, its accelerated form, or null when neither
/// has it.
const Arch *archWith(const Arch &arch, Feature wanted);

} // namespace tlx

#endif
