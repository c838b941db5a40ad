// Tensor maps that launches before have encoded.
#ifndef TLX_LIB_RUNTIME_TENSORMAPCACHE_H
#define TLX_LIB_RUNTIME_TENSORMAPCACHE_H

#include "TensorMapRequest.h"

namespace tlx::rt {

/// The last few maps of one parameter, so that a repeated launch encodes nothing.
class TensorMapCache {
public:
  /// The map for `request`, encoded when it is not there. The pointer lives until the next call.
  Result<const cuda::TensorMapBits *> find(const Driver &driver, const Param &param, const TensorMapRequest &request);

private:
  static constexpr size_t capacity = 8;
  struct Entry {
    TensorMapRequest request;
    cuda::TensorMapBits bits;
  };
  std::vector<Entry> entries;
  size_t oldest = 0;
};

} // namespace tlx::rt

#endif
