// Values of options that are more than a string. Each function returns what is wrong, or nothing.
#ifndef TLX_LIB_DRIVER_OPTIONVALUES_H
#define TLX_LIB_DRIVER_OPTIONVALUES_H

#include "tlx/Compiler/Options.h"
#include "tlx/Support/Diagnostics.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tlx {

using Problem = std::optional<std::string>;

Problem readTargets(const std::vector<std::string> &typed, std::vector<const Arch *> &targets);
Problem readStopAfter(const std::string &typed, Stage &stage);
/// Sets the artifacts of a compile that stops at `stage`. `stage` becomes the earliest gate that all of them need when
/// only texts of earlier gates were asked for.
Problem readEmit(const std::vector<std::string> &typed, Stage &stage, ArtifactSet &artifacts);
/// Refuses kinds that no target of the list has, and targets for which nothing would be written.
Problem checkEmit(const std::vector<std::string> &typed, const std::vector<const Arch *> &targets,
                  const ArtifactSet &artifacts);
Problem readDefines(const std::vector<std::string> &typed, std::vector<std::pair<std::string, std::string>> &defines);
Problem readCluster(const std::string &typed, std::optional<std::array<int, 3>> &cluster);
Problem readConfig(const std::string &typed, std::optional<int> &config, bool &all);
/// `-Wspill`, `-Wno-spill`, `-Werror`; a short name or the kind of a warning.
Problem readWarnings(const std::vector<std::string> &typed, diag::WarningPolicy &policy);
/// What `-W` takes, for the help text.
std::string warningNames();
/// A variant becomes a part of file names.
Problem checkVariant(const std::string &typed);
Problem readNumWarps(std::optional<int> typed, std::optional<int> &numWarps);

} // namespace tlx

#endif
