// tlx-run: options, the order of steps, what is printed, exit codes.
#include "tlx/Launch/RunProgram.h"

#include "tlx/Launch/DeviceExecutor.h"
#include "tlx/Launch/LaunchSession.h"

#include <charconv>
#include <cstdio>
#include <ostream>

using namespace tlx;
using namespace tlx::rt;

namespace {

enum ExitCode { exitDone = 0, exitWrong = 1, exitUsage = 2, exitMissing = 3 };

constexpr const char *usage =
    "usage: tlx-run LAUNCH.json [--bench] [--repeat N]\n"
    "\n"
    "Runs the kernel of a launch file on a GPU and checks what it wrote.\n"
    "\n"
    "  --bench      also print the median time, and rates when the file gives `flops` or `bytes`\n"
    "  --repeat N   run N times and require equal bits (default: `repeat` of the file, or 1)\n"
    "  --help       this text\n"
    "  --version    the version\n"
    "\n"
    "The image decides which driver is used. TLXRT_DRIVER names NVIDIA's library (default\n"
    "libcuda.so.1), TLXRT_HIP_DRIVER AMD's (default libamdhip64.so).\n"
    "Exit codes: 0 as expected, 1 numbers differ or the launch file is wrong, 2 bad command\n"
    "line, 3 a file, driver or device is missing or failed.\n";

struct Options {
  std::string file;
  bool bench = false;
  int64_t repeat = 0;
};

ExitCode exitCodeOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Input:
  case ErrorKind::ArgumentCount:
  case ErrorKind::ArgumentKind:
  case ErrorKind::ArgumentValue:
  case ErrorKind::TensorMap:
  case ErrorKind::Grid:
  case ErrorKind::Manifest:
    return exitWrong;
  default:
    return exitMissing;
  }
}

ExitCode fail(std::ostream &err, const Error &error) {
  err << "error: " << error.text << "\n";
  return exitCodeOf(error.kind);
}

/// Reads the command line; a text that is not empty says what is wrong with it.
std::string readOptions(const std::vector<std::string> &arguments, Options &options) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    bool joined = argument.starts_with("--repeat=");
    if (argument == "--bench") {
      options.bench = true;
    } else if (argument == "--repeat" || joined) {
      std::string value = joined ? argument.substr(9) : i + 1 < arguments.size() ? arguments[++i] : "";
      auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), options.repeat);
      if (failed != std::errc() || end != value.data() + value.size() || options.repeat < 1)
        return "`--repeat` takes a number of at least 1, not `" + value + "`";
    } else if (argument.starts_with("-") && argument != "-") {
      return "unknown option `" + argument + "`";
    } else if (!options.file.empty()) {
      return "both `" + options.file + "` and `" + argument + "` are given; one launch file is needed";
    } else {
      options.file = argument;
    }
  }
  return options.file.empty() ? "a launch file is needed" : "";
}

std::string formatted(const char *format, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

void printTiming(std::ostream &out, const LaunchFile &file, const Timing &timing) {
  double seconds = timing.medianMilliseconds * 1e-3;
  out << "time: " << formatted("%.4f", timing.medianMilliseconds) << " ms (median of " << timing.samples << ", least "
      << formatted("%.4f", timing.leastMilliseconds) << ")";
  if (file.flops > 0)
    out << ", " << formatted("%.1f", file.flops / seconds * 1e-12) << " TFLOP/s";
  if (file.bytes > 0)
    out << ", " << formatted("%.3f", file.bytes / seconds * 1e-12) << " TB/s";
  out << "\n";
}

/// Runs `repeat` times; an error when the bits of two runs differ.
Status runRepeatedly(LaunchSession &session, Executor &executor, int64_t repeat) {
  std::vector<HostTensor> first;
  for (int64_t i = 0; i < repeat; ++i) {
    if (Status status = session.run(executor); !status)
      return status;
    if (i == 0 && repeat > 1)
      first = session.tensors();
    if (i == 0)
      continue;
    if (std::string name = session.firstDifference(first); !name.empty())
      return Error{ErrorKind::Input, "`" + name + "` of run " + std::to_string(i + 1) + " differs from that of run 1"};
  }
  return Done();
}

Result<bool> check(const LaunchSession &session, std::ostream &out) {
  Result<std::vector<Verdict>> verdicts = session.check();
  if (!verdicts)
    return verdicts.error();
  bool passed = true;
  for (const Verdict &verdict : *verdicts) {
    out << (verdict.passed ? "pass: `" : "FAIL: `") << verdict.tensor << "`: " << verdict.text << "\n";
    passed &= verdict.passed;
  }
  return passed;
}

int runFile(const Options &options, std::ostream &out, std::ostream &err) {
  Result<LaunchSession> session = LaunchSession::open(options.file);
  if (!session)
    return fail(err, session.error());
  std::unique_ptr<DeviceExecutor> executor = DeviceExecutor::create();
  if (Status status = session->load(*executor); !status)
    return fail(err, status.error());
  int64_t repeat = options.repeat ? options.repeat : session->file().repeat;
  if (Status status = runRepeatedly(*session, *executor, repeat); !status)
    return fail(err, status.error());
  if (repeat > 1)
    out << "equal bits in " << repeat << " runs\n";
  Result<bool> passed = check(*session, out);
  if (!passed)
    return fail(err, passed.error());
  if (Status status = session->save(); !status)
    return fail(err, status.error());
  if (options.bench) {
    Result<Timing> timing = executor->time(session->request());
    if (!timing)
      return fail(err, timing.error());
    printTiming(out, session->file(), *timing);
  }
  return *passed ? exitDone : exitWrong;
}

} // namespace

int rt::runProgram(const std::vector<std::string> &arguments, std::ostream &out, std::ostream &err) {
  for (const std::string &argument : arguments) {
    if (argument == "--help")
      return out << usage, exitDone;
    if (argument == "--version")
      return out << "tlx-run 0.1.0\n", exitDone;
  }
  Options options;
  if (std::string wrong = readOptions(arguments, options); !wrong.empty()) {
    err << "error: " << wrong << "\n" << usage;
    return exitUsage;
  }
  return runFile(options, out, err);
}
