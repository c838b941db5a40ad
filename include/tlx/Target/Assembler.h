// PTX to cubin: finds NVIDIA's assembler, runs it, and reads what it says about registers, spills and barriers.
#ifndef TLX_TARGET_ASSEMBLER_H
#define TLX_TARGET_ASSEMBLER_H

#include "tlx/Arch/Arch.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace tlx {

/// What one entry of the assembler's performance advice means to us; the codes stand in AssemblerAdvice.def.
enum class AdviceGrade {
  /// The kernel does not do what its source asks.
  Broken,
  /// The kernel is right and slower than its source says.
  Slow,
};

struct AssemblerAdvice {
  /// "C7508".
  std::string code;
  AdviceGrade grade;
  /// The assembler's own words.
  std::string text;
};

/// What the assembler's `-v` report says of one kernel.
struct AssemblerReport {
  unsigned registers = 0;
  unsigned spillStores = 0;
  unsigned spillLoads = 0;
  unsigned stack = 0;
  unsigned barriers = 0;
  unsigned staticShared = 0;
  std::vector<AssemblerAdvice> advice;
  /// Lines that begin with "warning" and are no known advice.
  std::vector<std::string> warnings;
};

/// Reads a report; lines that it does not know are left alone.
AssemblerReport parseAssemblerReport(llvm::StringRef text, llvm::StringRef kernel);

/// Path of the assembler: $TLXC_PTXAS, $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin, PATH, in this order.
std::optional<std::string> findAssembler();

/// "13.0.88"; fails when the program cannot be run.
llvm::Expected<std::string> assemblerVersion(llvm::StringRef assembler);

struct AssemblerJob {
  std::string assembler;
  std::string ptx;
  std::string kernel;
  const Arch *arch = nullptr;
  bool lineInfo = false;
  /// Where the PTX is left for the user when the assembler refuses it.
  std::string keepOnFailure;
};

struct AssemblerResult {
  std::string image;
  AssemblerReport report;
};

/// Assembles. When the assembler refuses the text, the PTX stays at `keepOnFailure` and the error gives the assembler's
/// words and the command that repeats the failure.
llvm::Expected<AssemblerResult> assemble(const AssemblerJob &job);

} // namespace tlx

#endif
