// The program tlx-run.
#ifndef TLX_LAUNCH_RUNPROGRAM_H
#define TLX_LAUNCH_RUNPROGRAM_H

#include <iosfwd>
#include <string>
#include <vector>

namespace tlx::rt {

/// Runs tlx-run with these arguments (without the program's name) and gives its exit code.
int runProgram(const std::vector<std::string> &arguments, std::ostream &out, std::ostream &err);

} // namespace tlx::rt

#endif
