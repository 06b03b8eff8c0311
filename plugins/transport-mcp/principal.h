#pragma once

#include "mcp_server/call.h"

#include <expected>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace quarry::transport_mcp {

/// Names of the argument with the project. The second is one that no field of a resource can have
/// (quarry/resource.h), for a type that has a field with the first.
inline constexpr const char* kProject = "project";
inline constexpr const char* kReservedProject = "_project";

/// The principal for the engine: {"token", "project"?}; null for the owner. The project may be
/// named in the params, in `arguments` (may be null), in the header X-Project or in the query. With
/// `is_field`, the argument `project` is a field of a resource. The error is a sentence, if two of
/// them differ or one is not a string. Sets the project of `call`.
[[nodiscard]] std::expected<mcp::Json, std::string> principal_of(mcp::Call& call,
                                                                 const mcp::Json* arguments,
                                                                 bool is_field = false);

/// `params` with the principal added, unless that is null.
[[nodiscard]] mcp::Json with_principal(mcp::Json params, mcp::Json principal);

/// `params` with the members "traceparent" and "request" (transport.h) added, if the call has them.
/// The former is that of `_meta`, which MCP reserves for it, else that of the HTTP request.
[[nodiscard]] mcp::Json with_ids(mcp::Json params, const mcp::Call& call);

}  // namespace quarry::transport_mcp
