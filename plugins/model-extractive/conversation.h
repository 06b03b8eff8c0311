#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::extractive {

/// What one tool call of this question gave back.
struct ToolOutcome {
  std::string name;       ///< of the tool
  std::string arguments;  ///< JSON object
  std::string text;
  bool failed = false;
};

/// A chat request as the answerer sees it: the question, and what has been looked up since.
struct Conversation {
  std::string question;
  bool tools_allowed = true;
  std::vector<ToolOutcome> outcomes;  ///< in order of the calls

  [[nodiscard]] bool has_called(const std::string& tool) const;
};

/// Reads a chat request (quarry/model.h). Members of another shape than expected are passed over.
Conversation read_conversation(const nlohmann::json& chat_request);

}  // namespace quarry::extractive
