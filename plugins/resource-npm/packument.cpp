#include "resource-npm/packument.h"

#include "resource-npm/packument_reader.h"

#include <quarry/json.hpp>

namespace quarry::resource_npm {

std::optional<Packument> Packument::read(std::string_view json) {
  PackumentReader reader;
  if (!reader.feed(json)) return std::nullopt;
  return reader.finish();
}

std::string Packument::text() const {
  std::string out =
      "{\"name\":" + json::quoted(name) + ",\"etag\":" + json::quoted(etag) + ",\"dist-tags\":{";
  const char* comma = "";
  for (const auto& [tag, version] : tags) {
    out += comma + json::quoted(tag) + ":" + json::quoted(version);
    comma = ",";
  }
  out += "},\"versions\":{";
  comma = "";
  for (const auto& [version, release] : releases) {
    out += comma + json::quoted(version) +
           ":{\"dist\":{\"tarball\":" + json::quoted(release.tarball) +
           ",\"integrity\":" + json::quoted(release.integrity) + "}";
    if (!release.deprecated.empty()) out += ",\"deprecated\":" + json::quoted(release.deprecated);
    out += "}";
    comma = ",";
  }
  return out + "}}";
}

}  // namespace quarry::resource_npm
