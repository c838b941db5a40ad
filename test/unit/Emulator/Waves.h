// Kernels for AMD's targets, written in the tests.
#ifndef TLX_TEST_EMULATOR_WAVES_H
#define TLX_TEST_EMULATOR_WAVES_H

#include "Kernels.h"

namespace tlx::emu {

/// What a kernel's attributes say, besides its body.
struct WaveKernel {
  std::string target = "gfx942";
  unsigned threads = 64;
  unsigned sharedBytes = 0;
  std::string parameters = "%p: !llvm.ptr<1>";
  std::string body;

  std::string module() const {
    const std::string count = std::to_string(threads);
    return "module attributes {tlx.target = \"" + target +
           "\"} {\n"
           "llvm.mlir.global external @tlx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x "
           "i8>\n"
           "llvm.func @kernel(" +
           parameters + ") attributes {rocdl.kernel, rocdl.flat_work_group_size = \"" + count + "," + count +
           "\", tlx.shared_bytes = " + std::to_string(sharedBytes) + " : i32} {\n" + body + "\n}\n}\n";
  }
};

Report mustRun(const WaveKernel &kernel, const Launch &launch, const Options &options = {});
/// The message with which the kernel is refused.
std::string refusal(const WaveKernel &kernel);

/// The barrier of a workgroup as the compiler writes it.
inline const char *const blockBarrier = R"(
  llvm.fence syncscope("workgroup") release
  rocdl.s.barrier
  llvm.fence syncscope("workgroup") acquire
)";

} // namespace tlx::emu

#endif
