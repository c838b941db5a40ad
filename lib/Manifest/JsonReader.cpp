// The one place that lets nlohmann throw: parsing. Everything after it asks for the type before it takes the value.
#include "tlx/Manifest/JsonReader.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

using namespace tlx;
using namespace tlx::rt;

namespace {
/// Finds a field that an object has twice: nlohmann keeps one of them and says nothing.
class DuplicateFields {
public:
  bool operator()(int, Json::parse_event_t event, Json &value) {
    if (event == Json::parse_event_t::object_start) {
      open.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open.pop_back();
    } else if (event == Json::parse_event_t::key) {
      std::string name = value.get<std::string>();
      if (!open.back().insert(name).second && !found)
        found = name;
    }
    return true;
  }

  std::optional<std::string> found;

private:
  std::vector<std::set<std::string>> open;
};
} // namespace

/// The word or the sign at `at`, short enough to be shown.
static std::string wordAt(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && end - at < 20 && std::isalnum(static_cast<unsigned char>(text[end])))
    ++end;
  bool isSign = end == at && text[at] > ' ' && text[at] < 127;
  return std::string(text.substr(at, isSign ? 1 : end - at));
}

/// Where the text stops being JSON, and what was wanted.
static std::string describeBreak(std::string_view text, size_t at, std::string_view what) {
  std::string_view before = text.substr(0, at);
  size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  std::string place = "line " + std::to_string(line) + ", column " + std::to_string(at - lineStart + 1);
  std::string word = at < text.size() ? wordAt(text, at) : "";
  return place + ": " + std::string(what) + " is JSON; the text " +
         (at >= text.size() ? "ends too early" : "is none from here on" + (word.empty() ? "" : ", at `" + word + "`"));
}

Result<Json> rt::parseJson(std::string_view text, ErrorKind kind, std::string_view what) {
  try {
    DuplicateFields duplicates;
    Json json = Json::parse(text, std::ref(duplicates));
    if (duplicates.found)
      return Error{kind, "an object has the field `" + *duplicates.found + "` twice"};
    return json;
  } catch (const Json::parse_error &failure) {
    size_t at = std::min(failure.byte ? failure.byte - 1 : 0, text.size());
    // The reader stops behind a word that it does not know.
    while (at > 0 && at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) &&
           std::isalnum(static_cast<unsigned char>(text[at - 1])))
      --at;
    return Error{kind, describeBreak(text, at, what)};
  }
}

void JsonErrors::report(const std::string &path, const std::string &text) {
  if (first)
    return;
  first = Error{kind, path.empty() ? text : "`" + path + "`: " + text};
}

static const Json &nullValue() {
  static const Json null;
  return null;
}

std::optional<JsonReader> JsonReader::find(std::string_view key) const {
  if (!json->is_object()) {
    expected("an object");
    return std::nullopt;
  }
  auto found = json->find(key);
  if (found == json->end() || found->is_null())
    return std::nullopt;
  return JsonReader(*found, where.empty() ? std::string(key) : where + "." + std::string(key), *errors);
}

JsonReader JsonReader::at(std::string_view key) const {
  if (auto found = find(key))
    return *found;
  if (json->is_object())
    error("field `" + std::string(key) + "` is missing");
  return JsonReader(nullValue(), where, *errors);
}

std::vector<JsonReader> JsonReader::elements() const {
  std::vector<JsonReader> result;
  if (!json->is_array()) {
    expected("a list");
    return result;
  }
  for (size_t i = 0; i < json->size(); ++i)
    result.emplace_back((*json)[i], where + "[" + std::to_string(i) + "]", *errors);
  return result;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::fields() const {
  std::vector<std::pair<std::string, JsonReader>> result;
  if (!json->is_object()) {
    expected("an object");
    return result;
  }
  for (auto &[key, value] : json->items())
    result.emplace_back(key, JsonReader(value, where.empty() ? key : where + "." + key, *errors));
  return result;
}

void JsonReader::refuseUnknown(std::initializer_list<std::string_view> known) const {
  for (auto &[key, value] : fields()) {
    if (std::find(known.begin(), known.end(), key) != known.end())
      continue;
    std::string list;
    for (std::string_view name : known)
      list += (list.empty() ? "`" : ", `") + std::string(name) + "`";
    error("unknown field `" + key + "`; known are " + list);
  }
}

JsonReader JsonReader::expected(const char *what) const {
  error(std::string("expected ") + what + ", found " + json->type_name());
  return *this;
}

int64_t JsonReader::integer() const {
  if (!json->is_number_integer()) {
    expected("an integer");
    return 0;
  }
  if (json->is_number_unsigned() && json->get<uint64_t>() > uint64_t(INT64_MAX)) {
    error("the integer " + json->dump() + " does not fit into 64 bits");
    return 0;
  }
  return json->get<int64_t>();
}

double JsonReader::number() const {
  if (json->is_number())
    return json->get<double>();
  expected("a number");
  return 0;
}

bool JsonReader::boolean() const {
  if (json->is_boolean())
    return json->get<bool>();
  expected("true or false");
  return false;
}

std::string JsonReader::string() const {
  if (json->is_string())
    return json->get<std::string>();
  expected("a string");
  return {};
}

std::vector<int64_t> JsonReader::integers() const {
  std::vector<int64_t> result;
  for (const JsonReader &element : elements())
    result.push_back(element.integer());
  return result;
}

std::vector<std::string> JsonReader::strings() const {
  std::vector<std::string> result;
  for (const JsonReader &element : elements())
    result.push_back(element.string());
  return result;
}

int64_t JsonReader::integerOr(std::string_view key, int64_t fallback) const {
  auto field = find(key);
  return field ? field->integer() : fallback;
}

double JsonReader::numberOr(std::string_view key, double fallback) const {
  auto field = find(key);
  return field ? field->number() : fallback;
}

bool JsonReader::booleanOr(std::string_view key, bool fallback) const {
  auto field = find(key);
  return field ? field->boolean() : fallback;
}

std::string JsonReader::stringOr(std::string_view key, std::string fallback) const {
  auto field = find(key);
  return field ? field->string() : fallback;
}
