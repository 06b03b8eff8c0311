#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

inline constexpr const char* kPublicRegistry = "https://registry.npmjs.org/";

/// [resource_type.npm]
struct Settings {
  std::string registry = {};  ///< ends with "/"; empty = that of .npmrc, else the public one
  bool npmrc = true;          ///< true = use the user's .npmrc
  /// Registries that projects may name, each ending with "/": as configured, else the one above or
  /// the public one. The first is their default.
  std::vector<std::string> registries = {kPublicRegistry};
  /// True if it acts for callers with tokens (<quarry/resource.h>): .npmrc is then ignored.
  bool for_projects = false;

  /// QUARRY_INVALID_ARGUMENT names the invalid member.
  static Outcome<Settings> read(std::string_view configuration);
};

}  // namespace quarry::resource_npm
