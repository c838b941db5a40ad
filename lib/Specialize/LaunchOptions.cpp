// Warps, cluster, stages and registers that a launch cannot have.
#include "LaunchOptions.h"
#include "Shorthand.h"
#include "llvm/Support/MathExtras.h"

using namespace tlx;
using namespace tlx::specialize;
using llvm::StringRef;

namespace {
class LaunchCheck {
public:
  LaunchCheck(const Kernel &kernel, const KernelConfig &config, const SpecializeOptions &options, diag::Sink &sink)
      : kernel(kernel), config(config), options(options), sink(sink) {}

  void run() {
    checkWarps();
    for (int extent : kernel.cluster)
      if (extent < 1)
        sink.error(diag::Kind::WarpCount, placeOf("ctas_per_cga"))
            << "an extent of the cluster is " << extent << "; the least is 1";
    if (kernel.numStages.value_or(0) < 0)
      sink.error(diag::Kind::LaunchOption, placeOf("num_stages"))
          << "`num_stages` is " << *kernel.numStages << "; the least is 0";
    for (const auto &[name, value] : config.others)
      checkOther(name, value);
  }

private:
  /// Of an option of the configuration; of the kernel where the command line or nothing gives it.
  SourceRange placeOf(StringRef option) const {
    auto found = config.places.find(option.str());
    bool isOverridden = (option == "num_warps" && options.numWarps) || (option == "ctas_per_cga" && options.cluster);
    return isOverridden || found == config.places.end() ? kernel.function->nameRange : found->second;
  }

  void checkWarps() {
    bool isShorthand = usesWarpGroups(*kernel.function);
    bool isWhole = isShorthand ? kernel.numWarps % 4 == 0 : llvm::isPowerOf2_64(static_cast<uint64_t>(kernel.numWarps));
    if (kernel.numWarps >= 1 && kernel.numWarps <= 32 && isWhole)
      return;
    sink.error(diag::Kind::WarpCount, placeOf("num_warps"))
        << "the kernel is to have " << kernel.numWarps << " warps; it has "
        << (isShorthand ? "a multiple of 4 from 4 to 32, since warp groups divide them"
                        : "a power of two from 1 to 32");
  }

  void checkOther(StringRef name, int64_t value) {
    bool isRegisters = name == "maxnreg";
    if (isRegisters ? value < 24 || value > 255 : value < 1)
      sink.error(diag::Kind::LaunchOption, placeOf(name))
          << "`" << name << "` is " << value << "; "
          << (isRegisters ? "a thread has 24 to 255 registers" : "the least is 1");
    else if (!isRegisters && value != 1)
      sink.error(diag::Kind::UnsupportedOption, placeOf(name))
          << "`num_ctas` is " << value
          << "; a tile belongs to one block here (`ctas_per_cga` or `--cluster` makes blocks of a cluster run "
             "together)";
  }

  const Kernel &kernel;
  const KernelConfig &config;
  const SpecializeOptions &options;
  diag::Sink &sink;
};
} // namespace

void tlx::specialize::checkLaunch(const Kernel &kernel, const KernelConfig &config, const SpecializeOptions &options,
                                  diag::Sink &sink) {
  LaunchCheck(kernel, config, options, sink).run();
}
