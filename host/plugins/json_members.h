#pragma once

#include "base/json.h"

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::plugins {

// Members of a plugin's reply; the default if missing or of another type.

inline std::string string_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}
inline bool bool_member(const Json& object, const char* key, bool otherwise = false) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}
/// The object's schema has refused integers beyond int64.
inline std::int64_t integer_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}
inline std::vector<std::string> strings_member(const Json& object, const char* key) {
  std::vector<std::string> values;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return values;
  for (const Json& value : *found) {
    if (value.is_string()) values.push_back(value.get<std::string>());
  }
  return values;
}
/// The schema in a description, as text; a schema for any object if there is none.
inline std::string schema_member(const Json& object) {
  const auto found = object.find("schema");
  const bool is_schema = found != object.end() && found->is_object();
  return is_schema ? to_text(*found) : std::string(R"({"type":"object"})");
}

}  // namespace quarry::plugins
