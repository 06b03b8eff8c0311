#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::extractive {

/// A tool call that the answerer requests.
struct ToolCall {
  std::string name;
  std::string arguments;  ///< JSON object
};

/// One step: either calls, or the answer in paragraphs whose concatenation is the full text.
struct Step {
  std::vector<ToolCall> calls;
  std::vector<std::string> paragraphs;
};

/// The next step in the conversation of `chat_request` (quarry/model.h). Stateless: first it
/// searches, then it reads the best passages, then it quotes them with citations. An answer quotes
/// only lines that a tool has returned.
Step next_step(const nlohmann::json& chat_request);

}  // namespace quarry::extractive
