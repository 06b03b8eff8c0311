#include "resource-git/location.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <cctype>
#include <optional>

namespace quarry::resource_git {
namespace {

constexpr std::string_view kWhatIsOne =
    "Give the https URL of a repository, as git clone takes it.";

Failure wrong(std::string_view why, std::string_view hint = kWhatIsOne) {
  return field_failure("/url", why, hint);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    return host.size() > 3 && host.find_first_not_of("0123456789abcdef:.", 1) == host.size() - 1;
  }
  return !host.empty() && host.front() != '-' && host.front() != '.' && host.back() != '.' &&
         std::ranges::all_of(host, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                  c == '_';
         });
}

bool is_user(std::string_view user) {
  return !user.starts_with('-') && std::ranges::all_of(user, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
  });
}

/// True without control characters and spaces, which separate lines and words for git and its
/// helpers.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '\\'; });
}

std::string tidy(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c != '/' || !out.ends_with('/')) out += c;
  }
  while (out.ends_with('/')) out.pop_back();
  return out;
}

Outcome<Location> with_authority(Location location, std::string_view text) {
  if (const auto at = text.rfind('@'); at != text.npos) {
    location.user = text.substr(0, at);
    text = text.substr(at + 1);
  }
  if (const auto colon = text.rfind(':'); colon != text.npos && !text.ends_with(']')) {
    location.port = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  location.host = lower(text);
  if (location.host.ends_with('.')) location.host.pop_back();
  if (!is_host(location.host)) return wrong("names no host");
  if (!is_digits(location.port) || location.port.size() > 5) return wrong("names no valid port");
  return location;
}

Outcome<Location> read_ssh(std::string_view authority, std::string_view path) {
  auto location = with_authority({.scheme = "ssh", .path = tidy(path)}, authority);
  if (!location) return location;
  if (!is_user(location->user)) {
    return wrong("has a password or a user that ssh does not accept",
                 "ssh finds keys itself; give only the user, as in ssh://git@host/path.");
  }
  if (location->port == "22") (*location).port.clear();
  return location;
}

Outcome<Location> read_web(std::string_view scheme, std::string_view authority,
                           std::string_view path) {
  auto location = with_authority({.scheme = std::string(scheme), .path = tidy(path)}, authority);
  if (!location) return location;
  if (!location->user.empty()) {
    return wrong("has a user or password in it",
                 "Leave them out, and set token = { env = \"…\" } on the resource.");
  }
  if (location->port == (scheme == "https" ? "443" : "80")) (*location).port.clear();
  return location;
}

/// user@host:path, where the first colon comes before any slash.
std::optional<Location> read_scp(std::string_view url) {
  const auto at = url.find('@');
  const auto colon = url.find(':');
  if (at == url.npos || colon == url.npos || at > colon || url.find('/') < colon) return {};
  Location location{
      "ssh", std::string(url.substr(0, at)), lower(url.substr(at + 1, colon - at - 1)),
      "",    tidy(url.substr(colon + 1)),    true};
  if (!is_user(location.user) || location.user.empty() || !is_host(location.host)) return {};
  if (location.path.empty() || location.path.starts_with('-')) return {};
  return location;
}

}  // namespace

Outcome<Location> parse_location(std::string_view url) {
  if (!is_plain(url)) return wrong("has a space, a backslash or a character beyond ASCII in it");
  if (const auto scp = read_scp(url)) return *scp;
  const auto colon = url.find("://");
  const std::string scheme = lower(url.substr(0, std::min(colon, url.size())));
  if (colon == url.npos) return wrong("is no URL");
  std::string_view rest = url.substr(colon + 3);
  rest = rest.substr(0, rest.find_first_of("?#"));
  const auto slash = std::min(rest.find('/'), rest.size());
  const auto authority = rest.substr(0, slash);
  if (tidy(rest.substr(slash)).empty()) return wrong("names a host, but no repository of it");
  if (scheme == "https" || scheme == "http") return read_web(scheme, authority, rest.substr(slash));
  if (scheme == "ssh") return read_ssh(authority, rest.substr(slash));
  return wrong("begins with " + scheme + "://, which is not permitted");
}

std::string authority(const Location& location) {
  return location.port.empty() ? location.host : location.host + ":" + location.port;
}

std::string to_url(const Location& location) {
  const std::string user = location.user.empty() ? "" : location.user + "@";
  if (location.scp) return user + location.host + ":" + location.path;
  return location.scheme + "://" + user + authority(location) + location.path;
}

std::string percent_decoded(std::string_view text) {
  return from_percent_encoded(text).value_or(std::string(text));
}

}  // namespace quarry::resource_git
