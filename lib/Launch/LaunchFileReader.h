// The parts of the launch file's reader that know each other.
#ifndef TLX_LIB_LAUNCH_LAUNCHFILEREADER_H
#define TLX_LIB_LAUNCH_LAUNCHFILEREADER_H

#include "tlx/Launch/HostTensor.h"
#include "tlx/Launch/LaunchFile.h"
#include "tlx/Manifest/JsonReader.h"

namespace tlx::rt {

/// The tensor called `name`; reports when there is none.
const TensorDecl *requireTensor(const JsonReader &place, const LaunchFile &file, const std::string &name);

ExpectDecl readExpectation(const std::string &tensor, const JsonReader &object, const LaunchFile &file);

} // namespace tlx::rt

#endif
