// Collects findings, each once.
#ifndef TLX_EMULATOR_FINDINGLOG_H
#define TLX_EMULATOR_FINDINGLOG_H

#include "tlx/Emulator/Findings.h"

#include <set>

namespace tlx::emu {

class FindingLog {
public:
  FindingLog(unsigned limit, uint64_t seed) : limit(limit), seed(seed) {}
  /// Keeps the finding unless the same fault at the same lines was found before.
  void add(Finding finding);
  /// What the kernel printed.
  std::string printed;
  bool full() const { return found.size() >= limit; }
  std::vector<Finding> take() { return std::move(found); }

private:
  unsigned limit;
  uint64_t seed;
  std::vector<Finding> found;
  std::set<std::string> known;
};

} // namespace tlx::emu

#endif
