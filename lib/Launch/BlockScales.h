// Factors that blocks of 32 elements along K share, in the order in which tensor cores take them.
#ifndef TLX_LIB_LAUNCH_BLOCKSCALES_H
#define TLX_LIB_LAUNCH_BLOCKSCALES_H

#include "Reference.h"

#include <optional>

namespace tlx::rt {

/// Nothing when `scales` are a byte for each of `rows` rows and each 32 of `k` elements, in whole blocks of 512 bytes.
std::optional<Error> checkBlockScales(const HostTensor &scales, int64_t rows, int64_t k);

/// Multiplies each element of a matrix of `k` columns by its power of two.
template <typename T> void applyBlockScales(std::vector<T> &matrix, int64_t k, const HostTensor &scales);

} // namespace tlx::rt

#endif
