#pragma once

#include <quarry/host.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::store_postgresql {

/// The configuration of the store "postgresql".
struct Settings {
  /// The name of the secret that contains the URL, or the URL itself.
  std::string url;
  std::size_t connections = 8;  ///< open at once, at most

  /// True if `url` is the name of a secret.
  [[nodiscard]] bool is_secret() const;
  static Outcome<Settings> read(std::string_view configuration);
};

/// The password in a URL of PostgreSQL; empty if there is none. QUARRY_INVALID_ARGUMENT if it is
/// not such a URL; the message does not quote it.
Outcome<std::string> password_in(const std::string& url);

}  // namespace quarry::store_postgresql
