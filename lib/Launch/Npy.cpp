// Reading and writing of .npy files. Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
#include "tlx/Launch/Npy.h"
#include "tlx/Manifest/ReadFile.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

using namespace tlx;
using namespace tlx::rt;

static Error npyError(const std::filesystem::path &path, const std::string &what) {
  return Error{ErrorKind::File, "`" + path.string() + "`: " + what};
}

static std::optional<ElementType> typeOf(std::string_view code) {
  static constexpr std::pair<std::string_view, ElementType> table[] = {
      {"f2", ElementType::FP16}, {"f4", ElementType::FP32}, {"f8", ElementType::FP64}, {"b1", ElementType::I1},
      {"i1", ElementType::I8},   {"i2", ElementType::I16},  {"i4", ElementType::I32},  {"i8", ElementType::I64},
      {"u1", ElementType::U8},   {"u2", ElementType::U16},  {"u4", ElementType::U32},  {"u8", ElementType::U64}};
  if (code.size() != 3 || (code[0] != '<' && code[0] != '|' && code[0] != '='))
    return std::nullopt;
  for (auto &[text, type] : table)
    if (code.substr(1) == text)
      return type;
  return std::nullopt;
}

static std::string codeOf(ElementType type) {
  if (type == ElementType::I1)
    return "|b1";
  char kind = isFloat(type) ? 'f' : isSigned(type) ? 'i' : 'u';
  return std::string(byteSize(type) == 1 ? "|" : "<") + kind + std::to_string(byteSize(type));
}

/// The text between `open` and `close` after the key.
static std::optional<std::string_view> valueOf(std::string_view header, std::string_view key, char open, char close) {
  size_t at = header.find(key);
  size_t begin = at == std::string_view::npos ? at : header.find(open, at + key.size());
  size_t end = begin == std::string_view::npos ? begin : header.find(close, begin + 1);
  if (end == std::string_view::npos)
    return std::nullopt;
  return header.substr(begin + 1, end - begin - 1);
}

static std::vector<int64_t> numbersIn(std::string_view text) {
  std::vector<int64_t> result;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    int64_t number = 0;
    auto [rest, failed] = std::from_chars(at, end, number);
    if (failed == std::errc())
      result.push_back(number);
    at = failed == std::errc() ? rest : at + 1;
  }
  return result;
}

/// A file in Fortran order is the dense tensor of the reversed shape, seen with its axes reversed.
static HostTensor reordered(HostTensor source) {
  HostTensor view = source;
  view.strides.assign(source.shape.size(), 1);
  for (size_t axis = 1; axis < view.shape.size(); ++axis)
    view.strides[axis] = view.strides[axis - 1] * view.shape[axis - 1];
  std::vector<double> row(size_t(view.rowLength()));
  for (int64_t i = 0; i < view.rowCount(); ++i) {
    view.readRow(i, row.data());
    source.writeRow(i, row.data());
  }
  return source;
}

Result<HostTensor> rt::readNpy(const std::filesystem::path &path) {
  Result<std::string> file = readFile(path);
  if (!file)
    return file.error();
  const std::string &bytes = *file;
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0)
    return npyError(path, "is not an .npy file");
  auto byte = [&](size_t i) { return size_t(static_cast<unsigned char>(bytes[i])); };
  size_t prefix = byte(6) == 1 ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8 | (prefix == 12 ? byte(10) << 16 | byte(11) << 24 : 0);
  if (prefix + length > bytes.size())
    return npyError(path, "ends inside its header");
  std::string_view header = std::string_view(bytes).substr(prefix, length);
  auto code = valueOf(header, "'descr':", '\'', '\'');
  auto shape = valueOf(header, "'shape':", '(', ')');
  auto type = code ? typeOf(*code) : std::nullopt;
  if (!type)
    return npyError(path, "has elements of `" + std::string(code.value_or("?")) + "`, which are not read here");
  if (!shape)
    return npyError(path, "has no shape in its header");
  HostTensor tensor{path.filename().string(), *type, numbersIn(*shape), {}, 0, {}};
  tensor.strides = denseStrides(tensor.shape);
  tensor.allocate();
  size_t found = bytes.size() - prefix - length;
  if (found < tensor.storage.size())
    return npyError(path, "has " + std::to_string(found) + " bytes of data; its shape needs " +
                              std::to_string(tensor.storage.size()));
  if (!tensor.storage.empty())
    std::memcpy(tensor.storage.data(), bytes.data() + prefix + length, tensor.storage.size());
  bool fortran = header.find("'fortran_order': True") != std::string_view::npos;
  return fortran ? reordered(std::move(tensor)) : tensor;
}

Status rt::writeNpy(const HostTensor &tensor, const std::filesystem::path &path) {
  bool widened = tensor.dtype == ElementType::BF16 || (isFloat(tensor.dtype) && byteSize(tensor.dtype) == 1);
  HostTensor dense{tensor.name, widened ? ElementType::FP32 : tensor.dtype, tensor.shape, {}, 0, {}};
  dense.strides = denseStrides(dense.shape);
  dense.allocate();
  std::vector<double> row(size_t(tensor.rowLength()));
  for (int64_t i = 0; i < tensor.rowCount(); ++i) {
    tensor.readRow(i, row.data());
    dense.writeRow(i, row.data());
  }
  std::string shape;
  for (int64_t size : dense.shape)
    shape += std::to_string(size) + ",";
  std::string header = "{'descr': '" + codeOf(dense.dtype) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream stream(path, std::ios::binary);
  stream.write("\x93NUMPY\x01\x00", 8);
  stream.put(char(header.size() & 255)).put(char(header.size() >> 8));
  stream << header;
  stream.write(reinterpret_cast<const char *>(dense.storage.data()), std::streamsize(dense.storage.size()));
  if (!stream.flush())
    return npyError(path, "cannot be written");
  return Done();
}
