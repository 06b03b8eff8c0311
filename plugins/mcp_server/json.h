#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace quarry::mcp {

using Json = nlohmann::json;

/// Position and cause of a JSON error.
struct JsonProblem {
  std::size_t position = 0;  // the byte, from 1
  std::string message;
};

struct ParsedJson {
  std::shared_ptr<const Json> value;  // null = see `problem`
  JsonProblem problem;

  explicit operator bool() const { return value != nullptr; }
};

/// Parses one JSON value. Refuses text that two parsers could read differently or that would cost
/// too much: the same key twice in an object, nesting deeper than 64, numbers beyond a double,
/// bytes that are not UTF-8. An escape of half a surrogate pair is read as U+FFFD.
[[nodiscard]] ParsedJson parse_json(std::string_view text);

/// Serializes in one line; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string dump(const Json& value);
/// `text` as a JSON string, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

/// The member `name` of an object; null if it has none or `value` is not an object.
[[nodiscard]] const Json* find(const Json& value, std::string_view name);
/// The same if it is a string, else an empty text.
[[nodiscard]] std::string find_string(const Json& value, std::string_view name);

}  // namespace quarry::mcp
