#pragma once

#include "base/json.h"
#include "plugins/manifest.h"
#include "services/call_table.h"

namespace quarry::plugins {

/// Rights that the fields of a manifest's permissions ("field:/token") give: the secrets and hosts
/// that `object`, the configuration of an instance or the resource of a call, names there:
/// in a text, or in the texts of a list. A host is given by name, as "user@host:path" or by a URL.
/// Values of other types give nothing.
services::CallRights rights_in(const Permissions& permissions, const Json& object);

/// The host in a URL, in "user@host:path" or alone, in lower case; empty if there is none, as in a
/// path. [any thread]
std::string host_in(std::string_view text);

}  // namespace quarry::plugins
