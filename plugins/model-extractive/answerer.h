#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::extractive {

/// A tool the answerer wants to have called.
struct ToolCall {
  std::string name;
  std::string arguments;  ///< JSON object
};

/// One step: either calls, or the answer in paragraphs whose concatenation is the whole text.
struct Step {
  std::vector<ToolCall> calls;
  std::vector<std::string> paragraphs;
};

/// What to do next in the conversation of `chat_request` (quarry/model.h). Keeps no state: first it
/// searches, then it reads the best passages, then it quotes them with their places. An answer
/// quotes only lines that a tool has shown.
Step next_step(const nlohmann::json& chat_request);

}  // namespace quarry::extractive
