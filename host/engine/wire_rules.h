#pragma once

#include "base/error.h"

#include <string_view>

namespace quarry::engine {

/// Rejects params that no transport may pass on for any caller: options of a model that name a
/// secret (a variable, a file, a command) or an address, to which the owner's key would be sent.
/// Both may be set only in the configuration, which the owner edits on this machine.
/// kPermissionDenied with the fields, tag ProviderOptionsError. Invalid `params` are left to the
/// method. [any]
Status check_from_wire(std::string_view method, std::string_view params);

}  // namespace quarry::engine
