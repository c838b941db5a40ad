// Runs launches of launch files in the emulator.
#ifndef TLX_EMULATOR_SIMEXECUTOR_H
#define TLX_EMULATOR_SIMEXECUTOR_H

#include "tlx/Emulator/Emulator.h"
#include "tlx/Launch/Executor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace tlx::emu {

class SimExecutor : public rt::Executor {
public:
  explicit SimExecutor(const Options &options);
  ~SimExecutor() override;
  rt::Status load(const rt::Manifest &manifest, const std::filesystem::path &path) override;
  rt::Status run(const rt::LaunchRequest &request, std::vector<rt::HostTensor> &tensors) override;

  /// The seed of the next run.
  void setSeed(uint64_t seed) { options.seed = seed; }
  void setTrace(bool trace) { options.trace = trace; }
  /// What the last run reported.
  const Report &report() const { return lastReport; }

private:
  rt::Result<Argument> bind(const rt::Param &param, const rt::LaunchRequest &request,
                            const std::vector<rt::HostTensor> &tensors, std::vector<std::vector<uint8_t>> &scratch,
                            Launch &launch) const;
  rt::Result<Argument> bindTensorMap(const rt::Param &param, const rt::LaunchRequest &request,
                                     const std::vector<rt::HostTensor> &tensors,
                                     std::vector<std::vector<uint8_t>> &scratch, Launch &launch) const;

  Options options;
  rt::Manifest manifest;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Report lastReport;
};

} // namespace tlx::emu

#endif
