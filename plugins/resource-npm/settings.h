#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// [resource_type.npm]
struct Settings {
  std::string registry;  ///< ends with "/"; empty = that of .npmrc, else the public one
  bool npmrc = true;     ///< whether the user's .npmrc counts

  /// QUARRY_INVALID_ARGUMENT names the member that is wrong.
  static Outcome<Settings> read(std::string_view configuration);
};

}  // namespace quarry::resource_npm
