#pragma once

#include "base/error.h"
#include "base/json.h"
#include "plugins/manifest.h"
#include "services/call_table.h"

#include <string>
#include <string_view>

namespace quarry::plugins {

/// Rights that the fields of a manifest's permissions ("field:/token") give: the secrets and hosts
/// that `object`, the configuration of an instance or the resource of a call, names there:
/// in a text, or in the texts of a list. A host is given by name, as "user@host:path" or by a URL.
/// Values of other types give nothing.
services::CallRights rights_in(const Permissions& permissions, const Json& object);

/// Fails if `answered`, which a plugin wrote, names a secret that is not in `held`, or a host that
/// is neither in `held`, nor one of the manifest's, nor named in `given`: the text that the plugin
/// was passed. It would get these rights in the calls that follow.
Status check_named(const Permissions& permissions, const services::CallRights& held,
                   std::string_view given, const Json& answered);

/// The value at a field of a manifest's permissions; null if there is none. [any thread]
const Json* value_at(const Json& object, const std::string& field);

/// The host in a URL, in "user@host:path" or alone, in lower case; empty if there is none, as in a
/// path. [any thread]
std::string host_in(std::string_view text);

}  // namespace quarry::plugins
