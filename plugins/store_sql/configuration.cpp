#include "store_sql/configuration.h"

#include <algorithm>
#include <string>

namespace quarry::store_sql {

Outcome<nlohmann::json> read_configuration(std::string_view text,
                                           std::initializer_list<std::string_view> known) {
  auto members = nlohmann::json::parse(text, nullptr, false);
  if (!members.is_object()) {
    return Failure{QUARRY_INVALID_ARGUMENT, "the configuration must be an object", {}, {}};
  }
  for (const auto& [name, value] : members.items()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string all;
    for (const auto& one : known) all += (all.empty() ? "" : ", ") + std::string(one);
    return field_failure("/" + name, "is not known; known here: provider, " + all);
  }
  return members;
}

}  // namespace quarry::store_sql
