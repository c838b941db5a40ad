// The clusters of a grid that have not been launched yet.
#ifndef TLX_EMULATOR_LAUNCHQUEUE_H
#define TLX_EMULATOR_LAUNCHQUEUE_H

#include <optional>

namespace tlx::emu {

/// Clusters start in order; a running cluster may take the next one away (PTX ISA, clusterlaunchcontrol.try_cancel).
class LaunchQueue {
public:
  explicit LaunchQueue(unsigned clusters) : clusters(clusters) {}
  std::optional<unsigned> launch() { return next < clusters ? std::optional(next++) : std::nullopt; }
  bool isEmpty() const { return next == clusters; }

private:
  unsigned clusters, next = 0;
};

} // namespace tlx::emu

#endif
