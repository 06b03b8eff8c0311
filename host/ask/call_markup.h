#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::ask {

// The markup in which models write tool calls as text, in all its spellings.

/// May stand between the parts of a call.
inline constexpr std::string_view kWhiteSpace = " \t\r\n";
/// The beginning of a block of code with calls, of Gemini and Gemma.
inline constexpr std::string_view kToolCode = "```tool_code";
inline constexpr std::string_view kChannel = "<|channel|>";  ///< of gpt-oss
inline constexpr std::string_view kStart = "<|start|>";      ///< of gpt-oss

// What begins a call, or a part of one, without such markup.
inline constexpr std::string_view kBlockMark = "```";
inline constexpr std::string_view kAnalysis = "analysis";
/// Before the recipient of a call of gpt-oss, whose marks the server removed.
inline constexpr auto kRecipients =
    std::to_array<std::string_view>({"commentary to=", "assistant to=functions.", "to=functions."});
inline constexpr std::string_view kAction = "Action:";
inline constexpr std::string_view kFunctionary = ">>>";
inline constexpr std::string_view kArguments = "[ARGS]";  // of Mistral
inline constexpr std::string_view kCallId = "[CALL_ID]";  // of Mistral
inline constexpr std::string_view kGigaChat = "function call<|role_sep|>";
/// Members with the arguments of a call that is an object.
inline constexpr auto kArgumentMembers =
    std::to_array<const char*>({"arguments", "parameters", "args", "input", "params", "tool_input",
                                "action_input", "tool_args", "tool_arguments", "kwargs"});

/// The markup at the beginning of `text` that begins a call, or several; empty if there is none.
[[nodiscard]] std::string_view opener_at(std::string_view text);
/// The same for markup that ends a call.
[[nodiscard]] std::string_view closer_at(std::string_view text);

/// The answer to whether a text begins with something; kPerhaps if more text may tell.
enum class Beginning { kNo, kPerhaps, kYes };
/// The answer for the markup of a call.
[[nodiscard]] Beginning begins_with_markup(std::string_view text);
/// Position of the first markup of a call in `text`, which is not in code; npos if there is none.
/// `partial`: set to where markup may begin that is not complete.
std::size_t find_call_markup(std::string_view text, std::size_t& partial);
/// Position of the first markup that ends a call; npos if there is none.
[[nodiscard]] std::size_t find_call_end(std::string_view text);

/// `text` with the plain names of markup: "<minimax:tool_call>" is "<tool_call>".
[[nodiscard]] std::string without_dialects(std::string_view text);

}  // namespace quarry::ask
