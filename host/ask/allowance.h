#pragma once

#include "ask/bill.h"
#include "ask/limits.h"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace quarry::ask {

/// Limits of the next model call of a question.
struct Allowance {
  bool permitted = true;
  /// Finish reason if the call is not permitted or is the last. Empty: more calls may follow.
  std::string_view limit = {};
  std::int64_t output = 0;  ///< tokens that the model may write
};

/// Limits of the call of step number `step`, `elapsed` after the question began: it reads an
/// estimated `input` tokens, and `candidate` can write `output`. When the limits do not allow
/// another call after this one, it is the last.
Allowance allowance(const Limits& limits, const Bill& bill, const Candidate& candidate,
                    std::uint32_t step, std::chrono::nanoseconds elapsed, std::int64_t input,
                    std::int64_t output);

/// Highest known cost of a call that reads `input` tokens and writes `output`. `candidate` has
/// rates.
Money most_of_call(const Candidate& candidate, std::int64_t input, std::int64_t output);

/// Tokens that a call that reads `input` tokens may write for `money`, at most `wanted`.
std::int64_t output_for(Money money, const Candidate& candidate, std::int64_t input,
                        std::int64_t wanted);

/// Fewest output tokens for which a call is made.
inline constexpr std::int64_t kLeastAnswer = 256;

}  // namespace quarry::ask
