#pragma once

#include <cstddef>
#include <cstdint>

namespace quarry::ask {

/// How many tokens a request of so many bytes takes: four bytes a token, until the model itself has
/// counted one.
class TokenEstimate {
 public:
  /// Rounded up.
  [[nodiscard]] std::int64_t tokens(std::size_t bytes) const;
  [[nodiscard]] std::size_t bytes(std::int64_t tokens) const;
  /// A request of `bytes` was counted as `tokens`. What cannot be the count of a whole request (a
  /// cached part left out, say) is not believed.
  void learn(std::size_t bytes, std::int64_t tokens);

 private:
  std::int64_t per_tokens_ = 1;
  std::int64_t per_bytes_ = 4;
};

/// What a model may write in one step, and how much of its context is left for the request.
struct ContextShare {
  std::int64_t output;
  std::int64_t request;  ///< 0 = unknown
};
/// `context_tokens`: of the model; 0 = unknown.
ContextShare share_context(std::int64_t context_tokens);

/// Bytes by which a request of `bytes` must shrink for a share of `tokens`; 0 when it fits. More
/// than the least, so that the next steps do not have to shrink it again.
std::size_t excess(const TokenEstimate& estimate, std::size_t bytes, std::int64_t tokens);

}  // namespace quarry::ask
