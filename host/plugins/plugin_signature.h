#pragma once

#include "base/error.h"
#include "base/minisign.h"
#include "plugins/manifest.h"

#include <string>
#include <vector>

namespace quarry::plugins {

/// The signature of a plugin's manifest, which names the digest of its file. Schema files are not
/// signed.
struct PluginSignature {
  std::string key = {};      ///< the trusted key that made it; empty = none did
  std::string comment = {};  ///< the trusted comment of a valid signature
  std::string words = {};    ///< for a person who decides about the plugin
  bool overridden = false;   ///< a trusted signature was required, and is missing
};

/// Checks plugin.toml.minisig beside the manifest. Without trusted keys it need not be there and
/// cannot be verified. With some, kPermissionDenied unless one of them made it; `may_be_unsigned`
/// permits a missing signature and one of another key, but never an invalid one. [any]
Result<PluginSignature> check_signature(const Manifest& manifest,
                                        const std::vector<MinisignKey>& trusted,
                                        bool may_be_unsigned);

}  // namespace quarry::plugins
