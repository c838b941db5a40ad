// `tlxc sim`: runs a launch file in the emulator and judges what came out.
#ifndef TLX_EMULATOR_SIMULATE_H
#define TLX_EMULATOR_SIMULATE_H

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>

namespace tlx::emu {

struct SimulateOptions {
  std::string launchFile;
  /// The first seed, and how many from there on.
  uint64_t seed = 0;
  unsigned seeds = 1;
  /// Report as JSON instead of text.
  bool json = false;
  /// Where the timeline of the first seed is written; empty: nowhere.
  std::string traceFile;
  /// Race detection can be left out where only the numbers are asked for.
  bool races = true;
};

/// Exit code: 0 as expected, 1 numbers differ or the launch file is wrong, 3 a file is missing, 4 a finding.
int simulate(const SimulateOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

} // namespace tlx::emu

#endif
