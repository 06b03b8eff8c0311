#pragma once

#include <cstddef>
#include <cstdint>

namespace quarry::ask {

/// Estimates the tokens of a request from its bytes: four bytes a token, until the model has
/// reported the count of a request.
class TokenEstimate {
 public:
  /// Rounded up.
  [[nodiscard]] std::int64_t tokens(std::size_t bytes) const;
  [[nodiscard]] std::size_t bytes(std::int64_t tokens) const;
  /// Records that a request of `bytes` was counted as `tokens`. Ignores implausible counts, for
  /// example of a provider that leaves out cached input.
  void learn(std::size_t bytes, std::int64_t tokens);

 private:
  std::int64_t per_tokens_ = 1;
  std::int64_t per_bytes_ = 4;
};

/// Division of a model's context between the output of one step and its request, in tokens.
struct ContextShare {
  std::int64_t output;
  std::int64_t request;  ///< 0 = unknown
};
/// `context_tokens`: of the model; 0 = unknown.
ContextShare share_context(std::int64_t context_tokens);

/// Bytes by which a request of `bytes` must shrink to fit into `tokens`; 0 when it fits. More than
/// the minimum, so that the next steps need not shrink it again.
std::size_t excess(const TokenEstimate& estimate, std::size_t bytes, std::int64_t tokens);

}  // namespace quarry::ask
