#include "ask/whole_deltas.h"

#include <algorithm>
#include <utility>

namespace quarry::ask {
namespace {

constexpr std::size_t kEnoughTexts = 3;
constexpr std::size_t kEnoughBytes = 16;
constexpr std::size_t kMostHeldBack = 64u << 10;

/// False for a row of one character, which deltas may repeat.
bool is_varied(std::string_view text) {
  return text.find_first_not_of(text.front()) != text.npos;
}

}  // namespace

void WholeDeltas::add(std::string_view text, const Give& give) {
  if (state_ == State::kDeltas) return give(text);
  if (count_ > 0 && (text.size() <= last_.size() || !text.starts_with(last_))) {
    if (state_ == State::kWhole && text == last_) return;  // at the end once more
    decide(State::kDeltas, give);
    return give(text);
  }
  ++count_;
  last_ = text;
  if (count_ == 1) {
    given_ = text.size();
    return give(text);
  }
  held_ += text;
  const bool is_certain = count_ >= kEnoughTexts && text.size() >= kEnoughBytes && is_varied(text);
  if (state_ == State::kWhole || is_certain) return decide(State::kWhole, give);
  if (held_.size() > kMostHeldBack) decide(State::kDeltas, give);
}

void WholeDeltas::finish(const Give& give) {
  if (state_ == State::kUnknown) decide(State::kDeltas, give);
}

void WholeDeltas::decide(State state, const Give& give) {
  const bool was_whole = std::exchange(state_, state) == State::kWhole;
  const std::string held = std::exchange(held_, {});
  if (state == State::kWhole) {
    give(std::string_view(last_).substr(std::exchange(given_, last_.size())));
  } else if (!was_whole && !held.empty()) {
    give(held);
  }
  if (state == State::kDeltas) last_ = {};
}

}  // namespace quarry::ask
