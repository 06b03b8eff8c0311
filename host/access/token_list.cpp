#include "access/token_list.h"

#include <algorithm>

namespace quarry::access {
namespace {

std::uint8_t digit(char c) {
  return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
}

}  // namespace

TokenList::Hash TokenList::read(std::string_view hash) {
  Hash out{};
  for (std::size_t i = 0; i < out.size() && 2 * i + 1 < hash.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(digit(hash[2 * i]) << 4 | digit(hash[2 * i + 1]));
  }
  return out;
}

void TokenList::take(const plugins::TokenHashes& answer, std::int64_t revision) {
  if (answer.hashes) {
    hashes_.clear();
    hashes_.reserve(answer.hashes->size());
    for (const std::string& hash : *answer.hashes) hashes_.push_back(read(hash));
    std::ranges::sort(hashes_);
  } else if (answer.state != state_) {
    hashes_ = {};
    state_.reset();
    return;
  }
  state_ = answer.state;
  revision_ = revision;
}

bool TokenList::contains(std::string_view hash) const {
  return std::ranges::binary_search(hashes_, read(hash));
}

}  // namespace quarry::access
