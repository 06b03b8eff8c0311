#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::cli {

/// What a line in a chat asks for; kQuestion for a line that does not begin with '/'.
enum class ChatCommand : std::uint8_t {
  kQuestion,
  kResources,
  kUse,
  kAdd,
  kModel,
  kThreads,
  kContinue,
  kRetry,
  kEditor,
  kCopy,
  kCost,
  kSave,
  kNew,
  kHelp,
  kQuit,
  kUnknown,
};

struct ChatCommandRow {
  std::string_view name;      ///< "/add"
  std::string_view argument;  ///< for the help; empty if it takes none
  std::string_view help;
  ChatCommand command;
};

[[nodiscard]] std::span<const ChatCommandRow> chat_commands();

/// A line as command and argument; the argument of a question is the whole line, trimmed.
struct ChatLine {
  ChatCommand command;
  std::string argument;
};
[[nodiscard]] ChatLine parse_chat_line(std::string_view line);

/// The names after '@' in `question` that are of `resources`, in the order of the question, each
/// once, as they are written there. Compared without regard to case.
[[nodiscard]] std::vector<std::string> mentioned_resources(
    std::string_view question, const std::vector<std::string>& resources);

/// The completions of `word`, the last of `line`: commands at its begin, names after '@' and of
/// resources after "/use".
[[nodiscard]] std::vector<std::string> chat_completions(std::string_view line,
                                                        std::string_view word,
                                                        const std::vector<std::string>& resources);

}  // namespace quarry::cli
