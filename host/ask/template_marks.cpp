#include "ask/template_marks.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::ask {
namespace {

constexpr std::size_t kLongestTag = 96;
constexpr std::size_t kLongestName = 40;
constexpr std::size_t kManyMarks = 64;  ///< in a row: no text is expected behind them

/// A tag is one of reasoning if its name has one of these words.
constexpr auto kThoughtWords = std::to_array<std::string_view>(
    {"think", "thinking", "thought", "thoughts", "reason", "reasoning", "reflection", "scratchpad",
     "analysis", "monologue"});

/// Marks behind an answer, besides "<|…|>".
constexpr auto kMarks = std::to_array<std::string_view>(
    {"</answer>", "</response>", "<eos>", "<bos>", "<pad>", "<unk>", "<s>", "</s>", "<eot>",
     "<turn|>", "<end_of_turn>", "<start_of_turn>", "<end_of_utterance>", "[/inst]", "[eos]",
     "[pad]"});
constexpr auto kFirstMarks = std::to_array<std::string_view>(
    {"<answer>", "<response>", "<|start_response|>", "<|begin_of_solution|>", "<|begin_of_box|>",
     "<|begin_of_text|>", "<|start_header_id|>assistant<|end_header_id|>", "<|im_start|>assistant",
     "<|assistant|>", "<start_of_turn>model", "<bos>", "<s>"});
constexpr std::string_view kUser = "user";

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBrackets = {
    {{"<|", "|>"}, {"<｜", "｜>"}, {"◁", "▷"}, {"[", "]"}}};

bool is_of_tag(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c == '-';
}

bool names_thought(std::string_view name) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("_:-"), name.size());
    if (std::ranges::find(kThoughtWords, to_lower(name.substr(0, end))) != kThoughtWords.end()) {
      return true;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

/// Size of the end of a tag: its bracket, in an element after attributes.
std::size_t size_of_closing(std::string_view rest, std::string_view closing) {
  if (rest.starts_with(closing)) return closing.size();
  if (closing.starts_with(rest)) return kPartial;
  if (closing != ">" || rest.front() != ' ') return 0;
  const std::size_t end = rest.substr(0, kLongestTag).find('>');
  if (end != rest.npos) return end + 1;
  return rest.size() < kLongestTag ? kPartial : 0;
}

/// Size of "<|…|>" with the name of any mark.
std::size_t size_of_token(std::string_view text) {
  for (const auto& [opening, closing] : {kBrackets[0], kBrackets[1]}) {
    if (!text.starts_with(opening)) {
      if (opening.starts_with(text)) return kPartial;
      continue;
    }
    const std::size_t end = text.substr(0, kLongestName).find(closing, opening.size());
    if (end == text.npos) return text.size() < kLongestName ? kPartial : 0;
    const std::string_view name = text.substr(opening.size(), end - opening.size());
    return name.find_first_of(" \n\"'{}()<") == name.npos ? end + closing.size() : 0;
  }
  return 0;
}

/// True for a mark before the name of a role.
bool is_start(std::string_view mark) {
  return to_lower(mark).find("start") != mark.npos;
}

template <std::size_t kCount>
std::size_t size_of_one(std::string_view text, const std::array<std::string_view, kCount>& marks) {
  std::size_t out = 0;
  for (const std::string_view mark : marks) {
    const std::size_t size = size_of_tag(text, mark);
    if (size != 0 && size != kPartial) return size;
    out = std::max(out, size);
  }
  return out;
}

}  // namespace

std::size_t size_of_tag(std::string_view text, std::string_view tag) {
  const std::string begin = to_lower(text.substr(0, tag.size()));
  if (begin == tag) return tag.size();
  if (tag.starts_with(begin)) return kPartial;
  if (!tag.ends_with('>') || !begin.starts_with(tag.substr(0, tag.size() - 1))) return 0;
  if (tag.ends_with("|>")) return 0;
  const std::size_t closing = size_of_closing(text.substr(tag.size() - 1), ">");
  return closing == 0 || closing == kPartial ? closing : tag.size() - 1 + closing;
}

ThoughtTag thought_tag_at(std::string_view text) {
  std::string_view opening = "<";
  std::string_view closing = ">";
  for (const auto& [known_opening, known_closing] : kBrackets) {
    if (known_opening.starts_with(text)) return {kPartial};
    if (!text.starts_with(known_opening)) continue;
    opening = known_opening;
    closing = known_closing;
    break;
  }
  if (!text.starts_with(opening)) return {};
  std::size_t begin = opening.size();
  const bool slash = text.substr(begin).starts_with('/');
  if (slash) ++begin;
  const std::string_view rest = text.substr(begin, kLongestName);
  const auto size =
      static_cast<std::size_t>(std::ranges::find_if_not(rest, is_of_tag) - rest.begin());
  if (size == rest.size()) return {rest.size() < kLongestName ? kPartial : 0};
  const std::string_view name = rest.substr(0, size);
  if (!names_thought(name)) return {};
  const std::size_t end = size_of_closing(text.substr(begin + size), closing);
  if (end == 0 || end == kPartial) return {end};
  const std::string_view after = text.substr(begin + size + end);
  if (opening == "[" && !slash) {  // of a link
    if (after.empty()) return {kPartial};
    if (after.find_first_of("(:[") == 0) return {};
  }
  const std::string lower = to_lower(name);
  return {begin + size + end, slash || lower.starts_with("end_") || lower.ends_with("_end")};
}

std::size_t find_thought_end(std::string_view text, std::size_t& partial, std::size_t& begins) {
  partial = text.npos;
  for (std::size_t at = 0; (at = text.find_first_of("<[\xE2", at)) != text.npos; ++at) {
    const ThoughtTag tag = thought_tag_at(text.substr(at));
    if (tag.size == kPartial) {
      partial = at;
      break;
    }
    if (tag.size == 0) continue;
    if (tag.ends) return at;
    ++begins;
    at += tag.size - 1;
  }
  return text.npos;
}

std::size_t size_of_first_mark(std::string_view text) {
  return size_of_one(text, kFirstMarks);
}

Ends ends_in(std::string_view text) {
  std::string_view before;
  std::string_view last;
  std::size_t count = 0;
  for (text = trim(text); !text.empty() && count < kManyMarks; text = trim(text), ++count) {
    if (is_start(last)) {
      const std::string begin = to_lower(text.substr(0, kUser.size()));
      // A turn of the user that the model writes itself, since its server does not stop it.
      if (begin == kUser && !before.empty() && !is_start(before)) return Ends::kYes;
      if (text.size() < kUser.size() && kUser.starts_with(begin)) return Ends::kPerhaps;
    }
    const std::size_t size = std::max(size_of_one(text, kMarks), size_of_token(text));
    if (size == 0) return Ends::kNo;
    if (size == kPartial) return Ends::kPerhaps;
    before = std::exchange(last, text.substr(0, size));
    text.remove_prefix(size);
  }
  return Ends::kYes;
}

}  // namespace quarry::ask
