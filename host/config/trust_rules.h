#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "config/document.h"
#include "config/keys.h"

#include <filesystem>
#include <string>
#include <vector>

namespace quarry::config {

/// A value that only a trusted file may set.
struct TrustedKey {
  std::string
      name;  ///< dotted, as in "model.api_key"; resources by name, as in "resource.kit.token"
  Place place;
  std::string value;  ///< TOML on one line; a secret is its reference
  std::string why;    ///< cause, if the key is open to untrusted files; else empty
};

/// The rule "untrusted" (keys.h) in the schema of a type's field: "plain", "https" or "beneath";
/// empty if it is another, or the field is a secret, which always needs trust.
std::string rule_of_field(const Json& schema);

/// Values of a project file that need trust, in order of their places. `below`: the configuration
/// without the file; `directory`: the file's own; `open_fields`: those of types, which do not
/// change the rules of members common to all resources. A key without a rule in the schema, and an
/// unknown key, needs trust.
std::vector<TrustedKey> keys_for_trust(const Document& document, const Json& below,
                                       const std::filesystem::path& directory,
                                       const OpenFields& open_fields);

/// Error for an untrusted `file`, with the keys, their places and the command that trusts it.
/// `changed` = it was trusted with another content.
Error not_trusted(const std::filesystem::path& file, const std::vector<TrustedKey>& keys,
                  bool changed);

}  // namespace quarry::config
