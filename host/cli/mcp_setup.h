#pragma once

#include "base/error.h"
#include "cli/mcp_clients.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace quarry::cli {

/// The text of a client's configuration file, once `server` stands in it; the same when it does
/// already. Everything else stays as it is written. `file` appears in errors: kInvalidArgument with
/// file:line:column when the text cannot be read, kUnsupported when it cannot be changed safely.
Result<std::string> with_server(const McpClient& client, const McpServer& server, std::string text,
                                const std::filesystem::path& file);

}  // namespace quarry::cli
