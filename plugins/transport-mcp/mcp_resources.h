#pragma once

#include "mcp_server/call.h"
#include "mcp_server/json.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::transport_mcp {

/// The fields that identify a resource, by its type: those that the type requires.
using SourceFields = std::map<std::string, std::vector<std::string>>;

/// `schemas`: the value of the engine's method of this name; types that it lacks have no fields.
[[nodiscard]] SourceFields source_fields(const mcp::Json& schemas);

/// One page of the engine's {"resources": […]} as resources of MCP: "quarry://resources/<name>".
/// `cursor` is that of the previous page, or empty.
[[nodiscard]] mcp::Answer page_of_resources(std::string_view listed, std::string_view cursor,
                                            const SourceFields& fields);

/// The contents of one of them: its configuration, as JSON.
[[nodiscard]] mcp::Answer contents_of_resource(std::string_view listed, std::string_view uri,
                                               mcp::Era era);

}  // namespace quarry::transport_mcp
