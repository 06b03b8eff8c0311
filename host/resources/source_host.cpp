#include "resources/source_host.h"

#include "base/url_host.h"
#include "resources/metadata.h"

#include <nlohmann/json.hpp>

namespace quarry::resources {

std::string source_host(const Json& resource) {
  const auto source = parse_json(source_of(resource));  // without notes for people
  if (source && source->is_object()) {
    for (const auto& [name, value] : source->items()) {
      if (!value.is_string()) continue;
      std::string host = host_of_url(value.get_ref<const std::string&>());
      if (!host.empty()) return host;
    }
  }
  return resource.value("type", "");
}

}  // namespace quarry::resources
