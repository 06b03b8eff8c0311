#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// An http or https URL that a registry may have.
struct Url {
  std::string scheme;     ///< "http" or "https"
  std::string authority;  ///< host in lower case, and the port unless it is the scheme's default
  std::string path;       ///< begins with "/"; query and fragment are refused

  /// nullopt for any other URL, and for one with a user, "." or ".." parts, or white space.
  static std::optional<Url> parse(std::string_view text);
  [[nodiscard]] std::string text() const { return scheme + "://" + authority + path; }
  /// The host without port and brackets.
  [[nodiscard]] std::string_view host() const;
};

}  // namespace quarry::resource_npm
