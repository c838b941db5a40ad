// A timeline of the run in the Chrome trace format: one process per CTA, one track per warp, one for copies.
#ifndef TLX_EMULATOR_TIMELINE_H
#define TLX_EMULATOR_TIMELINE_H

#include <cstdint>
#include <string>

namespace tlx::emu {

class Timeline {
public:
  /// A span on the track of a warp; tracks from 1000 up are the copy engine's.
  void span(unsigned cta, unsigned track, const std::string &name, const char *category, uint64_t from, uint64_t to);
  void nameTrack(unsigned cta, unsigned track, const std::string &name);
  std::string take();

private:
  std::string events;
  void append(const std::string &event);
};

} // namespace tlx::emu

#endif
