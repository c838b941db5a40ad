// The programs of tlxc/, each as one function from arguments to exit code.
#ifndef TLX_DRIVER_DRIVER_H
#define TLX_DRIVER_DRIVER_H

namespace tlx {

/// What the programs return.
enum class ExitCode : int {
  Done = 0,
  /// Errors in the input, or numbers that differ.
  InputError = 1,
  CommandLine = 2,
  /// A tool, file or device is missing or failed.
  ToolFailure = 3,
  EmulatorFinding = 4,
  /// Our own bug.
  InternalError = 70,
};

/// tlxc: compile, inspect, sim.
int runTlxc(int argc, char **argv);
/// tlx-opt: single passes and named pipelines over .mlir files.
int runTlxOpt(int argc, char **argv);

} // namespace tlx

#endif
