#pragma once

#include "base/error.h"
#include "cli/mcp/mcp_clients.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace quarry::cli {

/// The text of a client's configuration file with `server` entered; unchanged if already present.
/// Preserves everything else. `file` appears in errors: kInvalidArgument with file:line:column if
/// the text cannot be parsed, kUnsupported if it cannot be changed safely.
Result<std::string> with_server(const McpClient& client, const McpServer& server, std::string text,
                                const std::filesystem::path& file);

}  // namespace quarry::cli
