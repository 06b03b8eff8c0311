#pragma once

#include <string>

namespace quarry::ask {

/// The result of a tool: text for the model, a short title and facts for clients.
struct ToolResult {
  std::string output;    ///< UTF-8
  std::string title;     ///< such as "grep \"Result<\": 14 hits"
  std::string metadata;  ///< a JSON object such as {"total":14,"truncated":false}
};

}  // namespace quarry::ask
