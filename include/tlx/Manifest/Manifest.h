// The launch manifest: everything that a launcher needs to know about one image. Specified in lib/Manifest/README.md.
#ifndef TLX_MANIFEST_MANIFEST_H
#define TLX_MANIFEST_MANIFEST_H

#include "tlx/Manifest/ElementType.h"
#include "tlx/Manifest/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tlx::rt {

/// The major version of the format that this code reads and writes.
inline constexpr int64_t manifestSchema = 1;

/// A compile-time value of the kernel. `monostate` is None.
using ConstexprValue = std::variant<std::monostate, bool, int64_t, double, std::string>;
using NamedValues = std::vector<std::pair<std::string, ConstexprValue>>;

enum class ImageKind { Cubin, Hsaco, Ptx };
enum class ParamKind { Pointer, Scalar, TensorMap, Scratch };
enum class Fill { Zero, NaN };

/// So many times the value of a parameter.
struct Multiple {
  std::string parameter;
  int64_t times = 1;
  bool operator==(const Multiple &other) const = default;
};

/// A size or stride of a tensor map that the launcher builds: unknown (unbounded), a number, the name of a parameter,
/// or a multiple of one.
using Extent = std::variant<std::monostate, int64_t, std::string, Multiple>;

/// The parameter that an extent is computed from, or null.
const std::string *parameterOf(const Extent &extent);

/// Where the launcher takes a hidden tensor map from.
struct TensorMapSource {
  std::string pointer;
  std::vector<Extent> sizes;
  std::vector<Extent> strides;
  /// Parameters that the kernel writes to while it loads ahead through this map: they must be other memory.
  std::vector<std::string> apart;
};

/// The recipe of a tensor map. Axes are listed slowest first, in elements.
struct TensorMap {
  ElementType dtype = ElementType::FP16;
  int64_t rank = 0;
  /// One message of the copy engine.
  std::vector<int64_t> box;
  /// The tile that the kernel names; a multiple of the box.
  std::vector<int64_t> block;
  std::vector<int64_t> elementStrides;
  int64_t swizzle = 0;
  int64_t interleave = 0;
  Fill fill = Fill::Zero;
  int64_t l2Promotion = 256;
  std::optional<TensorMapSource> source;
};

struct Param {
  std::string name;
  ParamKind kind = ParamKind::Scalar;
  /// `*fp16` for a pointer, `i32` for a scalar; empty otherwise.
  std::string type;
  int64_t offset = 0;
  int64_t size = 0;
  int64_t align = 0;
  /// 0 when nothing was assumed.
  int64_t divisibleBy = 0;
  std::optional<int64_t> equalTo;
  std::optional<TensorMap> tensorMap;

  /// Element type of a scalar, or of what a pointer points to.
  std::optional<ElementType> elementType() const;
  /// True when the launcher makes the value itself, so that callers do not pass it.
  bool isHidden() const;
};

struct SourceFile {
  std::string file;
  std::string sha256;
};

struct CompilerVersions {
  std::string tlxc;
  std::string llvm;
  std::string ptxas;
};

struct Image {
  std::string file;
  ImageKind kind = ImageKind::Cubin;
  int64_t bytes = 0;
  std::string sha256;
  std::string ptxSha256;
};

/// A value that the driver writes behind the arguments of the kernel.
struct HiddenArgument {
  /// As AMD's metadata calls it: "hidden_block_count_x".
  std::string kind;
  int64_t offset = 0;
  int64_t size = 0;
};

struct Launch {
  int64_t threads = 0;
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t dynamicShared = 0;
  int64_t staticShared = 0;
  int64_t tmemColumns = 0;
  bool cooperative = false;
  bool dependentLaunch = false;
  /// Scratch bytes in global memory for each block; block i owns the i-th piece.
  int64_t scratchBytes = 0;
  int64_t scratchAlign = 0;
  std::array<int64_t, 3> maxGrid{2147483647, 65535, 65535};
  /// The argument segment of an AMD kernel, hidden arguments included; 0 elsewhere.
  int64_t argumentBytes = 0;
  int64_t argumentAlign = 0;
  std::vector<HiddenArgument> hiddenArguments;
};

struct TaskResources {
  std::string name;
  int64_t warps = 0;
  int64_t replicas = 1;
  int64_t registers = 0;
};

struct SharedAllocation {
  std::string name;
  int64_t bytes = 0;
  int64_t offset = 0;
  int64_t line = 0;
};

struct Resources {
  int64_t registers = 0;
  int64_t spillStores = 0;
  int64_t spillLoads = 0;
  int64_t stack = 0;
  int64_t barriers = 0;
  /// AMD: accumulation registers (counted in `registers`, too), registers of a wave, registers that were spilled, and
  /// waves that a SIMD holds.
  int64_t accumulators = 0;
  int64_t scalarRegisters = 0;
  int64_t spilledRegisters = 0;
  int64_t spilledScalars = 0;
  int64_t wavesPerSimd = 0;
  std::vector<TaskResources> tasks;
  std::vector<SharedAllocation> shared;
};

struct Manifest {
  std::string kernel;
  std::string entry;
  std::string variant;
  SourceFile source;
  NamedValues constexprs;
  CompilerVersions compiler;
  std::string target;
  std::vector<std::string> devices;
  Image image;
  /// The lowered module that the emulator executes; empty when it was not written.
  std::string moduleFile;
  std::vector<Param> params;
  Launch launch;
  Resources resources;
  std::optional<std::string> grid;
  NamedValues tuning;

  /// The parameter called `name`, or null.
  const Param *findParam(std::string_view name) const;
};

/// Reads a manifest. Unknown fields are ignored; another major version is refused.
Result<Manifest> parse(std::string_view json);

/// The manifest as JSON text with a final newline. `parse(write(m))` gives `m` back.
std::string write(const Manifest &manifest);

} // namespace tlx::rt

#endif
