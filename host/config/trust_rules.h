#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "config/document.h"

#include <filesystem>
#include <string>
#include <vector>

namespace quarry::config {

/// The schema of quarry.toml with the members that every resource has.
const Json& whole_schema();

/// A value that only a trusted file may set.
struct TrustedKey {
  std::string
      name;  ///< dotted, as in "model.api_key"; resources by name, as in "resource.kit.token"
  Place place;
  std::string value;  ///< TOML on one line, as a reference where it is a secret
  std::string why;    ///< where the key itself is open to every file: the cause; else empty
};

/// The values of a project file that it may not set unless it is trusted, in order of their places.
/// `below` is what holds without the file, `directory` the file's own. A key without a rule in the
/// schema, and one that the schema does not know, is for trusted files.
std::vector<TrustedKey> keys_for_trust(const Document& document, const Json& below,
                                       const std::filesystem::path& directory);

/// The refusal of `file`, which lists the keys with their places and the command that trusts it.
/// `changed` = it was trusted with another content.
Error not_trusted(const std::filesystem::path& file, const std::vector<TrustedKey>& keys,
                  bool changed);

}  // namespace quarry::config
