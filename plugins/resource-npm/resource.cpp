#include "resource-npm/resource.h"

#include "resource-npm/package_name.h"
#include "resource-npm/url.h"

#include <quarry/percent.hpp>

#include <array>

#include <nlohmann/json.hpp>

namespace quarry::resource_npm {
namespace {

using Json = nlohmann::json;

constexpr const char* kLatest = "latest";

/// The string under `key`, empty when it is missing or null.
std::string text_of(const Json& resource, const char* key) {
  const auto found = resource.find(key);
  return found != resource.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Failure wrong_package(const std::string& name, const std::string& reason) {
  return field_failure("/package",
                       "is \"" + name + "\", which is no name of an npm package: " + reason,
                       "Write it as in package.json, such as \"react\" or \"@types/node\".");
}

Failure wrong_version(const std::string& version) {
  return field_failure(
      "/version",
      "is \"" + version + "\", which is neither a version nor a range nor a dist-tag of npm",
      "Write such as \"18.2.0\", \"^18.2\", \">=1 <3\" or \"next\"; the default is \"latest\".");
}

Failure wrong_registry() {
  return field_failure("/registry",
                       "is no URL of a registry: it must be https, without a user or a query",
                       "Write such as \"https://npm.example.com/\".");
}

std::string resource_text(std::string_view package, std::string_view version) {
  Json resource{{"package", package}, {"name", package}};
  if (!version.empty()) resource["version"] = version;
  const Json said{{"resource", std::move(resource)}, {"confidence", 100}};
  return said.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "npm/%40scope/name@1.0?…#…" (the package-url specification); "null" for another type.
std::string of_package_url(std::string_view text) {
  constexpr std::string_view kType = "npm/";
  while (text.starts_with('/')) text.remove_prefix(1);
  if (!text.starts_with(kType)) return "null";
  text = text.substr(kType.size(), text.find_first_of("?#") - kType.size());
  const auto at = std::min(text.find('@', 1), text.size());
  const auto package = from_percent_encoded(text.substr(0, at));
  const auto version = from_percent_encoded(text.substr(std::min(at + 1, text.size())));
  return package && version ? resource_text(*package, *version) : "null";
}

/// The part after the host of an npmjs.com package page's URL, nullopt for other URLs.
std::optional<std::string_view> after_npmjs(std::string_view reference) {
  constexpr std::array<std::string_view, 3> kSchemes = {"https://", "http://", ""};
  constexpr std::array<std::string_view, 4> kHosts = {
      "www.npmjs.com/package/", "npmjs.com/package/", "www.npmjs.org/package/",
      "npmjs.org/package/"};
  for (const std::string_view scheme : kSchemes) {
    if (!reference.starts_with(scheme)) continue;
    for (const std::string_view host : kHosts) {
      const std::string_view rest = reference.substr(scheme.size());
      if (rest.starts_with(host)) return rest.substr(host.size());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> registry_url(std::string_view text) {
  auto url = plain_url(text);
  if (!url) return std::nullopt;
  if (!url->path.ends_with('/')) url->path += '/';
  return url->text();
}

Outcome<std::string> normalise(std::string_view text) {
  Json resource = Json::parse(text, nullptr, false);
  if (!resource.is_object()) {
    return Failure{QUARRY_INVALID_ARGUMENT, "the resource must be an object", {}, {}};
  }
  const std::string name = text_of(resource, "package");
  if (const std::string reason = reason_against_name(name); !reason.empty()) {
    return wrong_package(name, reason);
  }
  std::string version = text_of(resource, "version");
  if (version.empty()) version = kLatest;
  const auto wanted = Wanted::parse(version);
  if (!wanted) return wrong_version(version);
  resource["version"] = wanted->text;
  if (const std::string registry = text_of(resource, "registry"); !registry.empty()) {
    const auto url = registry_url(registry);
    if (!url) return wrong_registry();
    resource["registry"] = *url;
  }
  return resource.dump();
}

Outcome<Resource> Resource::read(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Failure{QUARRY_INTERNAL, "the resource is no object", {}, {}};
  // The host passes on a resource of its configuration unchanged.
  const std::string name = text_of(json, "package");
  if (const std::string reason = reason_against_name(name); !reason.empty()) {
    return wrong_package(name, reason);
  }
  const std::string version = text_of(json, "version");
  auto wanted = Wanted::parse(version.empty() ? kLatest : version);
  if (!wanted) return wrong_version(version);
  return Resource{name, std::move(*wanted), text_of(json, "registry"), text_of(json, "token")};
}

std::string parse_reference(std::string_view reference) {
  constexpr std::string_view kPrefix = "npm:";
  if (reference.starts_with(kPrefix)) {
    reference.remove_prefix(kPrefix.size());
    const auto at = reference.find('@', 1);  // a leading one belongs to a scope
    if (reference.empty() || at == reference.npos) return resource_text(reference, {});
    return resource_text(reference.substr(0, at), reference.substr(at + 1));
  }
  if (reference.starts_with("pkg:")) return of_package_url(reference.substr(4));
  const auto behind = after_npmjs(reference);
  if (!behind) return "null";
  const std::string_view encoded = behind->substr(0, behind->find_first_of("?#"));
  std::string path = from_percent_encoded(encoded).value_or(std::string(encoded));
  while (path.ends_with('/')) path.pop_back();
  const auto v = path.find("/v/");
  return resource_text(std::string_view(path).substr(0, v),
                       v == path.npos ? std::string_view() : std::string_view(path).substr(v + 3));
}

}  // namespace quarry::resource_npm
