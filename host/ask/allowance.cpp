#include "ask/allowance.h"

#include <algorithm>
#include <limits>

namespace quarry::ask {
namespace {

constexpr std::int64_t kToolStep = 512;  // tokens that a model writes to call tools

/// Tokens that the next call may write; `more` if another call can follow it.
struct OutputLimit {
  std::int64_t output;
  bool more;
};

/// Expected input of the call after one of `input` tokens: tool results are added.
std::int64_t following(std::int64_t input) {
  return input + input / 4;
}

OutputLimit limit_in_tokens(std::int64_t left, std::int64_t input) {
  const std::int64_t output = left - input;
  return {output, output >= kToolStep + following(input) + kLeastAnswer};
}

/// A provider that reported cached input is expected to cache the input of the last call.
plugins::Usage expected(const plugins::Usage& last, std::int64_t input, std::int64_t output) {
  plugins::Usage out{.input = input, .output = output};
  if (last.cache_read > 0 || last.cache_write > 0) out.cache_read = std::min(input, last.input);
  return out;
}

std::int64_t affordable(Money left, const plugins::ModelRates& rates, const plugins::Usage& last,
                        std::int64_t input, std::int64_t wanted) {
  constexpr std::int64_t kMillion = 1'000'000;
  const std::int64_t reading = charge_of(rates, expected(last, input, 0)).nanos;
  const std::int64_t writing = charge_of(rates, expected(last, input, kMillion)).nanos - reading;
  const std::int64_t per_token = (writing + kMillion - 1) / kMillion;
  if (left.nanos < reading) return 0;
  return per_token > 0 ? (left.nanos - reading) / per_token : wanted;
}

OutputLimit limit_in_money(Money left, const plugins::ModelRates& rates, const plugins::Usage& last,
                           std::int64_t input, std::int64_t wanted) {
  const auto cost = [&](std::int64_t in, std::int64_t out) {
    return charge_of(rates, expected(last, in, out)).nanos;
  };
  return {affordable(left, rates, last, input, wanted),
          left.nanos >= cost(input, kToolStep) + cost(following(input), kLeastAnswer)};
}

}  // namespace

Allowance allowance(const Limits& limits, const Bill& bill, const Candidate& candidate,
                    std::uint32_t step, std::chrono::nanoseconds elapsed, std::int64_t input,
                    std::int64_t output) {
  if (elapsed >= limits.max_time) return {.permitted = false, .limit = "maxSeconds"};
  Allowance out{.limit = step >= limits.max_steps ? "maxSteps" : "", .output = output};
  const auto keep_within = [&](OutputLimit allowed, std::string_view limit) {
    out.permitted = allowed.output >= std::min(kLeastAnswer, output);
    out.output = std::min(out.output, allowed.output);
    if (!out.permitted || (!allowed.more && out.limit.empty())) out.limit = limit;
  };
  if (limits.max_tokens > 0) {
    const auto most = static_cast<std::int64_t>(
        std::min<std::uint64_t>(limits.max_tokens, std::numeric_limits<std::int64_t>::max()));
    keep_within(limit_in_tokens(most - bill.charged_tokens(), input), "maxTokens");
  }
  if (!out.permitted || !limits.max_cost) return out;
  const Money left{limits.max_cost->nanos - bill.charged().nanos};
  if (left.nanos <= 0) return {.permitted = false, .limit = "maxCost"};
  if (candidate.rates) {
    keep_within(limit_in_money(left, *candidate.rates, bill.last_usage(candidate), input, output),
                "maxCost");
  }
  return out;
}

Money most_of_call(const Candidate& candidate, std::int64_t input, std::int64_t output) {
  return charge_of(*candidate.rates, {.input = input, .output = output});
}

std::int64_t output_for(Money money, const Candidate& candidate, std::int64_t input,
                        std::int64_t wanted) {
  return std::min(affordable(money, *candidate.rates, {}, input, wanted), wanted);
}

}  // namespace quarry::ask
