#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace quarry::ask {

class ToolNames;

/// Divides the text of a step, as it arrives, into the answer, reasoning that the model's server
/// left in it, and the markup of tool calls. Markup in code is part of the answer.
///
/// Reasoning is between <think> and </think> (or their likes) before the answer. Some servers send
/// only the end of it: a text that begins as a monologue is therefore held back until that end or
/// the first citation. From the first markup of a call on, everything is held for the end of the
/// step (text_calls.h). Marks around an answer, such as <answer> and <|im_end|>, are left out.
class StepText {
 public:
  /// Receives a part of the answer or of the reasoning.
  using Give = std::function<void(bool is_reasoning, std::string_view text)>;

  /// `tools`: null = calls whose only markup is the name of a tool are not known; must outlive
  /// this.
  explicit StepText(const ToolNames* tools = nullptr) : tools_(tools) {}

  void add(std::string_view delta, const Give& give);
  /// The server separates reasoning itself, so that none is expected in the text.
  void has_separate_reasoning() { expects_monologue_ = false; }
  /// Gives what is held back, except for calls.
  void finish(const Give& give);
  /// The text from the first markup of a call on; empty if there is none.
  [[nodiscard]] const std::string& calls() const { return calls_; }

 private:
  enum class State { kBeginning, kReasoning, kMonologue, kAnswer, kCalls };

  /// Processes the pending text in the current state; true if the state has changed.
  bool process(const Give& give);
  bool begin();
  /// Begins a thought after `size` bytes of the pending text. `end`: empty = a tag of a thought.
  bool begin_thought(std::size_t size, std::string_view end);
  /// The end of the thought in `text`; `at` is npos if there is none.
  struct End {
    std::size_t at = 0;
    std::size_t size = 0;
    std::size_t partial = 0;  ///< where it may begin that is not complete
  };
  End find_end(std::string_view text);
  bool reason(const Give& give);
  bool follow_monologue(const Give& give);
  bool answer(const Give& give);
  /// Gives a thought in tags at position `at` of the pending text, which is in an answer, and what
  /// is before it. False if it has no end yet.
  bool give_thought(std::size_t at, std::size_t tag, const Give& give);
  /// Holds everything from position `at` of the pending text on, for calls().
  bool hold(std::size_t at, const Give& give);
  /// Gives the first `size` bytes of the pending text.
  void give_pending(bool is_reasoning, std::size_t size, const Give& give);

  const ToolNames* const tools_;
  State state_ = State::kBeginning;
  std::string pending_;
  std::string calls_;
  std::string_view end_of_reasoning_;  ///< in lower case; empty = a tag of a thought
  std::size_t nested_ = 0;             ///< thoughts that began within this one
  std::size_t searched_ = 0;           ///< in `pending_`, of a monologue
  bool expects_monologue_ = true;
  bool after_mark_ = false;  ///< of reasoning, or of an answer: blanks do not belong to the text
  bool line_begins_ = true;  ///< only blanks since the last line end
  bool in_block_ = false;    ///< of code
  bool in_code_ = false;     ///< within a line
};

}  // namespace quarry::ask
