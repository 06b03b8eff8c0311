// Arguments as models write them: coercion leaves a value that it changes no second time, and never
// makes a valid value invalid.

#include "base/schema.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

namespace {

const quarry::Schema& schema() {
  static const quarry::Schema made = quarry::compiled_schema(R"json({
    "type": "object", "required": ["a"],
    "properties": {
      "a": {"type": "string", "minLength": 1},
      "b": {"type": ["integer", "null"], "minimum": 1},
      "c": {"type": ["boolean", "null"]},
      "d": {"type": ["array", "null"], "items": {"type": "string", "minLength": 1}},
      "e": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
      "f": {"type": "object", "properties": {"b": {"type": "integer"}}},
      "g": {"type": "object", "additionalProperties": {"type": "boolean"}}
    }
  })json");
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto value = quarry::parse_json(text);
  if (!value) return 0;
  const auto valid = [](const quarry::Json& one) {
    return schema().check(one, quarry::Schema::Unknown::kIgnore).empty();
  };
  const bool before = valid(*value);
  schema().coerce(*value);
  if (before && !valid(*value)) std::abort();
  const quarry::Json once = *value;
  schema().coerce(*value);
  if (valid(once) && *value != once) std::abort();
  return 0;
}
