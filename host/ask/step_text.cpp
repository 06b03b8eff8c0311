#include "ask/step_text.h"

#include "ask/call_markup.h"
#include "ask/text_calls.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::ask {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kMostHeld = std::size_t{32} << 10;
constexpr std::size_t kLongestOpening = 24;

/// In lower case. An element may have attributes.
struct Tags {
  std::string_view begin;
  std::string_view end;
  bool may_lack_begin = true;
};

constexpr auto kReasoningTags =
    std::to_array<Tags>({{"<think>", "</think>"},
                         {"<thinking>", "</thinking>"},
                         {"<thought>", "</thought>"},
                         {"<thoughts>", "</thoughts>"},
                         {"<reasoning>", "</reasoning>"},
                         {"<reason>", "</reason>"},
                         {"<reflection>", "</reflection>"},
                         {"<scratchpad>", "</scratchpad>"},
                         {"<analysis>", "</analysis>"},
                         {"<seed:think>", "</seed:think>"},
                         {"[think]", "[/think]"},
                         {"◁think▷", "◁/think▷"},
                         {"<|start_thinking|>", "<|end_thinking|>"},
                         {"<|begin_of_thought|>", "<|end_of_thought|>"},
                         {"<|inner_prefix|>", "<|inner_suffix|>"},
                         {"<|channel>thought", "<channel|>"},
                         {"<unused94>thought", "<unused95>"},
                         {"here is my thought process:", "here is my response:"},
                         {"<details type=\"reasoning\">", "</details>", false}});

/// Marks that some servers leave before an answer, and after it. In lower case.
constexpr auto kAnswerBegins = std::to_array<std::string_view>(
    {"<answer>", "<response>", "<|start_response|>", "<|begin_of_solution|>", "<|begin_of_box|>",
     "<|im_start|>assistant"});
constexpr auto kAnswerEnds = std::to_array<std::string_view>({"</answer>",
                                                              "</response>",
                                                              "<|end_response|>",
                                                              "<|end_of_solution|>",
                                                              "<|end_of_box|>",
                                                              "<|im_end|>",
                                                              "<|eot_id|>",
                                                              "<|eom_id|>",
                                                              "<|endoftext|>",
                                                              "<|end_of_text|>",
                                                              "<|end|>",
                                                              "<|return|>",
                                                              "<|eot|>",
                                                              "<|eos|>",
                                                              "<eos>",
                                                              "</s>",
                                                              "<end_of_turn>",
                                                              "<turn|>",
                                                              "<|end_of_turn_token|>",
                                                              "<|user|>",
                                                              "<｜end▁of▁sentence｜>",
                                                              "[/inst]"});

/// Words that a model thinks with, and that begin few answers. In lower case.
constexpr std::array<std::string_view, 32> kOpenings = {
    "okay",   "ok",      "alright",  "hmm",     "hm",      "wait",  "let me",   "let's",
    "i ",     "i'll",    "i'm",      "we ",     "we'll",   "maybe", "perhaps",  "probably",
    "first,", "first i", "first we", "so,",     "so ",     "now",   "the user", "the question",
    "user ",  "they ",   "thinking", "need to", "looking", "好的",  "首先",     "用户"};

bool begins_as_monologue(std::string_view text) {
  const std::string begin = to_lower(text.substr(0, kLongestOpening));
  return std::ranges::any_of(kOpenings,
                             [&](std::string_view opening) { return begin.starts_with(opening); });
}

/// True if `text` may be the beginning of an opening.
bool may_begin_monologue(std::string_view text) {
  const std::string begin = to_lower(text);
  return std::ranges::any_of(kOpenings, [&](std::string_view opening) {
    return begin.size() < opening.size() && opening.starts_with(begin);
  });
}

/// Size of `tag` at the beginning of `text`, with its attributes; 0 if it is not there, npos if
/// more text may tell.
std::size_t size_of_tag(std::string_view text, std::string_view tag) {
  constexpr std::size_t kLongestTag = 96;
  const std::string begin = to_lower(text.substr(0, tag.size()));
  if (begin == tag) return tag.size();
  if (tag.starts_with(begin)) return text.npos;
  if (!tag.ends_with('>') || !begin.starts_with(tag.substr(0, tag.size() - 1))) return 0;
  if (begin.back() != ' ' || tag.ends_with("|>")) return 0;
  const std::size_t end = text.substr(0, kLongestTag).find('>');
  if (end != text.npos) return end + 1;
  return text.size() < kLongestTag ? text.npos : 0;
}

/// What `text` is, of the marks after an answer.
enum class Ends { kNo, kPerhaps, kYes };
Ends ends_in(std::string_view text) {
  for (text = trim(text); !text.empty(); text = trim(text)) {
    std::size_t size = 0;
    for (const auto mark : kAnswerEnds) {
      if (const std::size_t found = size_of_tag(text, mark); found != 0) size = found;
      if (size != 0 && size != text.npos) break;
    }
    if (size == 0) return Ends::kNo;
    if (size == text.npos) return Ends::kPerhaps;
    text.remove_prefix(size);
  }
  return Ends::kYes;
}

/// Size of the end of `text` that is the beginning of `tag`.
std::size_t size_of_partial(std::string_view text, std::string_view tag) {
  for (std::size_t size = std::min(text.size(), tag.size() - 1); size > 0; --size) {
    if (text.ends_with(tag.substr(0, size))) return size;
  }
  return 0;
}

/// End of the first citation, as in "[docs:a.md#L3]", that ends after `from`; npos if there is
/// none.
std::size_t end_of_citation(std::string_view text, std::size_t from) {
  for (std::size_t at = from; (at = text.find(']', at)) != text.npos; ++at) {
    const std::size_t open = text.rfind('[', at);
    if (open == text.npos) continue;
    const std::string_view inside = text.substr(open, at - open);
    const bool is_line = inside.find_first_of("\r\n") == inside.npos;
    if (is_line && inside.find("#L") != inside.npos && inside.find(':') != inside.npos) return at;
  }
  return text.npos;
}

}  // namespace

void StepText::add(std::string_view delta, const Give& give) {
  if (state_ == State::kCalls) {
    calls_ += delta;
    return;
  }
  pending_ += delta;
  while (process(give)) {
  }
}

bool StepText::process(const Give& give) {
  switch (state_) {
    case State::kBeginning:
      return begin();
    case State::kReasoning:
      return reason(give);
    case State::kMonologue:
      return follow_monologue(give);
    case State::kAnswer:
      return answer(give);
    case State::kCalls:
      return false;
  }
  return false;
}

bool StepText::begin() {
  const std::size_t first = pending_.find_first_not_of(kWhiteSpace);
  if (first == pending_.npos) return false;
  const std::string_view text = std::string_view(pending_).substr(first);
  bool is_partial = false;
  for (const auto& tags : kReasoningTags) {
    const std::size_t size = size_of_tag(text, tags.begin);
    is_partial = is_partial || size == text.npos;
    if (size == 0 || size == text.npos) continue;
    end_of_reasoning_ = tags.end;
    pending_.erase(0, first + size);
    state_ = State::kReasoning;
    return true;
  }
  for (const auto mark : kAnswerBegins) {
    const std::size_t size = size_of_tag(text, mark);
    is_partial = is_partial || size == text.npos;
    if (size == 0 || size == text.npos) continue;
    pending_.erase(0, first + size);
    after_mark_ = true;
    return true;
  }
  if (is_partial) return false;
  const Beginning call = begins_as_call(text, true);
  if (call == Beginning::kPerhaps) return false;
  if (call == Beginning::kYes) {
    calls_ = pending_.substr(first);
    pending_.clear();
    state_ = State::kCalls;
    return false;
  }
  if (expects_monologue_ && may_begin_monologue(text)) return false;
  state_ = expects_monologue_ && begins_as_monologue(text) ? State::kMonologue : State::kAnswer;
  if (after_mark_) pending_.erase(0, first);
  return true;
}

bool StepText::reason(const Give& give) {
  const std::string text = to_lower(pending_);
  const std::size_t end = text.find(end_of_reasoning_);
  if (end == text.npos) {
    give_pending(true, text.size() - size_of_partial(text, end_of_reasoning_), give);
    return false;
  }
  give_pending(true, end, give);
  pending_.erase(0, end_of_reasoning_.size());
  after_mark_ = true;
  expects_monologue_ = false;
  state_ = State::kBeginning;
  return true;
}

bool StepText::follow_monologue(const Give&) {
  const std::string_view text = pending_;
  const std::string lower = to_lower(text.substr(searched_));
  std::size_t end = text.npos;
  std::string_view tag;
  for (const auto& tags : kReasoningTags) {
    const std::size_t found = tags.may_lack_begin ? lower.find(tags.end) : lower.npos;
    const std::size_t at = found == lower.npos ? found : searched_ + found;
    if (at >= end) continue;
    end = at;
    tag = tags.end;
  }
  std::size_t partial = 0;
  const std::size_t markup = find_call_markup(text.substr(searched_), partial);
  const std::size_t answer = std::min({end_of_citation(text, searched_), kMostHeld,
                                       markup == text.npos ? markup : searched_ + markup});
  if (end < answer && expects_monologue_) {
    end_of_reasoning_ = tag;
    state_ = State::kReasoning;
    return true;
  }
  constexpr std::size_t kLongestMarkup = 40;
  const std::size_t enough = answer == kMostHeld ? answer + kLongestMarkup : answer;
  if (enough < text.size() || !expects_monologue_) {
    state_ = State::kAnswer;
    return true;
  }
  searched_ = text.size() - std::min(text.size(), kLongestMarkup);
  return false;
}

bool StepText::answer(const Give& give) {
  const std::string_view text = pending_;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    if (c == '\n') {
      line_begins_ = true;
      in_code_ = false;
      continue;
    }
    if (line_begins_ && !in_block_ && c != ' ') {
      const Beginning call = begins_as_call(rest, false);
      if (call == Beginning::kYes) return hold(at, give);
      if (call == Beginning::kPerhaps) break;
      bool is_partial = false;
      for (const auto& tags : kReasoningTags) {
        const std::size_t size = c == '<' ? size_of_tag(rest, tags.begin) : 0;
        if (size != 0 && size != rest.npos) return give_thought(at, tags.end, size, give);
        is_partial = is_partial || size == rest.npos;
      }
      if (is_partial) break;
    }
    if (line_begins_ && rest.starts_with(kFence)) {
      in_block_ = !in_block_;
      at += kFence.size() - 1;
      line_begins_ = false;
      continue;
    }
    if (line_begins_ && kFence.starts_with(rest)) break;
    if (c == '`') in_code_ = !in_code_;
    if ((c == '<' || c == '[') && !in_block_ && !in_code_) {
      std::size_t partial = 0;
      const std::size_t markup = find_call_markup(rest.substr(0, 64), partial);
      if (markup == 0) return hold(at, give);
      if (partial == 0 || ends_in(rest) != Ends::kNo) break;
    }
    if (kWhiteSpace.find(c) == kWhiteSpace.npos) line_begins_ = false;
  }
  give_pending(false, at, give);
  return false;
}

bool StepText::give_thought(std::size_t at, std::string_view end, std::size_t tag,
                            const Give& give) {
  const std::size_t begin = at + tag;
  const std::size_t found = to_lower(std::string_view(pending_).substr(begin)).find(end);
  if (found == pending_.npos) {
    give_pending(false, at, give);
    return false;
  }
  give_pending(false, at, give);
  pending_.erase(0, tag);
  give_pending(true, found, give);
  pending_.erase(0, end.size());
  after_mark_ = true;
  expects_monologue_ = false;
  state_ = State::kBeginning;
  return true;
}

bool StepText::hold(std::size_t at, const Give& give) {
  calls_ = pending_.substr(at);
  give_pending(false, at, give);
  pending_.clear();
  state_ = State::kCalls;
  return false;
}

void StepText::give_pending(bool is_reasoning, std::size_t size, const Give& give) {
  if (size == 0) return;
  if (size == pending_.size()) {
    give(is_reasoning, std::exchange(pending_, {}));
    return;
  }
  give(is_reasoning, std::string_view(pending_).substr(0, size));
  pending_.erase(0, size);
}

void StepText::finish(const Give& give) {
  if (state_ == State::kBeginning || state_ == State::kMonologue) {
    state_ = State::kAnswer;
    while (process(give)) {
    }
  }
  if (state_ == State::kAnswer && ends_in(pending_) == Ends::kYes) pending_.clear();
  give_pending(state_ == State::kReasoning, pending_.size(), give);
}

}  // namespace quarry::ask
