// tlxc sim LAUNCH.json: a launch on the CPU.
#include "Commands.h"

#include "tlx/Emulator/Simulate.h"

using namespace tlx;

ExitCode tlx::runSim(const SimCommand &command) {
  emu::SimulateOptions options{command.launchFile, command.seed,      command.seeds,
                               command.json,       command.traceFile, command.races};
  return static_cast<ExitCode>(emu::simulate(options, llvm::outs(), llvm::errs()));
}
