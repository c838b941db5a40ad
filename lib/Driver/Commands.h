// One function for each command of tlxc.
#ifndef TLX_LIB_DRIVER_COMMANDS_H
#define TLX_LIB_DRIVER_COMMANDS_H

#include "CommandLine.h"
#include "tlx/Driver/Driver.h"

namespace tlx {

ExitCode runCompile(const CompileCommand &command);
ExitCode runInspect(const InspectCommand &command);
ExitCode runSim(const SimCommand &command);
ExitCode runExplain(const ExplainCommand &command);
ExitCode runList(const ListCommand &command);
ExitCode runLanguageServer(const LanguageServerCommand &command);

} // namespace tlx

#endif
