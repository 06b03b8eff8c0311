/// Reads and writes simple JSON in C++, without a library (<quarry/json.h>). A plugin that needs
/// more can use any JSON library.
#ifndef QUARRY_JSON_HPP
#define QUARRY_JSON_HPP

#include <quarry/json.h>
#include <quarry/outcome.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace quarry::json {

/// Decodes a JSON string; nullopt when `value` is not one.
inline std::optional<std::string> as_string(std::string_view value) {
  std::string out(value.size(), '\0');
  const std::size_t size = quarry_json_string(as_text(value), out.data());
  if (size == QUARRY_JSON_NONE) return std::nullopt;
  out.resize(size);
  return out;
}

/// The member `key` of an object as JSON text; nullopt when it has none.
inline std::optional<std::string_view> member(std::string_view object, const char* key) {
  quarry_text value{};
  if (!quarry_json_member(as_text(object), key, &value)) return std::nullopt;
  return as_view(value);
}

/// The string under `key`; nullopt when there is none.
inline std::optional<std::string> string(std::string_view object, const char* key) {
  const auto value = member(object, key);
  return value ? as_string(*value) : std::nullopt;
}

/// The integer under `key`; nullopt when there is none in the range of int64_t.
inline std::optional<std::int64_t> integer(std::string_view object, const char* key) {
  const auto value = member(object, key);
  std::int64_t number = 0;
  if (!value) return std::nullopt;
  const auto read = std::from_chars(value->data(), value->data() + value->size(), number);
  if (read.ec != std::errc() || read.ptr != value->data() + value->size()) return std::nullopt;
  return number;
}

/// The elements of the array under `key` as JSON text, in order; views into `object`.
inline std::vector<std::string_view> elements(std::string_view object, const char* key) {
  std::vector<std::string_view> out;
  quarry_json_walk walk{as_text(member(object, key).value_or("")), 0};
  quarry_text none{};
  quarry_text value{};
  while (quarry_json_next(&walk, &none, &value)) out.push_back(as_view(value));
  return out;
}

/// The strings of the array under `key`, in order; other elements are skipped.
inline std::vector<std::string> strings(std::string_view object, const char* key) {
  std::vector<std::string> out;
  for (const std::string_view value : elements(object, key)) {
    if (auto text = as_string(value)) out.push_back(std::move(*text));
  }
  return out;
}

/// A member of an object: its key decoded, its value as JSON text.
struct Member {
  std::string key;
  std::string_view value;
};

/// The members of `object` in order; views into it.
inline std::vector<Member> members(std::string_view object) {
  std::vector<Member> out;
  quarry_json_walk walk{as_text(object), 0};
  quarry_text key{};
  quarry_text value{};
  while (quarry_json_next(&walk, &key, &value)) {
    if (key.data == nullptr) break;  // an array
    const std::string_view quotes(key.data - 1, key.size + 2);
    out.push_back({as_string(quotes).value_or(""), as_view(value)});
  }
  return out;
}

/// `text` as a JSON string, quotes included.
inline std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += {'\\',
              'u',
              '0',
              '0',
              kHex[static_cast<std::size_t>(c >> 4)],
              kHex[static_cast<std::size_t>(c & 15)]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace quarry::json

#endif
