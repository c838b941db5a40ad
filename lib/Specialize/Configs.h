// What `triton.autotune` lists, read without running the host's code.
#ifndef TLX_SPECIALIZE_CONFIGS_H
#define TLX_SPECIALIZE_CONFIGS_H

#include "Datum.h"
#include <array>
#include <map>

namespace tlx::specialize {

struct KernelConfig {
  std::map<std::string, Datum> values;
  std::optional<int64_t> numWarps, numStages;
  std::optional<std::array<int, 3>> cluster;
  /// `maxnreg` and `num_ctas`, where they are given.
  std::map<std::string, int64_t> others;
  /// Where the configuration stands, and each of its options.
  SourceRange range;
  std::map<std::string, SourceRange> places;
};

struct ConfigList {
  std::vector<KernelConfig> configs;
  /// The decorator, null without one.
  const ast::Call *decorator = nullptr;
  /// False when the list cannot be read without running it.
  bool isReadable = true;
  /// Where it cannot be read, and what stands there.
  SourceRange stop;
  std::string reason;
};

ConfigList readConfigs(const ast::Module &module, const ast::FunctionDef &function);

} // namespace tlx::specialize

#endif
