#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::package_source {

/// An absolute http or https URL in canonical form (RFC 3986), without a user.
struct Url {
  std::string scheme;    ///< lower case
  std::string host;      ///< lower case; IPv6 in brackets
  std::string port;      ///< empty for the scheme's own
  std::string path;      ///< begins with '/', without "." and ".."
  std::string query;     ///< with its '?', or empty
  std::string fragment;  ///< without its '#'

  /// nullopt for any other text: `why` then says what is wrong, as in "has no valid host".
  static std::optional<Url> parse(std::string_view text, std::string* why = nullptr);
  /// The URL that `reference` means on a page of this URL; nullopt when it is none.
  [[nodiscard]] std::optional<Url> resolve(std::string_view reference) const;

  /// Without the fragment.
  [[nodiscard]] std::string text() const { return origin() + path + query; }
  [[nodiscard]] std::string origin() const { return scheme + "://" + authority(); }
  [[nodiscard]] std::string authority() const { return host + (port.empty() ? "" : ":" + port); }
  /// The host, IPv6 without its brackets.
  [[nodiscard]] std::string plain_host() const;
  /// The last component of the path, decoded.
  [[nodiscard]] std::string file_name() const;
};

}  // namespace quarry::package_source
