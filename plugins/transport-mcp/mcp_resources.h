#pragma once

#include "mcp_server/call.h"

#include <string_view>

namespace quarry::transport_mcp {

/// One page of the engine's {"resources": […]} as resources of MCP: "quarry://resources/<name>".
/// `cursor` is that of the previous page, or empty.
[[nodiscard]] mcp::Answer page_of_resources(std::string_view listed, std::string_view cursor);

/// The contents of one of them: its configuration, as JSON.
[[nodiscard]] mcp::Answer contents_of_resource(std::string_view listed, std::string_view uri,
                                               mcp::Era era);

}  // namespace quarry::transport_mcp
