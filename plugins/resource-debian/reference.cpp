// References: texts and URLs that name a source package of Debian.
#include "resource-debian/version.h"
#include "resource-debian/wanted.h"

#include <quarry/json.hpp>
#include <quarry/percent.hpp>

#include <array>

namespace quarry::resource_debian {
namespace {

struct Named {
  std::string package;
  std::string version;
  std::string suite;
  std::string mirror;
};

std::string as_reference(const Named& named) {
  if (!is_package_name(named.package) || (!named.version.empty() && !is_version(named.version)) ||
      (!named.suite.empty() && !is_suite_name(named.suite))) {
    return "null";
  }
  std::string out = "{\"resource\":{\"name\":" + quarry::json::quoted(named.package) +
                    ",\"package\":" + quarry::json::quoted(named.package);
  const auto add = [&](std::string_view key, const std::string& value) {
    if (value.empty()) return;
    out += ",\"" + std::string(key) + "\":" + quarry::json::quoted(value);
  };
  add("version", named.version);
  add("suite", named.suite);
  add("mirror", named.mirror);
  return out + "},\"confidence\":100}";
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view until(std::string_view text, std::string_view marks) {
  return text.substr(0, text.find_first_of(marks));
}

// "curl", "curl@7.88.1-10", "curl/bookworm", "curl@7.88.1-10/bookworm", "curl=7.88.1-10".
Named of_short_form(std::string_view text) {
  Named out;
  out.package = until(text, "@=/");
  text.remove_prefix(out.package.size());
  if (!text.empty() && text.front() != '/') {
    out.version = until(text.substr(1), "/");
    text.remove_prefix(out.version.size() + 1);
    if (out.version.empty()) out.package.clear();  // "curl@" names no version
  }
  if (text.empty()) return out;
  out.suite = text.substr(1);
  if (out.suite.empty()) out.package.clear();  // nor does "curl/" name a suite
  return out;
}

// The suite of the release that a Package URL names, as in distro=debian-12.
std::string suite_of_distro(std::string_view distro) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReleases{
      {{"10", "buster"},
       {"11", "bullseye"},
       {"12", "bookworm"},
       {"13", "trixie"},
       {"14", "forky"},
       {"sid", "sid"}}};
  std::string_view number = distro;
  take_prefix(number, "debian-");
  for (const auto& [release, suite] : kReleases) {
    if (until(number, ".") == release) return std::string(suite);
  }
  return std::string(number);
}

// "pkg:deb/debian/curl@7.88.1-10?distro=bookworm" (the Package URL specification).
Named of_package_url(std::string_view text) {
  const std::string_view main = until(text, "?#");
  const std::size_t at = main.rfind('@');
  Named out{quarry::from_percent_encoded(main.substr(0, at)).value_or(""), {}, {}, {}};
  if (at != std::string_view::npos) {
    const auto version = quarry::from_percent_encoded(main.substr(at + 1));
    if (!version || version->empty()) return {};
    out.version = *version;
  }
  text.remove_prefix(main.size());
  for (const std::string_view qualifier : words(until(text, "#"), "?&")) {
    const std::string value =
        quarry::from_percent_encoded(
            qualifier.substr(std::min(qualifier.find('=') + 1, qualifier.size())))
            .value_or("");
    if (qualifier.starts_with("distro=")) out.suite = suite_of_distro(value);
    if (qualifier.starts_with("repository_url=")) out.mirror = value;
  }
  return out;
}

// The parts of a URL's path, decoded, without a query or a fragment.
std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> out;
  for (const std::string_view part : words(until(path, "?#"), "/")) {
    out.push_back(quarry::from_percent_encoded(part).value_or(""));
  }
  return out;
}

bool is_number_first(const std::string& text) {
  return !text.empty() && is_digit(text.front());
}

// https://sources.debian.org/src/curl/7.88.1-10/lib/url.c; a suite may stand for the version.
Named of_sources(const std::vector<std::string>& parts) {
  if (parts.size() < 2 || (parts[0] != "src" && parts[0] != "patches")) return {};
  Named out{parts[1], {}, {}, {}};
  if (parts.size() < 3 || parts[2] == "latest") return out;
  (is_number_first(parts[2]) ? out.version : out.suite) = parts[2];
  return out;
}

// https://tracker.debian.org/pkg/curl, and /curl.
Named of_tracker(const std::vector<std::string>& parts) {
  if (parts.size() == 2 && parts[0] == "pkg") return {parts[1], {}, {}, {}};
  return {};
}

// https://packages.debian.org/bookworm/curl, /source/bookworm/curl, and /curl.
Named of_packages(std::vector<std::string> parts) {
  if (!parts.empty() && parts[0] == "source") parts.erase(parts.begin());
  if (parts.size() == 1) {
    std::string_view name = parts[0];
    take_prefix(name, "src:");
    return {std::string(name), {}, {}, {}};
  }
  if (parts.size() >= 2 && parts.size() <= 3) return {parts[1], {}, parts[0], {}};
  return {};
}

}  // namespace

std::string read_reference(std::string_view text) {
  text = trimmed(text);
  if (take_prefix(text, "debian:")) return as_reference(of_short_form(text));
  if (take_prefix(text, "pkg:deb/debian/")) return as_reference(of_package_url(text));
  if (!take_prefix(text, "https://") && !take_prefix(text, "http://")) return "null";
  const std::string host = lower(until(text, "/?#"));
  const auto parts = path_parts(text.substr(host.size()));
  if (host == "sources.debian.org") return as_reference(of_sources(parts));
  if (host == "tracker.debian.org") return as_reference(of_tracker(parts));
  if (host == "packages.debian.org") return as_reference(of_packages(parts));
  return "null";
}

}  // namespace quarry::resource_debian
