// What the emulator reports: one fault of the kernel, with both parties.
#ifndef TLX_EMULATOR_FINDINGS_H
#define TLX_EMULATOR_FINDINGS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tlx::emu {

enum class FindingKind : uint8_t {
#define TLX_FINDING(NAME, ...) NAME,
#include "tlx/Emulator/Findings.def"
};
/// The kebab-case name that ends a rendered finding.
const char *nameOf(FindingKind kind);

/// A source line, and who executed it.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
  std::string task;
  unsigned cta = 0, warp = 0;
  /// AMD: the warp is a wave, the CTA a workgroup.
  bool inWave = false;
};

struct Finding {
  FindingKind kind;
  std::string message;
  Place where;
  /// The other party, where there is one.
  std::optional<Place> other;
  /// Buffer and slot, barrier, its slot and phase, where they are known; slots and phases are -1 otherwise.
  std::string buffer;
  int slot = -1;
  std::string barrier;
  int barrierSlot = -1;
  int phase = -1;
  std::vector<std::string> notes;
  uint64_t seed = 0;
};

/// One finding as text, in the form of a compiler's message; ends in a newline.
std::string render(const Finding &finding);
/// All findings as a JSON array.
std::string renderJSON(const std::vector<Finding> &findings);

} // namespace tlx::emu

#endif
