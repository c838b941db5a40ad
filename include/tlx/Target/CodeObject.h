// AMD's images: an object linked to a code object, and what the image says about its kernel.
#ifndef TLX_TARGET_CODEOBJECT_H
#define TLX_TARGET_CODEOBJECT_H

#include "tlx/Arch/Arch.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tlx {

/// One argument in the kernel's argument segment.
struct SegmentArgument {
  /// Empty for an argument of the kernel itself, else what the driver puts there: "hidden_block_count_x", …
  std::string hidden;
  unsigned offset = 0;
  unsigned size = 0;
};

/// What the metadata of a code object says of one kernel (AMDGPU usage guide, code object V5 metadata).
struct CodeObjectReport {
  /// Vector registers of a lane, accumulation registers among them.
  unsigned vectorRegisters = 0;
  unsigned accumulationRegisters = 0;
  /// Scalar registers of a wave.
  unsigned scalarRegisters = 0;
  /// Registers, not bytes.
  unsigned vectorSpills = 0;
  unsigned scalarSpills = 0;
  /// Bytes of private memory of a lane: spilled registers and local arrays.
  unsigned scratch = 0;
  /// Bytes of shared memory (LDS) that the descriptor of the kernel asks for.
  unsigned shared = 0;
  unsigned mostThreads = 0;
  unsigned segmentBytes = 0;
  unsigned segmentAlign = 0;
  std::vector<SegmentArgument> arguments;
};

/// Links one relocatable object, by lld in this process. `keepDebug` keeps the table of lines. A symbol that is defined
/// nowhere is an error that names it.
llvm::Expected<std::string> linkCodeObject(llvm::StringRef object, bool keepDebug);

/// Reads the report of `kernel` out of an image.
llvm::Expected<CodeObjectReport> readCodeObject(llvm::StringRef image, llvm::StringRef kernel);

/// How many waves of blocks of `threads` threads a SIMD of `arch` holds at once: vector registers and shared memory
/// limit it.
unsigned wavesPerSimd(const CodeObjectReport &report, unsigned threads, const Arch &arch);

} // namespace tlx

#endif
