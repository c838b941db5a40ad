// Whether a kernel can be launched as its configuration and the command line ask.
#ifndef TLX_SPECIALIZE_LAUNCHOPTIONS_H
#define TLX_SPECIALIZE_LAUNCHOPTIONS_H

#include "Kernel.h"

namespace tlx::specialize {

/// Reports each number that no launch can have, where it was given.
void checkLaunch(const Kernel &kernel, const KernelConfig &config, const SpecializeOptions &options, diag::Sink &sink);

} // namespace tlx::specialize

#endif
