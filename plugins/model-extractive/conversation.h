#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace quarry::extractive {

/// The result of one tool call of this question.
struct ToolOutcome {
  std::string name;       ///< of the tool
  std::string arguments;  ///< JSON object
  std::string text;
  bool failed = false;
};

/// The parts of a chat request that the answerer uses: the question and the results of its tool
/// calls.
struct Conversation {
  std::string question;
  bool tools_allowed = true;
  std::vector<ToolOutcome> outcomes;  ///< in order of the calls

  [[nodiscard]] bool has_called(const std::string& tool) const;
};

/// Reads a chat request (quarry/model.h). Members of an unexpected form are ignored.
Conversation read_conversation(const nlohmann::json& chat_request);

}  // namespace quarry::extractive
