#pragma once

#include "base/clock.h"
#include "plugins/model_provider.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quarry::ask {

/// When a model is asked again. Only ever before anything of an answer came.
struct RetryPolicy {
  unsigned attempts = 3;
  std::chrono::milliseconds first_wait{500};     ///< doubled each time, with jitter
  std::chrono::milliseconds longest_wait{8000};  ///< of our own choice
  std::chrono::milliseconds most_patience{
      30'000};  ///< a provider that asks for more is not waited for
};

/// A response that may be worth another try.
struct Refusal {
  int status = 0;
  std::vector<plugins::HttpHeader> headers;
  std::string body;  ///< as much as there is
};

/// 408, 409, 429 and 500 on; x-should-retry decides otherwise for any failure.
[[nodiscard]] bool may_be_retried(int status, std::span<const plugins::HttpHeader> headers);

/// How long to wait after attempt number `attempt` (from 1) ended in `refusal`; nothing when it is
/// to be taken as it is. Heeds retry-after-ms, retry-after in seconds or as a date, and Google's
/// RetryInfo in the body, in this order.
std::optional<std::chrono::milliseconds> wait_after(const RetryPolicy& policy, unsigned attempt,
                                                    const Refusal& refusal, Clock::Wall now);

/// As wait_after, when there was no response at all.
std::optional<std::chrono::milliseconds> wait_after_failure(const RetryPolicy& policy,
                                                            unsigned attempt);

}  // namespace quarry::ask
