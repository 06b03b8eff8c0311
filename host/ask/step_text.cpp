#include "ask/step_text.h"

#include "ask/call_beginning.h"
#include "ask/call_markup.h"
#include "ask/template_marks.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quarry::ask {
namespace {

constexpr std::size_t kMostHeld = std::size_t{32} << 10;
constexpr std::size_t kMostBlanks = 1024;  // before an answer that may begin with something else
constexpr std::size_t kLongestOpening = 24;
constexpr std::size_t kLongestMarkup = 96;
constexpr std::size_t kLongestCitation = 512;  // that is looked for

/// Marks around reasoning that are no tags with its name. In lower case.
struct Marks {
  std::string_view begin;
  std::string_view end;
};
constexpr auto kReasoningMarks =
    std::to_array<Marks>({{"<|inner_prefix|>", "<|inner_suffix|>"},
                          {"<|channel>thought", "<channel|>"},
                          {"<unused94>thought", "<unused95>"},
                          {"here is my thought process:", "here is my response:"},
                          {"<details type=\"reasoning\">", "</details>"}});

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

/// True for a character that matters also where no line begins.
bool is_mark(char c) {
  return c == '\n' || c == '`' || c == '<' || c == '[';
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
    const std::size_t begin = at - std::min(at, kLongestCitation);
    const std::string_view before = text.substr(begin, at - begin);
    const std::size_t open = before.rfind('[');
    if (open == before.npos) continue;
    const std::string_view inside = before.substr(open);
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
  const std::size_t first = std::min(pending_.find_first_not_of(kWhiteSpace), pending_.size());
  if (first >= kMostBlanks) {
    if (after_mark_) pending_.erase(0, kMostBlanks);
    state_ = State::kAnswer;
    return true;
  }
  if (first == pending_.size()) return false;
  const std::string_view text = std::string_view(pending_).substr(first);
  bool is_partial = false;
  for (const auto& marks : kReasoningMarks) {
    const std::size_t size = size_of_tag(text, marks.begin);
    is_partial = is_partial || size == kPartial;
    if (size != 0 && size != kPartial) return begin_thought(first + size, marks.end);
  }
  const ThoughtTag tag = thought_tag_at(text);
  const bool is_tag = tag.size != 0 && tag.size != kPartial;
  if (is_tag && !tag.ends) return begin_thought(first + tag.size, {});
  const bool is_call = begins_with_markup(text) == Beginning::kYes;
  // The end of reasoning that was empty, or that has another end.
  const std::size_t mark = is_tag ? tag.size : is_call ? 0 : size_of_first_mark(text);
  if (mark != 0 && mark != kPartial) {
    pending_.erase(0, first + mark);
    after_mark_ = true;
    return true;
  }
  if (is_partial || tag.size == kPartial || mark == kPartial) return false;
  const Beginning call = begins_as_call(text, true, tools_);
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

bool StepText::begin_thought(std::size_t size, std::string_view end) {
  end_of_reasoning_ = end;
  nested_ = 0;
  pending_.erase(0, size);
  state_ = State::kReasoning;
  return true;
}

StepText::End StepText::find_end(std::string_view text) {
  End out;
  if (end_of_reasoning_.empty()) {
    out.at = find_thought_end(text, out.partial, nested_);
    if (out.at != text.npos) out.size = thought_tag_at(text.substr(out.at)).size;
  } else {
    out.at = to_lower(text).find(end_of_reasoning_);
    out.size = end_of_reasoning_.size();
    out.partial = text.size() - size_of_partial(to_lower(text), end_of_reasoning_);
  }
  return out;
}

bool StepText::reason(const Give& give) {
  const End end = find_end(pending_);
  if (end.at == pending_.npos) {
    give_pending(true, std::min(end.partial, pending_.size()), give);
    return false;
  }
  give_pending(true, end.at, give);
  pending_.erase(0, end.size);
  after_mark_ = true;
  // Of tags within tags not each is closed: the rest may be a thought up to its end.
  expects_monologue_ = nested_ > 0;
  state_ = nested_ > 0 ? State::kMonologue : State::kBeginning;
  searched_ = 0;
  return true;
}

bool StepText::follow_monologue(const Give&) {
  const std::string_view text = pending_;
  std::size_t partial = 0;
  std::size_t begins = 0;
  const std::size_t found = find_thought_end(text.substr(searched_), partial, begins);
  const std::size_t end = found == text.npos ? found : searched_ + found;
  const std::size_t markup = find_call_markup(text.substr(searched_), partial);
  const std::size_t answer = std::min({end_of_citation(text, searched_), kMostHeld,
                                       markup == text.npos ? markup : searched_ + markup});
  if (end < answer && expects_monologue_) {
    begin_thought(0, {});
    return true;
  }
  const std::size_t enough = answer == kMostHeld ? answer + kLongestMarkup : answer;
  if (enough < text.size() || !expects_monologue_) {
    if (after_mark_) pending_.erase(0, std::min(text.find_first_not_of(kWhiteSpace), text.size()));
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
    if (!line_begins_ && !is_mark(c)) continue;
    const std::string_view rest = text.substr(at);
    if (c == '\n') {
      line_begins_ = true;
      in_code_ = false;
      continue;
    }
    const bool is_blank = kWhiteSpace.contains(c);
    if (line_begins_ && !in_block_ && !is_blank) {
      const Beginning call = begins_as_call(rest, false, tools_);
      if (call == Beginning::kYes) return hold(at, give);
      if (call == Beginning::kPerhaps) break;
      const bool may_begin = c == '<' && rest.size() <= kMostHeld;
      const ThoughtTag tag = may_begin ? thought_tag_at(rest) : ThoughtTag();
      if (tag.size == kPartial) break;
      if (tag.size != 0 && !tag.ends) return give_thought(at, tag.size, give);
    }
    if (line_begins_ && rest.starts_with(kBlockMark)) {
      in_block_ = !in_block_;
      at += kBlockMark.size() - 1;
      line_begins_ = false;
      continue;
    }
    if (line_begins_ && kBlockMark.starts_with(rest)) break;
    if (c == '`') in_code_ = !in_code_;
    if ((c == '<' || c == '[') && !in_block_ && !in_code_) {
      const Beginning markup = begins_with_markup(rest);
      if (markup == Beginning::kYes) return hold(at, give);
      const bool may_end = rest.size() <= kMostHeld && ends_in(rest) != Ends::kNo;
      if (markup == Beginning::kPerhaps || may_end) break;
    }
    if (!is_blank) line_begins_ = false;
  }
  give_pending(false, at, give);
  return false;
}

bool StepText::give_thought(std::size_t at, std::size_t tag, const Give& give) {
  end_of_reasoning_ = {};
  nested_ = 0;
  const End end = find_end(std::string_view(pending_).substr(at + tag));
  give_pending(false, at, give);
  if (end.at == pending_.npos) return false;
  pending_.erase(0, tag);
  give_pending(true, end.at, give);
  pending_.erase(0, end.size);
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
    if (after_mark_)
      pending_.erase(0, std::min(pending_.find_first_not_of(kWhiteSpace), pending_.size()));
    state_ = State::kAnswer;
    while (process(give)) {
    }
  }
  if (state_ == State::kAnswer && ends_in(pending_) == Ends::kYes) pending_.clear();
  give_pending(state_ == State::kReasoning, pending_.size(), give);
}

}  // namespace quarry::ask
