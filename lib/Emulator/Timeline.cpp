// Trace Event Format, "complete" events (ph X) and metadata (ph M). Time is counted in executed instructions.
#include "Timeline.h"

namespace tlx::emu {

static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

void Timeline::append(const std::string &event) {
  events += (events.empty() ? "" : ",\n") + event;
}

void Timeline::span(unsigned cta, unsigned track, const std::string &name, const char *category, uint64_t from,
                    uint64_t to) {
  append("{\"ph\":\"X\",\"pid\":" + std::to_string(cta) + ",\"tid\":" + std::to_string(track) +
         ",\"name\":" + quoted(name) + ",\"cat\":\"" + category + "\",\"ts\":" + std::to_string(from) +
         ",\"dur\":" + std::to_string(to - from) + "}");
}

void Timeline::nameTrack(unsigned cta, unsigned track, const std::string &name) {
  append("{\"ph\":\"M\",\"pid\":" + std::to_string(cta) + ",\"tid\":" + std::to_string(track) +
         ",\"name\":\"thread_name\",\"args\":{\"name\":" + quoted(name) + "}}");
}

std::string Timeline::take() {
  return "{\"traceEvents\":[\n" + events + "\n]}\n";
}

} // namespace tlx::emu
