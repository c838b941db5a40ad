// tlxc sim: seeds, expectations, reports, exit codes.
#include "tlx/Emulator/Simulate.h"
#include "SimExecutor.h"

#include "tlx/Launch/LaunchSession.h"

#include "llvm/Support/JSON.h"

#include <functional>
#include <thread>

using namespace tlx;
using namespace tlx::emu;

namespace {

enum ExitCode { exitDone = 0, exitWrong = 1, exitMissing = 3, exitFinding = 4 };

int fail(const rt::Error &error, llvm::raw_ostream &err) {
  err << "error: " << error.text << "\n";
  return error.kind == rt::ErrorKind::File ? exitMissing : exitWrong;
}

/// What all seeds together brought to light: each fault once, with the first seed that showed it.
struct Outcome {
  std::vector<Finding> findings;
  std::vector<rt::Verdict> verdicts;
  bool numbersDiffer = false;
  uint64_t wrongSeed = 0;
  Statistics statistics;
  std::string printed;
  unsigned runs = 0;

  void add(const Report &report, std::vector<rt::Verdict> judged, uint64_t seed) {
    for (const Finding &finding : report.findings) {
      auto same = [&](const Finding &other) {
        return other.kind == finding.kind && other.where.line == finding.where.line &&
               other.where.column == finding.where.column && other.where.file == finding.where.file &&
               other.buffer == finding.buffer && other.barrier == finding.barrier;
      };
      if (llvm::none_of(findings, same))
        findings.push_back(finding);
    }
    const bool ended = llvm::none_of(report.findings, [](const Finding &finding) {
      return finding.kind == FindingKind::Deadlock || finding.kind == FindingKind::Endless;
    });
    // What the tensors hold then is no result, even where it happens to be right.
    if (!ended)
      for (rt::Verdict &verdict : judged) {
        verdict.passed = false;
        verdict.text = "the run came to no end";
      }
    bool differs = llvm::any_of(judged, [](const rt::Verdict &verdict) { return !verdict.passed; });
    // The numbers of a run that stopped at a fault say nothing more.
    if (verdicts.empty() || (differs && !numbersDiffer)) {
      verdicts = std::move(judged);
      wrongSeed = seed;
    }
    numbersDiffer |= differs;
    statistics = report.statistics;
    // What the kernel printed in the first run.
    if (runs++ == 0)
      printed = report.output;
  }
};

void printText(const Outcome &outcome, const SimulateOptions &options, llvm::raw_ostream &out) {
  out << outcome.printed;
  for (const Finding &finding : outcome.findings)
    out << render(finding);
  for (const rt::Verdict &verdict : outcome.verdicts)
    out << (verdict.passed ? "pass: `" : "FAIL: `") << verdict.tensor << "`: " << verdict.text
        << (verdict.passed ? "" : " (seed " + std::to_string(outcome.wrongSeed) + ")") << "\n";
  out << outcome.findings.size() << " findings in " << options.seeds << (options.seeds == 1 ? " run; " : " runs; ")
      << outcome.statistics.instructions << " warp instructions, " << outcome.statistics.matrixOperations
      << " matrix operations, " << outcome.statistics.tensorCopies << " copies\n";
}

void printJSON(const Outcome &outcome, const SimulateOptions &options, llvm::raw_ostream &out) {
  llvm::json::Array verdicts;
  for (const rt::Verdict &verdict : outcome.verdicts)
    verdicts.push_back(
        llvm::json::Object{{"tensor", verdict.tensor}, {"passed", verdict.passed}, {"text", verdict.text}});
  llvm::Expected<llvm::json::Value> findings = llvm::json::parse(renderJSON(outcome.findings));
  llvm::json::Object object{{"seed", static_cast<int64_t>(options.seed)},
                            {"seeds", static_cast<int64_t>(options.seeds)},
                            {"verdicts", std::move(verdicts)},
                            {"printed", outcome.printed},
                            {"instructions", static_cast<int64_t>(outcome.statistics.instructions)}};
  if (findings)
    object["findings"] = std::move(*findings);
  else
    llvm::consumeError(findings.takeError());
  out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}

bool writeFile(const std::string &path, const std::string &text) {
  std::error_code problem;
  llvm::raw_fd_ostream file(path, problem);
  if (problem)
    return false;
  file << text;
  return !file.has_error();
}

/// What one seed gave.
struct SeedResult {
  std::optional<rt::Error> error;
  Report report;
  std::vector<rt::Verdict> verdicts;
};

/// Runs the seeds of one thread: every `step`-th. The session is the thread's own copy.
void runSeeds(rt::LaunchSession session, const SimulateOptions &options, unsigned first, unsigned step,
              std::vector<SeedResult> &results) {
  Options emulation;
  emulation.races = options.races;
  // Some seconds of a loop that waits for what never comes.
  emulation.maxSteps = 100'000'000;
  SimExecutor executor(emulation);
  rt::Status loaded = session.load(executor);
  for (unsigned index = first; index < options.seeds; index += step) {
    SeedResult &result = results[index];
    if (!loaded) {
      result.error = loaded.error();
      return;
    }
    executor.setSeed(options.seed + index);
    executor.setTrace(index == 0 && !options.traceFile.empty());
    if (rt::Status status = session.run(executor); !status) {
      result.error = status.error();
      return;
    }
    result.report = executor.report();
    rt::Result<std::vector<rt::Verdict>> verdicts = session.check();
    if (verdicts)
      result.verdicts = std::move(*verdicts);
    else
      result.error = verdicts.error();
    if (index + step >= options.seeds && index + 1 == options.seeds)
      if (rt::Status status = session.save(); !status)
        result.error = status.error();
  }
}

} // namespace

int emu::simulate(const SimulateOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  rt::Result<rt::LaunchSession> session = rt::LaunchSession::open(options.launchFile);
  if (!session)
    return fail(session.error(), err);
  const unsigned threads =
      std::clamp(std::thread::hardware_concurrency(), 1u, std::max(1u, std::min(options.seeds, 16u)));
  std::vector<SeedResult> results(options.seeds);
  std::vector<std::thread> workers;
  for (unsigned index = 0; index < threads; ++index)
    workers.emplace_back(runSeeds, *session, std::cref(options), index, threads, std::ref(results));
  for (std::thread &worker : workers)
    worker.join();
  Outcome outcome;
  for (unsigned index = 0; index < options.seeds; ++index) {
    if (results[index].error)
      return fail(*results[index].error, err);
    outcome.add(results[index].report, std::move(results[index].verdicts), options.seed + index);
  }
  if (!options.traceFile.empty() && !results.empty() && !writeFile(options.traceFile, results[0].report.trace)) {
    err << "error: cannot write `" << options.traceFile << "`\n";
    return exitMissing;
  }
  options.json ? printJSON(outcome, options, out) : printText(outcome, options, out);
  return !outcome.findings.empty() ? exitFinding : outcome.numbersDiffer ? exitWrong : exitDone;
}
