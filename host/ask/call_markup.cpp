#include "ask/call_markup.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <span>

namespace quarry::ask {
namespace {

/// Markup at the beginning of a call, or of several. In lower case.
constexpr auto kOpeners = std::to_array<std::string_view>({"<tool_call>",
                                                           "<tool_calls>",
                                                           "<function_call>",
                                                           "<function_calls>",
                                                           "<functioncall>",
                                                           "<function=",
                                                           "<function name=",
                                                           "<tool_call name=",
                                                           "<invoke name=",
                                                           "<use_mcp_tool>",
                                                           "<tool_use>",
                                                           "<use_tool>",
                                                           "<tool_code>",
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
                                                           "<｜dsml｜",
                                                           "<｜｜dsml｜｜",
                                                           "<|dsml|",
                                                           "<‖dsml‖",
                                                           "<longcat_tool_call>",
                                                           "<toolcall>",
                                                           "<|start_action|>",
                                                           "<|python_start|>",
                                                           "<|tool_call_start|>",
                                                           "<|tool_call>",
                                                           "<start_function_call>",
                                                           kToolCode,
                                                           "[tool_calls]",
                                                           "[tool_request]",
                                                           kChannel,
                                                           kStart});
constexpr auto kClosers = std::to_array<std::string_view>({"</tool_call>",
                                                           "</tool_calls>",
                                                           "</function_call>",
                                                           "</function_calls>",
                                                           "</functioncall>",
                                                           "</function>",
                                                           "</invoke>",
                                                           "</toolcall>",
                                                           "</calls>",
                                                           "<|end_action|>",
                                                           "<|python_end|>",
                                                           "<|tool_call_end|>",
                                                           "<|tool_calls_section_end|>",
                                                           "<tool_call|>",
                                                           "<end_function_call>",
                                                           "[end_tool_request]",
                                                           "</use_mcp_tool>",
                                                           "</tool_use>",
                                                           "</use_tool>",
                                                           "</tool_code>",
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
constexpr auto kDialects = std::to_array<std::string_view>(
    {"｜｜DSML｜｜ ", "｜｜DSML｜｜", "｜DSML｜", "|DSML|", "‖DSML‖", "longcat_"});
/// Names that may have the prefix of a namespace.
constexpr auto kNames = std::to_array<std::string_view>(
    {"tool_call", "toolcall", "function", "invoke", "parameter", "arg_key", "arg_value"});
constexpr std::size_t kLongestMark = 48;

/// The mark at the beginning of `text`; empty if there is none.
std::string_view mark_at(std::string_view text, std::span<const std::string_view> marks) {
  const std::string begin = to_lower(text.substr(0, kLongestMark));
  const auto found =
      std::ranges::find_if(marks, [&](std::string_view mark) { return begin.starts_with(mark); });
  return found == marks.end() ? std::string_view() : *found;
}

/// Size of the namespace at the beginning of `name`, as in "minimax:tool_call"; 0 if there is none,
/// npos if more text may tell.
std::size_t size_of_namespace(std::string_view name) {
  const auto end = std::ranges::find_if_not(name, [](char c) { return c >= 'a' && c <= 'z'; });
  const auto size = static_cast<std::size_t>(end - name.begin());
  if (size == name.size()) return size < kLongestMark ? name.npos : 0;
  if (size == 0 || *end != ':') return 0;
  const std::string_view rest = name.substr(size + 1);
  for (const std::string_view known : kNames) {
    if (rest.starts_with(known)) return size + 1;
    if (known.starts_with(rest)) return name.npos;
  }
  return 0;
}

}  // namespace

std::string_view opener_at(std::string_view text) {
  return mark_at(text, kOpeners);
}

std::string_view closer_at(std::string_view text) {
  return mark_at(text, kClosers);
}

Beginning begins_with_markup(std::string_view text) {
  std::string rest = to_lower(text.substr(0, kLongestMark));
  const std::size_t prefix = rest.starts_with('<') ? size_of_namespace(rest.substr(1)) : 0;
  Beginning out = prefix == rest.npos ? Beginning::kPerhaps : Beginning::kNo;
  if (prefix != rest.npos && prefix > 0) rest.erase(1, prefix);
  for (const auto opener : kOpeners) {
    if (rest.starts_with(opener)) return Beginning::kYes;
    if (opener.starts_with(rest)) out = Beginning::kPerhaps;
  }
  return out;
}

std::size_t find_call_markup(std::string_view text, std::size_t& partial) {
  partial = text.npos;
  for (std::size_t at = 0; (at = text.find_first_of("<[`", at)) != text.npos; ++at) {
    const Beginning markup = begins_with_markup(text.substr(at));
    if (markup == Beginning::kYes) return at;
    if (markup == Beginning::kPerhaps && partial == text.npos) partial = at;
  }
  return text.npos;
}

std::size_t find_call_end(std::string_view text) {
  const std::string lower = to_lower(text);
  std::size_t end = text.npos;
  for (const auto closer : kClosers) end = std::min(end, lower.find(closer));
  return end;
}

std::string without_dialects(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('<'), text.size() - 1) + 1;
    out += text.substr(0, end);
    text.remove_prefix(end);
    if (out.back() != '<') break;
    if (text.starts_with('/')) {
      out += '/';
      text.remove_prefix(1);
    }
    if (const std::size_t prefix = size_of_namespace(text); prefix != text.npos) {
      text.remove_prefix(prefix);
    }
    for (const auto dialect : kDialects) {
      if (!text.starts_with(dialect)) continue;
      text.remove_prefix(dialect.size());
      break;
    }
  }
  return out;
}

}  // namespace quarry::ask
