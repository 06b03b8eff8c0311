#pragma once

#include "resource-npm/url.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// What an .npmrc has to say to a registry.
struct Credentials {
  std::string authorization;         ///< value of the header
  std::vector<std::string> secrets;  ///< what nobody should read of it, in each of its forms
};

/// The lines of an .npmrc that say where packages are and how to show who asks for them; others,
/// as _auth without a host, are nobody's business here.
class Npmrc {
 public:
  /// The value of a variable, nothing when it is not set.
  using Environment = std::function<std::optional<std::string>(const std::string& name)>;

  Npmrc() = default;
  Npmrc(std::string_view text, const Environment& environment);

  /// The registry of a scope such as "@types", else the usual one; empty when none is named. As it
  /// is written.
  [[nodiscard]] std::string registry(std::string_view scope) const;
  /// What is meant for `url`: the lines of its host with the longest path above it.
  [[nodiscard]] std::optional<Credentials> credentials(const Url& url) const;
  /// Name of a variable that the lines for `url` need and nobody has set; empty when there is none.
  [[nodiscard]] std::string missing_variable(const Url& url) const;

 private:
  [[nodiscard]] const std::string* find(const std::string& key) const;
  /// The longest "//host/path/" above `url` that says who asks; empty when there is none.
  [[nodiscard]] std::string place_of(const Url& url) const;

  std::map<std::string, std::string> lines_;
};

}  // namespace quarry::resource_npm
