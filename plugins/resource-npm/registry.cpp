#include "resource-npm/registry.h"

#include "package_source/address.h"
#include "resource-npm/package_name.h"

#include <quarry/secrets.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace quarry::resource_npm {
namespace {

constexpr std::string_view kPublicAuthority = "registry.npmjs.org";
constexpr std::streamsize kMostNpmrc = 1 << 20;

/// True for a private address, the only place where plain http is safe: elsewhere it may be read
/// and changed in transit.
Outcome<bool> is_private_host(const Host& host, const Call& call, const Url& url) {
  if (package_source::is_private_address(url.plain_host())) return true;
  const auto way = permit(host, call, url.text());
  if (!way) return way.failure();
  return !way->proxied && !way->addresses.empty() &&
         std::ranges::all_of(way->addresses, package_source::is_private_address);
}

Failure not_by_http(const Url& url) {
  return {
      QUARRY_INVALID_ARGUMENT,
      url.scheme + "://" + url.authority() + " is no private address, and http is not safe there",
      "Give the registry's https URL.",
      {}};
}

std::string joined(const std::vector<std::string>& urls) {
  std::string out;
  for (const std::string& url : urls) out += (out.empty() ? "" : ", ") + url;
  return out;
}

}  // namespace

Npmrc read_npmrc(const Npmrc::Environment& environment) {
  auto path = environment("NPM_CONFIG_USERCONFIG");
  if (!path) path = environment("npm_config_userconfig");
  if (!path) {
    const auto home = environment("HOME");
    if (!home) return {};
    path = *home + "/.npmrc";
  }
  std::ifstream in(*path, std::ios::binary);
  std::string text(static_cast<std::size_t>(kMostNpmrc), '\0');
  in.read(text.data(), kMostNpmrc);
  text.resize(static_cast<std::size_t>(in.gcount()));
  return {text, environment};
}

Outcome<Registry> Registry::choose_for_project(const Resource& resource, const Settings& settings) {
  const auto& permitted = settings.registries;
  const auto said = registry_url(resource.registry.empty() ? permitted.front() : resource.registry);
  if (!said) return field_failure("/registry", "is no URL of a registry");
  if (std::ranges::find(permitted, *said) == permitted.end()) {
    return field_failure("/registry", "is none of the registries that this server permits",
                         "There are: " + joined(permitted) +
                             ". Its owner permits others by registries in [resource_type.npm].");
  }
  return Registry(*plain_url(*said), resource.token, {}, "projects\n");
}

Outcome<Registry> Registry::choose(const Resource& resource, const Settings& settings,
                                   Npmrc npmrc) {
  if (settings.for_projects) return choose_for_project(resource, settings);
  std::string said = resource.registry;
  if (said.empty()) said = settings.registry;
  const bool by_npmrc = said.empty();
  if (by_npmrc) said = npmrc.registry(scope_of(resource.package));
  if (said.empty()) said = kPublicRegistry;
  const auto plain = registry_url(said);
  if (!plain && by_npmrc) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   ".npmrc names \"" + said + "\" as the registry of " + resource.package +
                       ", which is no URL",
                   "Correct its registry line, or set registry for the resource.",
                   {}};
  }
  if (!plain) return field_failure("/registry", "is no URL of a registry");
  return Registry(*plain_url(*plain), resource.token, std::move(npmrc), {});
}

bool Registry::is_public() const {
  return url_.text() == kPublicRegistry;
}

std::string Registry::packument_url(std::string_view package) const {
  return url() + name_in_url(package);
}

Outcome<Url> Registry::tarball_url(std::string_view told) const {
  auto url = plain_url(told);
  if (!url) {
    return Failure{QUARRY_UNAVAILABLE,
                   "the registry " + url_.text() + " gives no usable URL of the tarball: \"" +
                       std::string(told.substr(0, 200)) + "\"",
                   "Tell the registry's operator.",
                   {}};
  }
  if (url->authority() == kPublicAuthority && url_.authority() != kPublicAuthority) {
    url->scheme = url_.scheme;
    url->host = url_.host;
    url->port = url_.port;
    url->path = url_.path + url->path.substr(1);
  }
  // Such a registry is unaware that it is reached by https.
  if (url->authority() == url_.authority()) url->scheme = url_.scheme;
  return *url;
}

Outcome<std::vector<HttpHeader>> Registry::headers(const Host& host, const Call& call,
                                                   const Url& url) const {
  if (url.scheme == "http") {
    const auto near = is_private_host(host, call, url);
    if (!near) return near.failure();
    if (!*near) return not_by_http(url);
  }
  std::vector<HttpHeader> out;
  if (!token_.empty()) {
    const bool own = url.authority() == url_.authority() && url.scheme == url_.scheme;
    if (own) out.push_back({"Authorization", "Bearer ", token_});
    return out;
  }
  if (const auto credentials = npmrc_.credentials(url)) {
    for (const std::string& secret : credentials->secrets) {
      if (!secret.empty()) hide(host, secret);
    }
    out.push_back({"Authorization", credentials->authorization, {}});
  }
  return out;
}

}  // namespace quarry::resource_npm
