#pragma once

#include "ask/answer.h"
#include "ask/events.h"
#include "ask/model.h"
#include "base/json.h"
#include "corpus/tools.h"
#include "resources/library.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// The rules and the resources of a question, for the model. The same resources give the same text,
/// so that a provider's cache of the prompt holds.
std::string system_prompt(const std::vector<resources::Prepared>& prepared,
                          const std::vector<Trouble>& failed);

/// A question of the same conversation that was answered before.
struct Turn {
  std::string question;
  std::string answer;
};

/// What has been said so far, as the chat request of <quarry/model.h>.
class Conversation {
 public:
  Conversation(std::string system, std::span<const corpus::ToolDescription> tools,
               const std::vector<Turn>& history, std::string_view question);

  /// What `author`, a candidate of the question, said.
  void add_step(const Step& step, const Candidate& author);
  void add_result(const ToolCall& call, std::string_view text, bool failed);

  /// The request for the next step. On the last one tools are forbidden and the model is told to
  /// answer with what it knows. Reasoning and what was kept goes to its author alone.
  [[nodiscard]] std::string request(const Candidate& candidate, bool last) const;

 private:
  /// A message in parts.
  struct Message {
    std::string json = {};          ///< without its closing brace
    std::string private_json = {};  ///< members for the author alone
    const Candidate* author = nullptr;
  };

  std::string system_;
  std::string tools_;
  std::vector<Message> messages_;
};

/// The arguments of a call as an object; kInvalidArgument with a sentence for the model otherwise.
/// No text at all is no arguments.
Result<Json> parse_arguments(const ToolCall& call);

}  // namespace quarry::ask
