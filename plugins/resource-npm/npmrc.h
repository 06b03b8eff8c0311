#pragma once

#include "resource-npm/url.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// Credentials of an .npmrc for a registry.
struct Credentials {
  std::string authorization;         ///< value of the header
  std::vector<std::string> secrets;  ///< its secret parts, in each of their forms
};

/// The lines of an .npmrc about registries and credentials; others, such as _auth without a host,
/// are ignored.
class Npmrc {
 public:
  /// The value of a variable, nullopt when it is not set.
  using Environment = std::function<std::optional<std::string>(const std::string& name)>;

  Npmrc() = default;
  Npmrc(std::string_view text, const Environment& environment);

  /// The registry of a scope such as "@types", else the default one, as written; empty when none is
  /// named.
  [[nodiscard]] std::string registry(std::string_view scope) const;
  /// The credentials for `url`: the lines of its host with the longest path above it.
  [[nodiscard]] std::optional<Credentials> credentials(const Url& url) const;
  /// Name of an unset variable that the lines for `url` need; empty when there is none.
  [[nodiscard]] std::string missing_variable(const Url& url) const;

 private:
  [[nodiscard]] const std::string* find(const std::string& key) const;
  /// The longest "//host/path/" above `url` with credentials; empty when there is none.
  [[nodiscard]] std::string place_of(const Url& url) const;

  std::map<std::string, std::string> lines_;
};

}  // namespace quarry::resource_npm
