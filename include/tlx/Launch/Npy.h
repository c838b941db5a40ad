// NumPy's .npy files (format 1.0 to 3.0): numbers in little endian.
#ifndef TLX_LAUNCH_NPY_H
#define TLX_LAUNCH_NPY_H

#include "tlx/Launch/HostTensor.h"
#include "tlx/Manifest/Result.h"

#include <filesystem>

namespace tlx::rt {

/// Reads a file into a dense tensor of the file's own type.
Result<HostTensor> readNpy(const std::filesystem::path &path);

/// Writes the elements in row-major order. `bf16` and the 8-bit floats, which NumPy does not have, are written as
/// float32, which holds them exactly.
Status writeNpy(const HostTensor &tensor, const std::filesystem::path &path);

} // namespace tlx::rt

#endif
