#pragma once

#include "ask/answer.h"
#include "ask/model.h"
#include "base/json.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// An earlier question of the same conversation, with its answer.
struct Turn {
  std::string question;
  std::string answer;
};

/// The messages so far, written as the chat request of <quarry/model.h>.
class Conversation {
 public:
  /// The system prompt is `rules` followed by `resources`; `tools` is that of QuestionServices.
  /// Rules and tools must outlive the conversation.
  Conversation(std::string_view rules, std::string resources, std::string_view tools,
               const std::vector<Turn>& history, std::string_view question);

  /// Adds the output of `author`, a candidate of the question.
  void add_step(const Step& step, const Candidate& author);
  /// Asks the model to repeat a tool call that could not be read.
  void add_correction();
  void add_result(const ToolCall& call, std::string_view text, bool failed);

  /// The request for the next step. On the last step tools are forbidden and the model is asked to
  /// answer with what it knows. Reasoning and kept items are sent only to their author.
  [[nodiscard]] std::string request(const Candidate& candidate, std::int64_t max_output_tokens,
                                    bool last) const;
  /// Approximate size of such a request in bytes.
  [[nodiscard]] std::size_t size(const Candidate& candidate) const;

  /// Replaces the oldest tool results with a note until `bytes` are free or only those of the last
  /// step remain; then removes the oldest turns of the history. False when nothing was removed.
  bool free_space(std::size_t bytes);
  /// Replaces the older half of all tool results with the note. False when at most one remains.
  bool drop_older_half();

 private:
  /// The parts of a message.
  struct Message {
    std::string_view role;
    std::string text;                  ///< as a JSON string
    std::string members = {};          ///< object with further members, or empty
    std::string private_members = {};  ///< likewise, sent only to the author
    const Candidate* author = nullptr;
    bool dropped = false;
  };
  /// Returns the freed bytes.
  static std::size_t drop(Message& message);
  /// Tool results in `messages` that have not been dropped.
  static std::vector<Message*> results(std::span<Message> messages);

  std::string_view rules_;
  std::string resources_;
  std::string_view tools_;
  std::vector<Message> messages_;
  std::size_t turns_;  ///< number of messages that belong to the history
};

/// The arguments of a call as an object; kInvalidArgument with a sentence for the model if they are
/// none. Empty text and null are an empty object.
Result<Json> parse_arguments(const ToolCall& call);

}  // namespace quarry::ask
