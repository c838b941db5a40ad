// Splitting of independent work over threads.
#ifndef TLX_LIB_LAUNCH_PARALLEL_H
#define TLX_LIB_LAUNCH_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace tlx::rt {

/// Calls `body(begin, end)` for pieces of [0, count) of at most `grain`, on as many threads as there are processors.
template <typename Body> void parallelFor(int64_t count, int64_t grain, const Body &body) {
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain))
      body(begin, std::min(begin + grain, count));
  };
  int64_t pieces = (count + grain - 1) / grain;
  int64_t workers = std::min<int64_t>(pieces, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (int64_t i = 1; i < workers; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace tlx::rt

#endif
