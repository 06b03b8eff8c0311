#include "ask/text_calls.h"

#include "ask/call_elements.h"
#include "ask/call_markup.h"
#include "ask/call_objects.h"
#include "ask/step_text.h"
#include "ask/template_marks.h"
#include "base/json.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <span>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

/// What a model writes in the place of the result of its call.
constexpr auto kResults = std::to_array<std::string_view>(
    {"<tool_response", "<tool_output", "<tool_result", "<function_result", "<function_response"});
constexpr std::string_view kMessage = "<|message|>";
constexpr std::string_view kActionInput = "Action Input:";
/// The ends of an element with parameters.
constexpr auto kElementEnds =
    std::to_array<std::string_view>({"</function>", "</invoke>", "</tool_call>"});
/// What may follow the text of a message of gpt-oss: one of three ends, or the next message.
constexpr auto kMessageEnds =
    std::to_array<std::string_view>({"<|end|>", "<|call|>", "<|return|>", kStart, kChannel});

/// Position of the first of these marks, each of which begins with '<'; npos if there is none.
std::size_t find_any(std::string_view text, std::span<const std::string_view> marks) {
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; ++at) {
    const auto is_here = [&](std::string_view mark) { return text.substr(at).starts_with(mark); };
    if (std::ranges::any_of(marks, is_here)) return at;
  }
  return text.npos;
}

/// `text` with a blank in the place of each mark; `size_of_mark`: of the one at the beginning of a
/// text, 0 if there is none.
template <class SizeOfMark>
std::string with_blanks(std::string_view text, SizeOfMark size_of_mark) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = size_of_mark(text);
    out += size == 0 ? text.front() : ' ';
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, const ToolNames& tools) : rest_(text), tools_(tools) {}

  TextCalls read() {
    std::size_t partial = 0;
    const bool is_wrapped =
        rest_.starts_with('<') && find_call_markup(rest_, partial) != rest_.npos;
    if (opener_at(rest_).empty() && !is_wrapped) return read_object();
    while (!rest_.empty()) {
      const std::string_view opener = opener_at(rest_);
      if (opener == kChannel || opener == kStart) {
        read_channel();
      } else if (!opener.empty()) {
        read_segment(opener);
      } else {
        rest_.remove_prefix(1);
      }
    }
    out_.malformed = out_.malformed && out_.calls.empty();
    out_.text = out_.calls.empty() ? std::string(trim(out_.text)) : text_beside_calls(out_.text);
    return std::move(out_);
  }

 private:
  /// The text up to the next opener, which is removed from the rest.
  std::string_view take_segment() {
    std::size_t partial = 0;
    const std::size_t end = std::min(find_call_markup(rest_, partial), rest_.size());
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }

  /// The text before and after calls, without marks and without results that the model invented.
  static std::string text_beside_calls(std::string_view text) {
    for (const std::string_view result : kResults) text = text.substr(0, text.find(result));
    text = trim(text);
    for (std::size_t at = 0; (at = text.find_first_of("<[", at)) != text.npos; ++at) {
      if (ends_in(text.substr(at)) == Ends::kYes) text = trim(text.substr(0, at));
    }
    return std::string(text);
  }

  /// A call that is the whole text, perhaps in a block of code; text may follow an object.
  TextCalls read_object() {
    std::string_view body = trim(rest_);
    if (read_stripped_channels(body)) return std::move(out_);
    if (body.starts_with(kFunctionary) || body.find(kActionInput) != body.npos) {
      read_labelled(body);
    }
    for (const std::string_view label : {kAction, kGigaChat}) {
      if (body.starts_with(label)) body = trim(body.substr(label.size()));
    }
    if (body.starts_with(kBlockMark)) {
      body = without_fence(body);
      if (!opener_at(body).empty()) return read_block(body);
    }
    constexpr std::string_view kFunctools = "functools";  // Phi
    if (body.starts_with(kFunctools)) body.remove_prefix(kFunctools.size());
    const std::string_view behind = add_objects(body);
    if (out_.calls.empty()) add_functions(text_beside_calls(body));
    if (out_.calls.empty() && size_of_tool(body) > 0) read_body(body);
    if (out_.calls.empty()) add_tool_elements(body, tools_, out_.calls);
    out_.text = out_.calls.empty() ? std::string(rest_) : text_beside_calls(behind);
    return std::move(out_);
  }

  /// Adds the calls of the objects that `text` begins with, and returns the text behind them.
  std::string_view add_objects(std::string_view text) {
    constexpr std::string_view kBetween = " \t\r\n;,";
    const std::size_t others = out_.calls.size();
    while (const std::size_t size = size_of_json(text)) {
      const std::size_t before = out_.calls.size();
      if (const auto json = parse_loosely(text.substr(0, size))) {
        add_object_calls(*json, tools_, UnknownTool::kLeftOut, out_.calls);
      }
      if (out_.calls.size() == before) break;
      text.remove_prefix(size);
      const std::size_t next = std::min(text.find_first_not_of(kBetween), text.size());
      if (text.substr(next).starts_with('{')) text.remove_prefix(next);
    }
    return out_.calls.size() == others ? std::string_view() : text;
  }

  /// Size of the name of a tool that only an object, or Mistral's mark before it, follows.
  [[nodiscard]] std::size_t size_of_tool(std::string_view text) const {
    const std::size_t size = std::min(text.find_first_of("{[ \t\r\n"), text.size());
    const std::string_view object = trim(text.substr(size));
    const bool follows =
        object.starts_with('{') || object.starts_with(kArguments) || object.starts_with(kCallId);
    return follows && !tools_.find(text.substr(0, size)).empty() ? size : 0;
  }

  /// Markup in a block of code that is the whole text: calls if it has nothing else.
  TextCalls read_block(std::string_view body) {
    TextCalls out = Reader(body, tools_).read();
    const auto is_known = [&](const TextCall& call) { return !tools_.find(call.name).empty(); };
    if (!out.calls.empty() && out.text.empty() && std::ranges::all_of(out.calls, is_known)) {
      return out;
    }
    out_.text = rest_;
    return std::move(out_);
  }

  /// ">>>read" or "Action: read", and the arguments in the next line, after "Action Input:".
  void read_labelled(std::string_view body) {
    const std::size_t line = std::min(body.find('\n'), body.size());
    const std::size_t name = body.starts_with(kAction) ? kAction.size() : kFunctionary.size();
    if (line < name) return;
    const std::string_view known = tools_.find(trim(body.substr(name, line - name)));
    std::string_view object = trim(body.substr(line));
    if (object.starts_with(kActionInput)) object = trim(object.substr(kActionInput.size()));
    auto json = parse_loosely(object.substr(0, size_of_json(object)));
    if (!known.empty() && json && json->is_object()) {
      out_.calls.push_back({std::string(known), to_text(*json)});
    }
  }

  /// Channels of gpt-oss whose marks the server removed: "analysisWe look.assistantfinalHere."
  bool read_stripped_channels(std::string_view body) {
    constexpr std::string_view kFinal = "assistantfinal";
    constexpr std::string_view kCommentary = "assistantcommentary";
    if (body.starts_with(kAnalysis)) {
      const std::size_t end = std::min(body.find(kFinal), body.find(kCommentary));
      if (end == body.npos) return false;
      out_.reasoning = trim(body.substr(kAnalysis.size(), end - kAnalysis.size()));
      body.remove_prefix(end);
    } else if (std::ranges::none_of(kRecipients,
                                    [&](auto mark) { return body.starts_with(mark); })) {
      return false;
    }
    if (body.starts_with(kFinal)) {
      out_.text = trim(body.substr(kFinal.size()));
      return true;
    }
    read_body(body);
    out_.malformed = out_.calls.empty();
    return true;
  }

  void read_segment(std::string_view opener) {
    const bool is_element = opener.ends_with('=');
    const bool has_brace = opener.ends_with('{');  // the first of the object
    if (!is_element) rest_.remove_prefix(opener.size() - (has_brace ? 1 : 0));
    std::string_view segment = is_element ? element() : take_segment();
    std::size_t end = std::min(find_call_end(segment), segment.size());
    if (opener == kToolCode) end = std::min(end, segment.find(kBlockMark));
    const std::string_view body = trim(segment.substr(0, end));
    const std::size_t before = out_.calls.size();
    is_element ? add_parameter_call(body, tools_, out_.calls) : read_body(body);
    if (opener == kToolCode && out_.calls.size() == before) {
      out_.text.append(opener).append(segment);
      return;
    }
    const bool wraps = body.empty() && end == segment.size();
    const bool read = out_.calls.size() > before;
    const bool is_markup = !body.empty() && (is_element || body.front() == '{' ||
                                             body.front() == '[' || body.front() == '<');
    const bool is_call = is_markup || (!body.empty() && !name_before(body).empty());
    if (!read && is_call) out_.malformed = true;
    if (!read && !is_call && !wraps && end == segment.size()) {
      out_.text.append(opener).append(segment);  // prose about the markup
    }
    if (end == segment.size()) return;
    const bool is_block = segment.substr(end).starts_with(kBlockMark);
    add_text(segment.substr(end + (is_block ? kBlockMark.size() : 0)));
  }

  /// An element with parameters, up to its end.
  std::string_view element() {
    const std::size_t end =
        std::min(std::min(find_any(rest_, kElementEnds), rest_.size()) + 1, rest_.size());
    std::size_t partial = 0;
    const std::size_t next = find_call_markup(rest_.substr(end), partial);
    const std::size_t size = next == rest_.npos ? rest_.size() : end + next;
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

  /// The text after a call, without the ends of markup.
  void add_text(std::string_view text) {
    while (!text.empty()) {
      const std::string_view closer = closer_at(text);
      if (closer.empty()) out_.text += text.front();
      text.remove_prefix(std::max<std::size_t>(closer.size(), 1));
    }
  }

  /// The text in a block of code, if `text` is one.
  static std::string_view without_fence(std::string_view text) {
    if (!text.starts_with(kBlockMark)) return text;
    text = trim(text.substr(std::min(text.find('\n'), text.size())));
    return text.ends_with(kBlockMark) ? trim(text.substr(0, text.size() - kBlockMark.size()))
                                      : text;
  }

  /// {"name": …, "arguments": …}, several of them, or names before their arguments.
  void read_body(std::string_view segment) {
    segment = without_fence(segment);
    if (segment.find("<arg_key>") != segment.npos) {
      return add_pairs_call(segment, tools_, out_.calls);
    }
    if (segment.find("<tool_name>") != segment.npos) {
      return add_named_call(segment, tools_, out_.calls);
    }
    if (add_functions(segment)) return;
    const bool is_word = segment.find_first_of("<{[( \n") == segment.npos;
    if (const auto known = tools_.find(segment); is_word && !known.empty()) {
      out_.calls.push_back({std::string(known), "{}"});
      return;
    }
    const std::string marked = with_blanks(segment, [](std::string_view text) -> std::size_t {
      if (text.starts_with(kArguments)) return kArguments.size();
      return text.starts_with(kCallId) ? kCallId.size() : 0;
    });
    std::string_view body = marked;
    for (std::size_t at = 0; (at = body.find_first_of("{[")) != body.npos;) {
      const std::string known = name_before(body.substr(0, at));
      const std::size_t size = size_of_json(body.substr(at));
      const auto json = size == 0 ? Result<Json>(Json()) : parse_loosely(body.substr(at, size));
      if (!json || json->is_null()) return;
      if (known.empty() || !json->is_object()) {
        add_object_calls(*json, tools_, UnknownTool::kCounts, out_.calls);
      } else {
        out_.calls.push_back({known, to_text(*json)});
      }
      body.remove_prefix(at + size);
    }
  }

  /// Calls in the syntax of functions, all of tools that there are.
  bool add_functions(std::string_view text) {
    auto calls = read_function_calls(text);
    if (!calls) return false;
    for (TextCall& call : *calls) {
      call.name = tools_.find(call.name);
      if (call.name.empty()) return false;
    }
    std::ranges::move(*calls, std::back_inserter(out_.calls));
    return true;
  }

  /// The tool that is named in `text`, which may have marks: the last word that is one.
  [[nodiscard]] std::string name_before(std::string_view text) const {
    const std::string words = with_blanks(text, [](std::string_view rest) -> std::size_t {
      if (rest.starts_with('`')) return 1;
      const bool is_mark = rest.starts_with("<|") || rest.starts_with("<｜");
      return is_mark ? std::min(rest.find('>'), rest.size() - 1) + 1 : 0;
    });
    std::string out;
    for (std::size_t at = 0; (at = words.find_first_not_of(kWhiteSpace, at)) != words.npos;) {
      const std::size_t end = std::min(words.find_first_of(kWhiteSpace, at), words.size());
      const auto known = tools_.find(std::string_view(words).substr(at, end - at));
      if (!known.empty()) out = known;
      at = end;
    }
    return out;
  }

  /// A message of gpt-oss: marks of role and channel, <|message|>, the text, an end mark.
  void read_channel() {
    const std::size_t message = rest_.find(kMessage);
    const std::string_view header = rest_.substr(0, message);
    if (message == rest_.npos) {
      out_.malformed = true;
      rest_ = {};
      return;
    }
    rest_.remove_prefix(message + kMessage.size());
    const std::size_t end = std::min(find_any(rest_, kMessageEnds), rest_.size());
    const std::string_view body = trim(rest_.substr(0, end));
    rest_.remove_prefix(end);
    for (const std::string_view mark : std::span(kMessageEnds).first(3)) {
      if (rest_.starts_with(mark)) rest_.remove_prefix(mark.size());
    }
    const std::size_t to = header.find("to=");
    if (to != header.npos) {
      std::string_view name = header.substr(to + 3);
      name = name.substr(0, std::min(name.find_first_of(" <\n"), name.size()));
      const auto json = parse_call_arguments(body.empty() ? "{}" : body);
      if (json && json->is_object()) {
        out_.calls.push_back({tools_.meant_by(name), to_text(*json)});
      } else {
        out_.malformed = true;
      }
    } else if (header.find("analysis") != header.npos) {
      out_.reasoning.append(out_.reasoning.empty() ? "" : "\n\n").append(body);
    } else {
      out_.text.append(out_.text.empty() ? "" : "\n\n").append(body);
    }
  }

  std::string_view rest_;
  const ToolNames& tools_;
  TextCalls out_;
};

}  // namespace

TextCalls read_text_calls(std::string_view text, const ToolNames& tools) {
  const std::string plain = without_dialects(text);
  TextCalls out = Reader(plain, tools).read();
  if (out.calls.empty() && !out.text.empty() && plain != text) out.text = trim(text);
  return out;
}

TextCalls read_thought_calls(std::string_view thought, const ToolNames& tools) {
  StepText parts(&tools);
  parts.has_separate_reasoning();
  const auto ignore = [](bool, std::string_view) {};
  parts.add(thought, ignore);
  parts.finish(ignore);
  const std::string_view written = parts.calls();
  const auto opener = opener_at(without_dialects(written));
  if (opener.empty() || opener == kChannel || opener == kStart) return {};
  TextCalls out = read_text_calls(written, tools);
  std::erase_if(out.calls, [&](const TextCall& call) { return tools.find(call.name).empty(); });
  out.text = trim(thought.substr(0, thought.size() - written.size()));
  return out;
}

}  // namespace quarry::ask
