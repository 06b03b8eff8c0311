#include "ask/context_window.h"

#include <algorithm>

namespace quarry::ask {
namespace {

constexpr std::int64_t kMaxOutputTokens = 8192;
constexpr std::int64_t kMostBytesPerToken = 12;
constexpr std::int64_t kMostTokensPerByte = 64;  // a server counts what it adds, too

}  // namespace

std::int64_t TokenEstimate::tokens(std::size_t bytes) const {
  return (static_cast<std::int64_t>(bytes) * per_tokens_ + per_bytes_ - 1) / per_bytes_;
}

std::size_t TokenEstimate::bytes(std::int64_t tokens) const {
  return static_cast<std::size_t>(tokens * per_bytes_ / per_tokens_);
}

void TokenEstimate::learn(std::size_t bytes, std::int64_t tokens) {
  const auto size = static_cast<std::int64_t>(bytes);
  const bool is_plausible =
      tokens > 0 && size / kMostBytesPerToken <= tokens && tokens / kMostTokensPerByte <= size;
  if (!is_plausible) return;
  per_tokens_ = tokens;
  per_bytes_ = std::max<std::int64_t>(size, 1);
}

ContextShare share_context(std::int64_t context_tokens) {
  if (context_tokens <= 0) return {kMaxOutputTokens, 0};
  // Most of a small context is reserved for the request.
  const std::int64_t output = std::clamp<std::int64_t>(context_tokens / 4, 1, kMaxOutputTokens);
  return {output, context_tokens - output};
}

std::size_t excess(const TokenEstimate& estimate, std::size_t bytes, std::int64_t tokens) {
  if (tokens <= 0 || estimate.tokens(bytes) <= tokens) return 0;
  return bytes - std::min(bytes, estimate.bytes(tokens / 4 * 3));
}

}  // namespace quarry::ask
