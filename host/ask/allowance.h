#pragma once

#include "ask/bill.h"
#include "ask/limits.h"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace quarry::ask {

/// What the next model call of a question may be.
struct Allowance {
  bool permitted = true;
  /// Why it is not permitted or the last: a finish reason. Empty: more calls may follow.
  std::string_view limit = {};
  std::int64_t output = 0;  ///< tokens it may write
};

/// The next call, which is of step number `step` and comes `elapsed` after the question: what it
/// reads was estimated as `input` tokens, what `candidate` can write is `output`. The answer is
/// kept within the limits; when they leave no room for another call after this one, it is the last.
Allowance allowance(const Limits& limits, const Bill& bill, const Candidate& candidate,
                    std::uint32_t step, std::chrono::nanoseconds elapsed, std::int64_t input,
                    std::int64_t output);

/// What a call that reads `input` tokens and writes `output` costs at most, as far as is known.
/// `candidate` has rates.
Money most_of_call(const Candidate& candidate, std::int64_t input, std::int64_t output);

/// The tokens that a call which reads `input` tokens may write for `money`, at most `wanted`.
std::int64_t output_for(Money money, const Candidate& candidate, std::int64_t input,
                        std::int64_t wanted);

/// The fewest tokens that an answer is worth its call with.
inline constexpr std::int64_t kLeastAnswer = 256;

}  // namespace quarry::ask
