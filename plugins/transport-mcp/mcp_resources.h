#pragma once

#include "mcp_server/call.h"

#include <string_view>

namespace quarry::transport_mcp {

/// The engine's {"resources": […]} as resources of MCP: "quarry://resources/<name>", a page at a
/// time. `cursor` is of the page before, or empty.
[[nodiscard]] mcp::Answer page_of_resources(std::string_view listed, std::string_view cursor);

/// What reading one of them gives: how it is configured, as JSON.
[[nodiscard]] mcp::Answer contents_of_resource(std::string_view listed, std::string_view uri,
                                               mcp::Era era);

}  // namespace quarry::transport_mcp
