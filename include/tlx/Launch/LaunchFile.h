// The launch file: which kernel, on which tensors, with which arguments, and what must come out.
#ifndef TLX_LAUNCH_LAUNCHFILE_H
#define TLX_LAUNCH_LAUNCHFILE_H

#include "tlx/Manifest/ElementType.h"
#include "tlx/Manifest/Result.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tlx::rt {

/// How a tensor gets its first values.
struct Initializer {
  enum class Kind { Randn, RandInt, Arange, Zeros, NaN, Full, Npy };
  Kind kind = Kind::Zeros;
  double mean = 0, deviation = 1;
  int64_t low = 0, high = 0;
  double value = 0;
  std::string path;
};

/// The most that the storage of one tensor may take.
constexpr int64_t maxTensorBytes = int64_t(256) << 30;

struct TensorDecl {
  std::string name;
  ElementType dtype = ElementType::FP16;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  Initializer init;
  uint64_t seed = 0;
};

/// A view of a tensor, for a tensor map parameter. Strides and offset are in elements of the storage.
struct DescriptorValue {
  std::string tensor;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

/// An address; an empty name is the null pointer.
struct PointerValue {
  std::string tensor;
  int64_t offset = 0;
};

struct ArgumentDecl {
  std::string name;
  std::variant<DescriptorValue, PointerValue, bool, int64_t, double> value;
};

enum class CausalMask { None, TopLeft, BottomRight };

/// How the expected values come about.
struct ReferenceDecl {
  enum class Kind { Npy, Equal, Matmul, Softmax, Attention, AttentionLse, LayerNorm, Sum };
  Kind kind = Kind::Npy;
  std::vector<std::string> inputs;
  std::string path;
  bool transposeA = false, transposeB = false;
  double alpha = 1;
  /// Factors of blocks along K of both operands, or none.
  std::vector<std::string> scales;
  /// A tensor added to the product: of its shape, or one row that every row gets.
  std::string add;
  CausalMask causal = CausalMask::None;
  std::optional<double> scale;
  std::optional<int64_t> keyLength;
  /// Logarithms to base 2 instead of e.
  bool base2 = false;
  double epsilon = 1e-5;
};

struct ExpectDecl {
  std::string tensor;
  ReferenceDecl reference;
  /// Limit of the relative error in the Frobenius norm.
  double rtol = 0;
  /// Limit of the largest absolute error.
  std::optional<double> atol;
  /// Above this many multiply-adds only a sample of the rows is checked.
  double sampleAbove = 2e10;
  /// Chooses the rows of the sample.
  uint64_t seed = 1;
};

struct LaunchFile {
  std::filesystem::path folder;
  /// As written; relative to `folder`.
  std::string manifest;
  std::array<int, 3> grid{1, 1, 1};
  std::vector<TensorDecl> tensors;
  std::vector<ArgumentDecl> args;
  std::vector<ExpectDecl> expect;
  std::vector<std::string> save;
  double flops = 0, bytes = 0;
  int64_t repeat = 1;

  const TensorDecl *findTensor(std::string_view name) const;
  std::filesystem::path manifestPath() const { return folder / manifest; }
};

/// Reads `text`; paths in it are relative to `folder`. Fields that are not known are errors, because they are misspelt.
Result<LaunchFile> parseLaunchFile(std::string_view text, const std::filesystem::path &folder);
Result<LaunchFile> readLaunchFile(const std::filesystem::path &path);

} // namespace tlx::rt

#endif
