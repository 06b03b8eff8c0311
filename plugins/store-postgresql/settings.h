#pragma once

#include <quarry/host.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::store_postgresql {

/// The configuration of the store "postgresql".
struct Settings {
  /// The name of the secret that is the URL, or the URL itself.
  std::string url;
  std::size_t connections = 8;  ///< at most, at once

  /// Whether `url` is the name of a secret.
  [[nodiscard]] bool is_secret() const;
  static Outcome<Settings> read(std::string_view configuration);
};

/// The password that stands in a URL of PostgreSQL; empty when there is none. kInvalidArgument when
/// it is no such URL; it is not quoted then.
Outcome<std::string> password_in(const std::string& url);

}  // namespace quarry::store_postgresql
