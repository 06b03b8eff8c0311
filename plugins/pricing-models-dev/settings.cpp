#include "pricing-models-dev/settings.h"

#include <nlohmann/json.hpp>

namespace quarry::pricing_models_dev {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostHours = 8760;

}  // namespace

Outcome<Settings> Settings::read(std::string_view configuration) {
  const Json members = Json::parse(configuration, nullptr, false);
  if (!members.is_object()) {
    return Failure{QUARRY_INVALID_ARGUMENT, "the configuration must be an object", {}, {}};
  }
  Settings out;
  for (const auto& [name, value] : members.items()) {
    if (name == "url") {
      out.url = value.is_string() ? value.get<std::string>() : std::string();
      if (!out.url.starts_with("https://") && !out.url.starts_with("http://")) {
        return field_failure("/url", "must begin with http:// or https://");
      }
    } else if (name == "refresh_hours") {
      const std::int64_t hours = value.is_number_integer() ? value.get<std::int64_t>() : -1;
      if (hours < 0 || hours > kMostHours) {
        return field_failure("/refresh_hours", "must be hours from 1 to 8760, or 0 for never");
      }
      out.refresh = std::chrono::hours(hours);
    } else {
      return field_failure("/" + name, "is not known; known here: url, refresh_hours");
    }
  }
  return out;
}

}  // namespace quarry::pricing_models_dev
