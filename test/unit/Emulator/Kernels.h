// Running thread-level modules that are written in the tests.
#ifndef TLX_TEST_EMULATOR_KERNELS_H
#define TLX_TEST_EMULATOR_KERNELS_H

#include "tlx/Emulator/Emulator.h"

#include <gtest/gtest.h>

namespace tlx::emu {

/// What a kernel's attributes say, besides its body.
struct KernelText {
  unsigned threads = 32;
  unsigned sharedBytes = 0;
  unsigned cluster = 1;
  std::string attributes;
  std::string parameters;
  std::string body;

  std::string module() const {
    return "llvm.mlir.global external @tlx_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x "
           "i8>\n"
           "llvm.func @kernel(" +
           parameters + ") attributes {nvvm.kernel, nvvm.reqntid = array<i32: " + std::to_string(threads) +
           ">, nvvm.cluster_dim = array<i32: " + std::to_string(cluster) +
           ", 1, 1>, tlx.shared_bytes = " + std::to_string(sharedBytes) + " : i32" + attributes + "} {\n" + body +
           "\n}\n";
  }
};

/// An error when the text does not parse or the kernel cannot be executed.
llvm::Expected<Report> runText(const std::string &text, const Launch &launch, const Options &options = {});
/// Runs and expects that the kernel can be executed.
Report mustRun(const KernelText &kernel, const Launch &launch, const Options &options = {});

inline std::string textOf(const Report &report) {
  std::string text;
  for (const Finding &finding : report.findings)
    text += render(finding);
  return text;
}

inline bool has(const Report &report, FindingKind kind) {
  for (const Finding &finding : report.findings)
    if (finding.kind == kind)
      return true;
  return false;
}

template <typename T> HostBuffer bufferOf(const char *name, std::vector<T> &data) {
  return {name, data.data(), data.size() * sizeof(T)};
}

/// A one-dimensional kernel that gets one pointer to i32.
inline const char *const onePointer = "%p: !llvm.ptr<1>";

} // namespace tlx::emu

#endif
