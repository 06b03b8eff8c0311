#include "ask/call_beginning.h"

#include "ask/function_calls.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace quarry::ask {
namespace {

constexpr std::string_view kOfToolName =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:";
constexpr std::array<std::string_view, 9> kNameMembers = {
    "name",      "function",   "tool",   "tool_name",     "type",
    "arguments", "parameters", "action", "recipient_name"};

/// The answer to whether arguments follow the name of a call: `": "read", "arguments`. Other
/// objects with a name, as in package.json, are part of an answer.
Beginning has_arguments_next(std::string_view text) {
  constexpr std::string_view kQuote = "\"'";
  for (const std::string_view between : {"", ": \t\n", "any", ", \t\r\n"}) {
    const std::size_t quote = text.find_first_of(kQuote);
    const std::string_view passed = text.substr(0, quote);
    const bool is_value = between == "any" && !passed.contains('\n');
    if (!is_value && passed.find_first_not_of(between) != passed.npos) return Beginning::kNo;
    if (quote == text.npos) return Beginning::kPerhaps;
    text.remove_prefix(quote + 1);
  }
  for (const std::string_view member : kArgumentMembers) {
    if (text.starts_with(member)) return Beginning::kYes;
    if (member.starts_with(text)) return Beginning::kPerhaps;
  }
  return Beginning::kNo;
}

/// The answer to whether the name of a tool begins a call: "<read><path>", "<read path=", and at
/// the beginning of a step "read {" and "read[ARGS]".
Beginning begins_with_tool(std::string_view text, bool first, const ToolNames& tools) {
  const bool is_element = text.starts_with('<');
  if (!is_element && !first) return Beginning::kNo;
  if (is_element) text.remove_prefix(1);
  const std::size_t size = std::min(text.find_first_not_of(kOfToolName), text.size());
  const std::string_view name = text.substr(0, size);
  std::string_view rest = text.substr(size);
  if (!tools.begins(name)) return Beginning::kNo;
  if (rest.empty()) return Beginning::kPerhaps;
  if (tools.find(name).empty()) return Beginning::kNo;
  if (is_element && rest.front() == ' ') return Beginning::kYes;
  if (is_element && rest.front() != '>') return Beginning::kNo;
  if (is_element) rest.remove_prefix(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(kWhiteSpace), rest.size()));
  if (rest.empty()) return Beginning::kPerhaps;
  if (is_element) return rest.front() == '<' ? Beginning::kYes : Beginning::kNo;
  if (rest.front() == '{') return Beginning::kYes;
  for (const std::string_view mark : {kArguments, kCallId}) {
    if (rest.starts_with(mark)) return Beginning::kYes;
    if (mark.starts_with(rest)) return Beginning::kPerhaps;
  }
  return Beginning::kNo;
}

/// As begins_as_call, whatever the size of `text`.
Beginning beginning_of(std::string_view text, bool first, const ToolNames* tools) {
  for (const std::string_view label : {kToolCode, kRecipients[0], kAction, kGigaChat}) {
    if (text.starts_with(label)) return Beginning::kYes;
    if (label.starts_with(text)) return Beginning::kPerhaps;
  }
  for (const std::string_view label : kRecipients) {
    if (first && text.starts_with(label)) return Beginning::kYes;
    if (first && label.starts_with(text)) return Beginning::kPerhaps;
  }
  if (const Beginning named =
          tools == nullptr ? Beginning::kNo : begins_with_tool(text, first, *tools);
      named != Beginning::kNo) {
    return named;
  }
  if (text.starts_with(kFunctionary) || kFunctionary.starts_with(text)) {
    if (text.size() <= kFunctionary.size()) return Beginning::kPerhaps;
    return text[kFunctionary.size()] == ' ' ? Beginning::kNo : Beginning::kYes;  // of a console
  }
  if (first && text.starts_with(kAnalysis) && text.size() > kAnalysis.size()) {
    const char next = text[kAnalysis.size()];
    return next >= 'A' && next <= 'Z' ? Beginning::kYes : Beginning::kNo;
  }
  if (first && kAnalysis.starts_with(text)) return Beginning::kPerhaps;
  if (kBlockMark.starts_with(text)) return Beginning::kPerhaps;
  if (text.starts_with(kBlockMark)) {
    const std::size_t line = text.find('\n');
    constexpr std::size_t kLongestLine = 24;
    if (line == text.npos && text.size() < kLongestLine) return Beginning::kPerhaps;
    if (line >= kLongestLine) return Beginning::kNo;
    const std::string_view language =
        trim(text.substr(kBlockMark.size(), line - kBlockMark.size()));
    constexpr auto kLanguages =
        std::to_array<std::string_view>({"json", "tool", "function", "xml"});
    const auto has = [&](std::string_view part) { return language.contains(part); };
    if (!language.empty() && std::ranges::none_of(kLanguages, has)) return Beginning::kNo;
    text.remove_prefix(line);
    const std::string_view inside = trim(text);
    const Beginning markup = first ? begins_with_markup(inside) : Beginning::kNo;
    if (markup != Beginning::kNo) return markup;
  }
  constexpr std::string_view kFunctools = "functools[";
  if (text.starts_with(kFunctools)) return Beginning::kYes;
  if (kFunctools.starts_with(text)) return Beginning::kPerhaps;
  const auto function = begins_as_function_call(text);
  if (function.value_or(false)) return Beginning::kYes;
  if (!function) return Beginning::kPerhaps;
  for (const std::string_view wanted : {"{", "\"'"}) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n["), text.size()));
    if (text.empty()) return Beginning::kPerhaps;
    if (!wanted.contains(text.front())) return Beginning::kNo;
    text.remove_prefix(1);
  }
  for (const auto member : kNameMembers) {
    if (text.starts_with(member)) {
      return first ? Beginning::kYes : has_arguments_next(text.substr(member.size()));
    }
    if (member.starts_with(text)) return Beginning::kPerhaps;
  }
  return Beginning::kNo;
}

}  // namespace

Beginning begins_as_call(std::string_view text, bool first, const ToolNames* tools) {
  const Beginning out = beginning_of(text.substr(0, kLongestBeginning), first, tools);
  const bool is_told = out != Beginning::kPerhaps || text.size() < kLongestBeginning;
  return is_told ? out : Beginning::kNo;
}

}  // namespace quarry::ask
