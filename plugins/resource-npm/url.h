#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// An http or https URL of which a registry may be made of.
struct Url {
  std::string scheme;     ///< "http" or "https"
  std::string authority;  ///< host in lower case, and the port unless it is the scheme's own
  std::string path;       ///< begins with "/"; query and fragment are refused

  /// Nothing for any other URL, and for one with a user, with "." or ".." parts, or white space.
  static std::optional<Url> parse(std::string_view text);
  [[nodiscard]] std::string text() const { return scheme + "://" + authority + path; }
  /// Without port and brackets.
  [[nodiscard]] std::string_view host() const;
};

/// Whether an address, as "10.1.2.3" or "::1", is of this machine or of a private network.
bool is_private_address(std::string_view address);

}  // namespace quarry::resource_npm
