#pragma once

#include "resource-npm/wanted.h"

#include <quarry/outcome.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// The members of a normalised resource that locate its files.
struct Resource {
  std::string package;
  Wanted wanted;
  std::string registry;  ///< ends with "/"; empty = as configured
  std::string token;     ///< name of a secret; empty = none

  static Outcome<Resource> read(std::string_view json);
};

/// The canonical form of a resource that its schema accepted; always has "version". Failures name
/// the field.
Outcome<std::string> normalise(std::string_view resource);

/// The canonical text of a registry's URL; nullopt when it is not one.
std::optional<std::string> registry_url(std::string_view text);

/// "npm:react@18", "https://www.npmjs.com/package/react/v/18.2.0" as a resource in JSON; "null"
/// when it is neither. An invalid package or version is left to normalise.
std::string parse_reference(std::string_view reference);

}  // namespace quarry::resource_npm
