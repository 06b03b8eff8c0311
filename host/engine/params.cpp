#include "engine/params.h"

#include <nlohmann/json.hpp>

namespace quarry::engine {

Schema compiled(std::string_view text) {
  return *Schema::compile(*parse_json(text));
}

Result<Json> read_params(std::string_view params, const Schema& schema, std::string_view what,
                         std::string_view tag) {
  auto value = parse_json(params);
  if (!value) {
    return std::move(value).error().in("the body").tagged("RequestError");
  }
  auto mistakes = schema.check(*value, Schema::Unknown::kIgnore);
  if (!mistakes.empty()) return invalid(what, tag, std::move(mistakes));
  return std::move(*value);
}

const Json* given(const Json& value, const char* member) {
  const auto found = value.find(member);
  return found == value.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace quarry::engine
