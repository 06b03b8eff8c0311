#include "resource-npm/packument.h"

#include <quarry/json.hpp>

namespace quarry::resource_npm {
namespace {

/// Calls `take(key, value)` for each member of an object; false when `json` is none, or is cut off.
template <class Take>
bool for_each_member(std::string_view json, const Take& take) {
  if (!json.starts_with('{') || !json.ends_with('}')) return false;
  quarry_json_walk walk{as_text(json), 0};
  quarry_text key{};
  quarry_text value{};
  std::string decoded;
  while (quarry_json_next(&walk, &key, &value)) {
    const std::string_view raw = as_view(key);
    if (raw.find('\\') == raw.npos) {
      take(raw, as_view(value));
      continue;
    }
    decoded = quarry::json::as_string(std::string_view(key.data - 1, key.size + 2)).value_or("");
    take(std::string_view(decoded), as_view(value));
  }
  return trimmed(json.substr(walk.at == 0 ? 1 : walk.at)) == "}";
}

std::string string_of(std::string_view value) {
  return quarry::json::as_string(value).value_or("");
}

/// A hash of the weakest kind counts only where there is no other.
std::string integrity_of(std::string_view integrity, std::string_view shasum) {
  auto known = Integrity::parse(integrity);
  if (!known) known = Integrity::of_shasum(shasum);
  return known ? known->text() : std::string();
}

void read_dist(std::string_view dist, Release& release) {
  std::string integrity, shasum;
  for_each_member(dist, [&](std::string_view key, std::string_view value) {
    if (key == "tarball") release.tarball = string_of(value);
    if (key == "integrity") integrity = string_of(value);
    if (key == "shasum") shasum = string_of(value);
  });
  release.integrity = integrity_of(integrity, shasum);
}

/// Some registries say `true`, or "" once a version is deprecated no more.
std::string deprecation_of(std::string_view value) {
  if (value == "true") return "it is deprecated";
  return string_of(value);
}

Release read_release(std::string_view manifest) {
  Release out;
  for_each_member(manifest, [&](std::string_view key, std::string_view value) {
    if (key == "dist") read_dist(value, out);
    if (key == "deprecated") out.deprecated = deprecation_of(value);
  });
  return out;
}

}  // namespace

std::optional<Packument> Packument::read(std::string_view json) {
  Packument out;
  bool has_versions = false;
  const bool whole =
      for_each_member(trimmed(json), [&](std::string_view key, std::string_view value) {
        if (key == "name") out.name = string_of(value);
        if (key == "etag") out.etag = string_of(value);
        if (key == "dist-tags") {
          for_each_member(value, [&](std::string_view tag, std::string_view version) {
            out.tags.insert_or_assign(std::string(tag), string_of(version));
          });
        }
        if (key != "versions") return;
        has_versions = for_each_member(value, [&](std::string_view version, std::string_view is) {
          out.releases.insert_or_assign(std::string(version), read_release(is));
        });
      });
  if (!whole || !has_versions) return std::nullopt;
  return out;
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

std::string readme_in(std::string_view json, std::string_view version) {
  std::string of_package, of_version;
  for_each_member(trimmed(json), [&](std::string_view key, std::string_view value) {
    if (key == "readme") of_package = string_of(value);
    if (key != "versions") return;
    const auto manifest = quarry::json::member(value, std::string(version).c_str());
    if (manifest) of_version = quarry::json::string(*manifest, "readme").value_or("");
  });
  return of_version.empty() ? of_package : of_version;
}

}  // namespace quarry::resource_npm
