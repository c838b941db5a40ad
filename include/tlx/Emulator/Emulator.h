// The emulator: runs one lowered kernel on the CPU and reports what the hardware would have left to luck.
#ifndef TLX_EMULATOR_EMULATOR_H
#define TLX_EMULATOR_EMULATOR_H

#include "tlx/Emulator/Findings.h"

#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace tlx::emu {

/// Element types of tensor maps (CUtensorMapDataType); fp8 travels as U8.
enum class ElementType : uint8_t { U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16 };
unsigned byteSize(ElementType type);

/// Memory of the host that the kernel sees as one global allocation. The data stays with the caller.
struct HostBuffer {
  std::string name;
  void *data = nullptr;
  uint64_t bytes = 0;
};

/// What cuTensorMapEncodeTiled would be told. Axis 0 is the innermost; strides are bytes and strides[0] is not read.
struct HostTensorMap {
  unsigned buffer = 0;
  uint64_t offset = 0;
  ElementType type = ElementType::F16;
  unsigned rank = 0;
  std::array<uint64_t, 5> sizes{};
  std::array<uint64_t, 5> strides{};
  std::array<uint32_t, 5> box{};
  std::array<uint32_t, 5> elementStrides{1, 1, 1, 1, 1};
  /// Width of the swizzle pattern in bytes: 0, 32, 64 or 128.
  unsigned swizzle = 0;
  bool fillNaN = false;
};

/// One kernel argument, in the order of the kernel's parameters.
struct Argument {
  enum class Kind : uint8_t { Scalar, Pointer, TensorMap };
  Kind kind = Kind::Scalar;
  /// Scalar: the bits, zero-extended.
  uint64_t bits = 0;
  /// Pointer: which buffer, and where in it.
  unsigned buffer = 0;
  uint64_t offset = 0;
  HostTensorMap map;

  static Argument scalar(uint64_t bits);
  static Argument f32(float value);
  static Argument pointer(unsigned buffer, uint64_t offset = 0);
  static Argument tensorMap(const HostTensorMap &map);
};

struct Launch {
  /// Empty: the only kernel of the module.
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::vector<HostBuffer> buffers;
  std::vector<Argument> arguments;
};

struct Options {
  /// Chooses the interleaving of warps and the completion times of asynchronous work; the same seed replays the run.
  uint64_t seed = 0;
  /// Look for data races and missing proxy fences.
  bool races = true;
  /// Record a timeline in Report::trace.
  bool trace = false;
  /// The run stops after this many different findings.
  unsigned maxFindings = 20;
  /// Instructions that one warp may execute before the run counts as endless.
  uint64_t maxSteps = 2'000'000'000;
};

struct Statistics {
  uint64_t instructions = 0, matrixOperations = 0, tensorCopies = 0, clusters = 0;
};

struct Report {
  std::vector<Finding> findings;
  Statistics statistics;
  /// What the kernel printed.
  std::string output;
  /// Chrome/Perfetto JSON; empty unless asked for.
  std::string trace;
};

/// Runs the kernel of `module` for the whole grid. An error means that the module or the launch cannot be executed at
/// all (an operation that the emulator does not know, arguments that do not fit); faults of the kernel are findings.
llvm::Expected<Report> run(mlir::ModuleOp module, const Launch &launch, const Options &options = {});

} // namespace tlx::emu

#endif
