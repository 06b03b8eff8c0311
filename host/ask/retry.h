#pragma once

#include "plugins/model_provider.h"

#include <chrono>
#include <optional>
#include <span>

namespace quarry::ask {

/// When a model is asked again. Only ever before anything of an answer came.
struct RetryPolicy {
  unsigned attempts = 3;
  std::chrono::milliseconds first_wait{500};     ///< doubled each time, with jitter
  std::chrono::milliseconds longest_wait{8000};  ///< of our own choice
  std::chrono::milliseconds most_patience{
      30'000};  ///< a provider that asks for more is not waited for
};

/// How long to wait after response `status` to attempt number `attempt` (from 1); nothing when it
/// is to be taken as it is. Heeds x-should-retry, retry-after-ms and retry-after in seconds.
std::optional<std::chrono::milliseconds> wait_after(const RetryPolicy& policy, unsigned attempt,
                                                    int status,
                                                    std::span<const plugins::HttpHeader> headers);

/// As wait_after, when there was no response at all.
std::optional<std::chrono::milliseconds> wait_after_failure(const RetryPolicy& policy,
                                                            unsigned attempt);

}  // namespace quarry::ask
