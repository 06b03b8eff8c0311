#pragma once

#include "mcp_server/json.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::transport_mcp {

/// What one tool looks like to its callers.
struct Tool {
  std::string_view name;
  std::string_view right;                       // that a token needs to see and call it
  std::shared_ptr<const mcp::Json> definition;  // as tools/list shows it
  std::string text;                             // the same in one line
};

/// The tools of this server, in the order in which they are listed.
[[nodiscard]] const std::vector<Tool>& tools();
[[nodiscard]] const Tool* find_tool(std::string_view name);

/// What is wrong with the arguments of a tool, as a sentence that names the argument: by the part
/// of JSON Schema that our own schemas use. What they do not name is let through.
[[nodiscard]] std::optional<std::string> mistake_in(const mcp::Json& arguments,
                                                    const mcp::Json& input_schema);

}  // namespace quarry::transport_mcp
