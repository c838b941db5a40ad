// A launch file made ready: manifest read, tensors filled, arguments bound. What tlx-run and the emulator have in
// common.
#ifndef TLX_LAUNCH_LAUNCHSESSION_H
#define TLX_LAUNCH_LAUNCHSESSION_H

#include "tlx/Launch/Executor.h"
#include "tlx/Launch/Expectation.h"
#include "tlx/Launch/LaunchFile.h"

namespace tlx::rt {

class LaunchSession {
public:
  static Result<LaunchSession> open(const std::filesystem::path &launchFile);

  const LaunchFile &file() const { return launchFile; }
  const Manifest &manifest() const { return kernelManifest; }
  const LaunchRequest &request() const { return bound; }
  /// Tensors as the last run left them.
  std::vector<HostTensor> &tensors() { return current; }

  /// Prepares `executor` for the kernel.
  Status load(Executor &executor) const;
  /// Puts the first values back, then runs.
  Status run(Executor &executor);
  /// Checks every expectation against the last run.
  Result<std::vector<Verdict>> check() const;
  /// The first tensor (of those that are expected or saved, else of all) whose bytes differ from `other`; empty if
  /// none.
  std::string firstDifference(const std::vector<HostTensor> &other) const;
  /// Writes `<tensor>.npy` beside the launch file for each tensor in `save`.
  Status save() const;

private:
  LaunchFile launchFile;
  Manifest kernelManifest;
  LaunchRequest bound;
  std::vector<HostTensor> initial;
  std::vector<HostTensor> current;
};

/// Fills the tensors of a launch file with their first values.
Result<std::vector<HostTensor>> makeTensors(const LaunchFile &file);

/// Matches the arguments of the file with the visible parameters of the manifest.
Result<LaunchRequest> bindArguments(const LaunchFile &file, const Manifest &manifest);

} // namespace tlx::rt

#endif
