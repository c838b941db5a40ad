// The last few maps of a parameter, the oldest of which makes room.
#include "TensorMapCache.h"

using namespace tlx;
using namespace tlx::rt;

Result<const cuda::TensorMapBits *> TensorMapCache::find(const Driver &driver, const Param &param,
                                                         const TensorMapRequest &request) {
  for (const Entry &entry : entries)
    if (entry.request == request)
      return &entry.bits;
  Result<cuda::TensorMapBits> bits = encode(driver, param, request);
  if (!bits)
    return bits.error();
  if (entries.size() < capacity) {
    entries.push_back({request, *bits});
    return &entries.back().bits;
  }
  Entry &entry = entries[oldest];
  oldest = (oldest + 1) % capacity;
  entry = {request, *bits};
  return &entry.bits;
}
