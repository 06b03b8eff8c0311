#include "ask/call_markup.h"

#include <algorithm>
#include <array>
#include <span>

namespace quarry::ask {
namespace {

/// Markup at the beginning of a call, or of several.
constexpr auto kOpeners = std::to_array<std::string_view>({"<tool_call>",
                                                           "<tool_calls>",
                                                           "<function_call>",
                                                           "<function_calls>",
                                                           "<function=",
                                                           "<function name=",
                                                           "<tool_call name=",
                                                           "<invoke name=",
                                                           "<use_mcp_tool>",
                                                           "<tool_use>",
                                                           "<tools>{",
                                                           "<tools>\n{",
                                                           "<tool>{",
                                                           "<tool>\n{",
                                                           "<|python_tag|>",
                                                           "<|tool_call|>",
                                                           "<|tool_call_begin|>",
                                                           "<|tool_calls_section_begin|>",
                                                           "<|tool_calls|>",
                                                           "<|tool_call:begin|>",
                                                           "<|tools_prefix|>",
                                                           "<|action_start|>",
                                                           "<｜tool_calls_begin｜>",
                                                           "<｜tool_call_begin｜>",
                                                           "<｜tool▁calls▁begin｜>",
                                                           "<｜tool▁call▁begin｜>",
                                                           "<｜DSML｜",
                                                           "<｜｜DSML｜｜",
                                                           "<|DSML|",
                                                           "<‖DSML‖",
                                                           "<minimax:tool_call>",
                                                           "<seed:tool_call>",
                                                           "<longcat_tool_call>",
                                                           "<TOOLCALL>",
                                                           "<toolcall>",
                                                           "<|START_ACTION|>",
                                                           "<|python_start|>",
                                                           "<|tool_call_start|>",
                                                           "<|tool_call>",
                                                           "<start_function_call>",
                                                           kToolCode,
                                                           "[TOOL_CALLS]",
                                                           "[TOOL_REQUEST]",
                                                           kChannel,
                                                           kStart});
constexpr auto kClosers = std::to_array<std::string_view>({"</tool_call>",
                                                           "</tool_calls>",
                                                           "</function_call>",
                                                           "</function_calls>",
                                                           "</function>",
                                                           "</invoke>",
                                                           "</TOOLCALL>",
                                                           "</toolcall>",
                                                           "</calls>",
                                                           "<|END_ACTION|>",
                                                           "<|python_end|>",
                                                           "<|tool_call_end|>",
                                                           "<|tool_calls_section_end|>",
                                                           "<tool_call|>",
                                                           "<end_function_call>",
                                                           "[END_TOOL_REQUEST]",
                                                           "</use_mcp_tool>",
                                                           "</tool_use>",
                                                           "</tools>",
                                                           "</tool>",
                                                           "<|tools_suffix|>",
                                                           "<|action_end|>",
                                                           "<|tool_call:end|>",
                                                           "<|calls|>",
                                                           "<｜tool_call_end｜>",
                                                           "<｜tool_calls_end｜>",
                                                           "<|eom_id|>",
                                                           "<|eot_id|>",
                                                           "<|im_end|>"});

/// Marks with which models spell the same markup their own way.
constexpr auto kDialects =
    std::to_array<std::string_view>({"｜｜DSML｜｜ ", "｜｜DSML｜｜", "｜DSML｜", "|DSML|",
                                     "‖DSML‖", "minimax:", "longcat_", "seed:", "steptml:"});

/// The mark at the beginning of `text`; empty if there is none.
std::string_view mark_at(std::string_view text, std::span<const std::string_view> marks) {
  const auto found =
      std::ranges::find_if(marks, [text](std::string_view mark) { return text.starts_with(mark); });
  return found == marks.end() ? std::string_view() : *found;
}

}  // namespace

std::string_view opener_at(std::string_view text) {
  return mark_at(text, kOpeners);
}

std::string_view closer_at(std::string_view text) {
  return mark_at(text, kClosers);
}

std::size_t find_call_markup(std::string_view text, std::size_t& partial) {
  partial = text.npos;
  for (std::size_t at = 0; (at = text.find_first_of("<[`", at)) != text.npos; ++at) {
    const std::string_view rest = text.substr(at);
    for (const auto opener : kOpeners) {
      if (rest.starts_with(opener)) return at;
      if (opener.starts_with(rest) && partial == text.npos) partial = at;
    }
  }
  return text.npos;
}

std::size_t find_call_end(std::string_view text) {
  std::size_t end = text.npos;
  for (const auto closer : kClosers) end = std::min(end, text.find(closer));
  return end;
}

std::string without_dialects(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('<'), text.size() - 1) + 1;
    out += text.substr(0, end);
    text.remove_prefix(end);
    if (out.back() != '<') break;
    const bool closes = text.starts_with('/');
    for (const auto dialect : kDialects) {
      if (!text.substr(closes ? 1 : 0).starts_with(dialect)) continue;
      out += closes ? "/" : "";
      text.remove_prefix(dialect.size() + (closes ? 1 : 0));
      break;
    }
  }
  return out;
}

}  // namespace quarry::ask
