// Typed access to a JSON document that remembers the first thing that was wrong, with its path. Private to the rooms
// that read JSON files (Manifest, Launch).
#ifndef TLX_MANIFEST_JSONREADER_H
#define TLX_MANIFEST_JSONREADER_H

#include "tlx/Manifest/Result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tlx::rt {

using Json = nlohmann::ordered_json;

/// Parses `text`; the error says that `what` ("a manifest") was expected, and names line and column.
Result<Json> parseJson(std::string_view text, ErrorKind kind, std::string_view what);

/// Receives the first error of a document. Reading goes on with default values after it.
class JsonErrors {
public:
  explicit JsonErrors(ErrorKind kind) : kind(kind) {}
  void report(const std::string &path, const std::string &text);
  bool any() const { return first.has_value(); }
  Error take() const { return *first; }

private:
  ErrorKind kind;
  std::optional<Error> first;
};

/// A place in a document.
class JsonReader {
public:
  JsonReader(const Json &value, std::string path, JsonErrors &errors)
      : json(&value), where(std::move(path)), errors(&errors) {}

  const Json &value() const { return *json; }
  const std::string &path() const { return where; }
  void error(const std::string &text) const { errors->report(where, text); }

  /// The field `key`, or nothing when it is absent or null.
  std::optional<JsonReader> find(std::string_view key) const;
  /// The field `key`; reports when it is absent. The reader then stands on a null.
  JsonReader at(std::string_view key) const;
  /// Elements of a list; reports anything else.
  std::vector<JsonReader> elements() const;
  /// Fields of an object in the order of the file; reports anything else.
  std::vector<std::pair<std::string, JsonReader>> fields() const;
  /// Reports fields that are not in `known`.
  void refuseUnknown(std::initializer_list<std::string_view> known) const;

  int64_t integer() const;
  double number() const;
  bool boolean() const;
  std::string string() const;
  std::vector<int64_t> integers() const;
  std::vector<std::string> strings() const;

  int64_t integerOr(std::string_view key, int64_t fallback) const;
  double numberOr(std::string_view key, double fallback) const;
  bool booleanOr(std::string_view key, bool fallback) const;
  std::string stringOr(std::string_view key, std::string fallback) const;

private:
  JsonReader expected(const char *what) const;

  const Json *json;
  std::string where;
  JsonErrors *errors;
};

} // namespace tlx::rt

#endif
