#include "resource-debian/wanted.h"

#include "package_source/url.h"
#include "resource-debian/version.h"

#include <quarry/json.hpp>
#include <quarry/percent.hpp>

namespace quarry::resource_debian {
namespace {

constexpr std::string_view kMirror = "http://deb.debian.org/debian";
constexpr std::string_view kSecurityMirror = "http://deb.debian.org/debian-security";
constexpr std::string_view kKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

std::string without_slashes(std::string text) {
  while (!text.empty() && text.back() == '/') text.pop_back();
  return text;
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

Problem check_mirror(const Settings& settings, const std::string& mirror) {
  std::string why;
  const auto url = package_source::Url::parse(mirror, &why);
  if (url && !(url->query + url->fragment).empty()) why = "has a query or a fragment";
  if (!why.empty()) {
    return quarry::field_failure("/mirror", why,
                                 "write the address that stands in sources.list after deb-src, as "
                                 "in http://deb.debian.org/debian");
  }
  if (settings.for_project && !settings.mirrors.empty() && !contains(settings.mirrors, mirror)) {
    return quarry::field_failure("/mirror", "is not permitted here",
                                 "use one of: " + joined(settings.mirrors, ", "));
  }
  return std::nullopt;
}

Problem check_keyring(const Settings& settings, const Wanted& wanted) {
  const std::string& keyring = wanted.keyring;
  if (keyring.front() != '/' || keyring.find('\0') != std::string::npos) {
    return quarry::field_failure("/keyring", "is not an absolute path",
                                 "write it as in " + std::string(kKeyring));
  }
  if (settings.for_project && keyring != kKeyring && keyring != settings.keyring &&
      !contains(settings.keyrings, keyring)) {
    return quarry::field_failure("/keyring", "is not permitted here",
                                 "leave it out, or use a keyring that the owner of this host lists "
                                 "in resource_type.debian.keyrings");
  }
  return std::nullopt;
}

Problem check_names(const Wanted& wanted) {
  if (!is_package_name(wanted.package)) {
    return quarry::field_failure(
        "/package", "\"" + shown(wanted.package) + "\" is no name of a package",
        "names have lower-case letters, digits and + - . as in libsigc++-2.0");
  }
  if (!wanted.version.empty() && !is_version(wanted.version)) {
    return quarry::field_failure(
        "/version", "\"" + shown(wanted.version) + "\" is no version of a package",
        "write it as in 7.88.1-10+deb12u5, or leave it out for the newest");
  }
  if (!is_suite_name(wanted.suite)) {
    return quarry::field_failure("/suite", "\"" + shown(wanted.suite) + "\" is no name of a suite",
                                 "write it as in stable, bookworm, bookworm-security or sid");
  }
  for (std::size_t i = 0; i < wanted.components.size(); ++i) {
    if (is_component_name(wanted.components[i])) continue;
    return quarry::field_failure(
        "/components/" + std::to_string(i),
        "\"" + shown(wanted.components[i]) + "\" is no name of a component",
        "write it as in main, contrib or non-free-firmware");
  }
  return std::nullopt;
}

// Equal text for one address; what is no URL is refused later.
std::string canonical_mirror(const std::string& mirror) {
  const auto url = package_source::Url::parse(mirror);
  return url && url->fragment.empty() ? without_slashes(url->text()) : mirror;
}

std::string default_mirror(const Settings& settings, std::string_view suite) {
  if (!settings.mirror.empty()) return settings.mirror;
  return std::string(is_security_suite(suite) ? kSecurityMirror : kMirror);
}

}  // namespace

Settings settings_of(std::string_view configuration) {
  Settings out;
  out.mirror = without_slashes(json::string(configuration, "mirror").value_or(""));
  out.keyring = json::string(configuration, "keyring").value_or(std::string(kKeyring));
  for (const auto& mirror : json::strings(configuration, "mirrors")) {
    out.mirrors.push_back(canonical_mirror(mirror));
  }
  out.keyrings = json::strings(configuration, "keyrings");
  out.for_project = json::string(configuration, "acts_for") == "project";
  return out;
}

std::string Wanted::suite_url() const {
  return mirror + "/dists/" + quarry::to_percent_encoded(suite, "/") + "/";
}

Outcome<Wanted> wanted_of(const Settings& settings, std::string_view resource) {
  Wanted out;
  out.package = json::string(resource, "package").value_or("");
  out.version = json::string(resource, "version").value_or("");
  out.suite = without_slashes(json::string(resource, "suite").value_or("stable"));
  const auto mirror = json::string(resource, "mirror");
  out.mirror = mirror ? without_slashes(*mirror) : default_mirror(settings, out.suite);
  out.mirror = canonical_mirror(out.mirror);
  out.for_project = settings.for_project;
  out.has_mirror = mirror.has_value();
  out.has_keyring = json::string(resource, "keyring").has_value();
  if (json::string(resource, "specialNotes")) out.notes = *json::member(resource, "specialNotes");
  out.components = json::strings(resource, "components");
  out.keyring = json::string(resource, "keyring").value_or(settings.keyring);
  out.check_valid_until = json::member(resource, "checkValidUntil").value_or("true") != "false";
  if (auto wrong = check_names(out)) return *wrong;
  if (auto wrong = check_mirror(settings, out.mirror)) return *wrong;
  if (auto wrong = check_keyring(settings, out)) return *wrong;
  std::sort(out.components.begin(), out.components.end());
  out.components.erase(std::unique(out.components.begin(), out.components.end()),
                       out.components.end());
  return out;
}

std::string canonical(const Wanted& wanted) {
  std::string out = "{\"package\":" + json::quoted(wanted.package);
  if (!wanted.version.empty()) out += ",\"version\":" + json::quoted(wanted.version);
  out += ",\"suite\":" + json::quoted(wanted.suite);
  if (wanted.has_mirror) out += ",\"mirror\":" + json::quoted(wanted.mirror);
  if (!wanted.components.empty()) {
    std::vector<std::string> quoted;
    for (const auto& component : wanted.components) quoted.push_back(json::quoted(component));
    out += ",\"components\":[" + joined(quoted, ",") + "]";
  }
  if (wanted.has_keyring) out += ",\"keyring\":" + json::quoted(wanted.keyring);
  if (!wanted.check_valid_until) out += ",\"checkValidUntil\":false";
  if (!wanted.notes.empty()) out += ",\"specialNotes\":" + wanted.notes;
  return out + "}";
}

}  // namespace quarry::resource_debian
