#pragma once

#include "mcp_server/json.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::transport_mcp {

/// One tool, as its callers see it.
struct Tool {
  std::string_view name;
  std::string_view right;                       // required to see and call it
  std::shared_ptr<const mcp::Json> definition;  // its element of tools/list
  std::string text;                             // the same in one line
};

/// The tools of this server, in the order in which they are listed.
[[nodiscard]] const std::vector<Tool>& tools();
[[nodiscard]] const Tool* find_tool(std::string_view name);

/// Validates the arguments of a tool by the part of JSON Schema that our schemas use. The error is
/// a sentence that names the argument. Arguments that the schema does not name are allowed.
[[nodiscard]] std::optional<std::string> mistake_in(const mcp::Json& arguments,
                                                    const mcp::Json& input_schema);

}  // namespace quarry::transport_mcp
