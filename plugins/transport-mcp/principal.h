#pragma once

#include "mcp_server/call.h"

#include <expected>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace quarry::transport_mcp {

/// For whom the engine is to act: {"token", "project"?}; null for the owner. The project may be
/// named in the params, in `arguments` (may be null), in the header X-Project or in the query: a
/// sentence when two of them differ or one is no text. The audit of the call is told which it is.
[[nodiscard]] std::expected<mcp::Json, std::string> principal_of(mcp::Call& call,
                                                                 const mcp::Json* arguments);

/// `params` with that principal, unless it is null.
[[nodiscard]] mcp::Json with_principal(mcp::Json params, mcp::Json principal);

}  // namespace quarry::transport_mcp
