#pragma once

#include "ask/answer.h"
#include "ask/model.h"
#include "base/json.h"
#include "corpus/tools.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// `tools` as the chat request names them: a JSON array.
std::string tools_json(std::span<const corpus::ToolDescription> tools);

/// A question of the same conversation that was answered before.
struct Turn {
  std::string question;
  std::string answer;
};

/// What has been said so far, as the chat request of <quarry/model.h>.
class Conversation {
 public:
  /// The model is told the `rules`, then the `resources`; `tools` as of tools_json. Rules and tools
  /// must outlive the conversation.
  Conversation(std::string_view rules, std::string resources, std::string_view tools,
               const std::vector<Turn>& history, std::string_view question);

  /// What `author`, a candidate of the question, said.
  void add_step(const Step& step, const Candidate& author);
  void add_result(const ToolCall& call, std::string_view text, bool failed);

  /// The request for the next step. On the last one tools are forbidden and the model is told to
  /// answer with what it knows. Reasoning and what was kept goes to its author alone.
  [[nodiscard]] std::string request(const Candidate& candidate, std::int64_t max_output_tokens,
                                    bool last) const;
  /// About the bytes of such a request.
  [[nodiscard]] std::size_t size(const Candidate& candidate) const;

  /// Puts a note in place of the oldest tool results, until `bytes` are free or only those of the
  /// last step are left; then leaves out the oldest turns of the history. False when nothing went.
  bool make_room(std::size_t bytes);
  /// Puts the note in place of the older half of all tool results. False when at most one is left.
  bool drop_older_half();

 private:
  /// A message in parts.
  struct Message {
    std::string_view role;
    std::string text;               ///< as a JSON string
    std::string members = {};       ///< further ones, each after a comma
    std::string private_json = {};  ///< members for the author alone
    const Candidate* author = nullptr;
    bool dropped = false;
  };
  /// Answers the bytes that it freed.
  static std::size_t drop(Message& message);
  /// The tool results that are still there, of `messages`.
  static std::vector<Message*> results(std::span<Message> messages);

  std::string_view rules_;
  std::string resources_;
  std::string_view tools_;
  std::vector<Message> messages_;
  std::size_t turns_;  ///< messages of the history
};

/// The arguments of a call as an object; kInvalidArgument with a sentence for the model otherwise.
/// No text at all is no arguments.
Result<Json> parse_arguments(const ToolCall& call);

}  // namespace quarry::ask
