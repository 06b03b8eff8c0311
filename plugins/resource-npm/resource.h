#pragma once

#include "resource-npm/wanted.h"

#include <quarry/outcome.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace quarry::resource_npm {

/// A normalised resource, as far as it says where its files are.
struct Resource {
  std::string package;
  Wanted wanted;
  std::string registry;  ///< ends with "/"; empty = what is configured
  std::string token;     ///< name of a secret; empty = none

  static Outcome<Resource> read(std::string_view json);
};

/// The canonical resource of one that its schema has taken; "version" is there always. Failures
/// name the field.
Outcome<std::string> normalise(std::string_view resource);

/// The canonical text of a registry's URL; nothing when it can be none.
std::optional<std::string> registry_url(std::string_view text);

/// "npm:react@18", "https://www.npmjs.com/package/react/v/18.2.0" as a resource in JSON; "null"
/// when it is neither. What is wrong with its package or version is left to normalise.
std::string parse_reference(std::string_view reference);

}  // namespace quarry::resource_npm
