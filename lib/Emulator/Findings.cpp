// Findings as text and JSON.
#include "tlx/Emulator/Findings.h"
#include "FindingLog.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tlx::emu {

const char *nameOf(FindingKind kind) {
  switch (kind) {
#define TLX_FINDING(NAME, SPELLING, ...)                                                                               \
  case FindingKind::NAME:                                                                                              \
    return SPELLING;
#include "tlx/Emulator/Findings.def"
  }
  return "";
}

void FindingLog::add(Finding finding) {
  std::string key = std::string(nameOf(finding.kind)) + ":" + finding.where.file + ":" +
                    std::to_string(finding.where.line) + ":" + std::to_string(finding.where.column) + ":" +
                    finding.buffer + ":" + finding.barrier;
  if (finding.other)
    key += ":" + finding.other->file + ":" + std::to_string(finding.other->line);
  if (full() || !known.insert(key).second)
    return;
  finding.seed = seed;
  found.push_back(std::move(finding));
}

static std::string positionOf(const Place &place) {
  if (place.file.empty())
    return "<unknown>";
  std::string text = place.file + ":" + std::to_string(place.line);
  return place.column ? text + ":" + std::to_string(place.column) : text;
}

static std::string executorOf(const Place &place) {
  std::string text = place.task.empty() ? std::string() : "task `" + place.task + "`, ";
  return text + (place.inWave ? "wave " : "warp ") + std::to_string(place.warp) +
         (place.inWave ? " of workgroup " : " of CTA ") + std::to_string(place.cta);
}

std::string render(const Finding &finding) {
  std::string text = positionOf(finding.where) + ": error: " + finding.message + " [" + nameOf(finding.kind) + "]\n";
  text += "  by " + executorOf(finding.where) + "\n";
  if (!finding.buffer.empty())
    text += "  buffer `" + finding.buffer + "`" + (finding.slot >= 0 ? ", slot " + std::to_string(finding.slot) : "") +
            "\n";
  if (!finding.barrier.empty())
    text += "  barrier `" + finding.barrier + "`" +
            (finding.barrierSlot >= 0 ? ", slot " + std::to_string(finding.barrierSlot) : "") +
            (finding.phase >= 0 ? ", phase " + std::to_string(finding.phase) : "") + "\n";
  if (finding.other)
    text += positionOf(*finding.other) + ": note: the other party: " + executorOf(*finding.other) + "\n";
  for (const std::string &note : finding.notes)
    text += "  note: " + note + "\n";
  text += "  seed " + std::to_string(finding.seed) + "\n";
  return text;
}

static llvm::json::Object toJSON(const Place &place) {
  return llvm::json::Object{{"file", place.file}, {"line", place.line}, {"column", place.column},
                            {"task", place.task}, {"cta", place.cta},   {"warp", place.warp}};
}

std::string renderJSON(const std::vector<Finding> &findings) {
  llvm::json::Array array;
  for (const Finding &finding : findings) {
    llvm::json::Object object{{"kind", nameOf(finding.kind)},
                              {"message", finding.message},
                              {"where", toJSON(finding.where)},
                              {"seed", static_cast<int64_t>(finding.seed)}};
    if (finding.other)
      object["other"] = toJSON(*finding.other);
    if (!finding.buffer.empty())
      object["buffer"] = llvm::json::Object{{"name", finding.buffer}, {"slot", finding.slot}};
    if (!finding.barrier.empty())
      object["barrier"] =
          llvm::json::Object{{"name", finding.barrier}, {"slot", finding.barrierSlot}, {"phase", finding.phase}};
    object["notes"] = llvm::json::Array(finding.notes);
    array.push_back(std::move(object));
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(array)));
  return text;
}

} // namespace tlx::emu
