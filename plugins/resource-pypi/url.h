/// URLs: parts of an absolute one, and references relative to it (RFC 3986, section 5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_pypi {

struct Url {
  std::string scheme;     ///< in lower case
  std::string authority;  ///< user and port included, host in lower case
  std::string path;       ///< begins with '/'
  std::string query;      ///< with its '?', or empty
  std::string fragment;   ///< without its '#'

  /// Reads an absolute http or https URL; nullopt when it is none.
  static std::optional<Url> parse(std::string_view text);
  /// The URL that `reference` means on a page of this URL; nullopt when it is not http or https.
  [[nodiscard]] std::optional<Url> resolve(std::string_view reference) const;

  /// The URL without its fragment.
  [[nodiscard]] std::string text() const { return origin() + path + query; }
  /// "https://host:port", without the scheme's own port.
  [[nodiscard]] std::string origin() const { return scheme + "://" + authority; }
  [[nodiscard]] bool has_user() const { return authority.find('@') != std::string::npos; }
  /// The host without port; an IPv6 address without its brackets.
  [[nodiscard]] std::string host() const;
  /// The last part of the path, percent-decoded.
  [[nodiscard]] std::string last_part() const;
};

}  // namespace quarry::resource_pypi
