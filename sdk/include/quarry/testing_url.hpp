/// URLs of requests and redirects, for the HTTP service of the test kit.
#ifndef QUARRY_TESTING_URL_HPP
#define QUARRY_TESTING_URL_HPP

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::testing::detail {

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

/// `path` without "." and ".." components (RFC 3986, 5.2.4); begins with '/'.
inline std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  bool folder = false;  // the path ends in one
  while (!path.empty()) {
    path.remove_prefix(1);  // a '/'
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    folder = part == "." || part == "..";
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!folder) parts.push_back(part);
  }
  std::string out;
  for (const std::string_view part : parts) out += "/" + std::string(part);
  return folder || out.empty() ? out + "/" : out;
}

/// A URL with a host.
struct Url {
  std::string scheme;  ///< lower case
  std::string host;    ///< lower case, without the brackets of IPv6 and without a final dot
  std::string port;    ///< of the scheme, if the URL has none
  std::string authority;
  std::string path;   ///< begins with '/'
  std::string query;  ///< with the '?'; empty if there is none
  bool has_user = false;

  /// nullopt for a text that is no URL with a host. A fragment is dropped.
  static std::optional<Url> parse(std::string_view text) {
    const auto end = text.find("://");
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    for (const char c : text) {
      if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f') return std::nullopt;
    }
    Url url;
    url.scheme = lower(text.substr(0, end));
    text = text.substr(end + 3);
    text = text.substr(0, text.find('#'));
    const std::string_view authority = text.substr(0, text.find_first_of("/?"));
    text.remove_prefix(authority.size());
    const auto query = text.find('?');
    url.path = without_dots(text.substr(0, query));
    if (query != std::string_view::npos) url.query = text.substr(query);
    if (!url.read_authority(authority)) return std::nullopt;
    return url;
  }

  /// The URL that `reference`, in a document at this one, means (RFC 3986, 5.2).
  [[nodiscard]] std::optional<Url> resolve(std::string_view reference) const {
    const std::string site = scheme + "://" + authority;
    if (reference.find("://") < reference.find_first_of("/?#")) return parse(reference);
    if (reference.substr(0, 2) == "//") return parse(scheme + ":" + std::string(reference));
    if (reference.substr(0, 1) == "/") return parse(site + std::string(reference));
    if (reference.empty() || reference.front() == '#') return *this;
    if (reference.front() == '?') return parse(site + path + std::string(reference));
    return parse(site + path.substr(0, path.rfind('/') + 1) + std::string(reference));
  }

  /// "https://host:port", for messages and for comparing.
  [[nodiscard]] std::string origin() const {
    const bool literal = host.find(':') != std::string::npos;
    return scheme + "://" + (literal ? "[" + host + "]" : host) + ":" + port;
  }
  [[nodiscard]] std::string text() const { return scheme + "://" + authority + path + query; }

 private:
  [[nodiscard]] bool read_authority(std::string_view given) {
    authority = given;
    if (const auto user = given.rfind('@'); user != std::string_view::npos) {
      has_user = true;
      given.remove_prefix(user + 1);
    }
    port = scheme == "https" ? "443" : scheme == "ssh" ? "22" : "80";
    const auto bracket = given.rfind(']');
    const auto colon = given.rfind(':');
    const bool ported =
        colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    if (ported) {
      if (colon + 1 < given.size()) port = given.substr(colon + 1);
      given = given.substr(0, colon);
    }
    if (bracket != std::string_view::npos) given = given.substr(1, bracket - 1);
    host = lower(given);
    if (!host.empty() && host.back() == '.') host.pop_back();
    return !host.empty() && port.find_first_not_of("0123456789") == std::string::npos;
  }
};

/// True if the pattern of a manifest, "a.example", "*.a.example" or "*", means `host`.
inline bool host_matches(std::string_view pattern, const std::string& host) {
  if (pattern == "*") return true;
  std::string wanted = lower(pattern);
  if (!wanted.empty() && wanted.back() == '.') wanted.pop_back();
  if (wanted.substr(0, 2) != "*.") return host == wanted;
  const std::string_view end = std::string_view(wanted).substr(1);
  return host.size() > end.size() && std::string_view(host).substr(host.size() - end.size()) == end;
}

}  // namespace quarry::testing::detail

#endif
