#pragma once

#include "base/clock.h"
#include "plugins/exchange.h"
#include "services/http_request.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace quarry::ask {

/// Rules for retrying a model call. It is retried only before any part of an answer arrived.
struct RetryPolicy {
  unsigned attempts = 3;
  std::chrono::milliseconds first_wait{500};     ///< doubled each time, with jitter
  std::chrono::milliseconds longest_wait{8000};  ///< when the provider asks for none
  /// A provider that asks for a longer wait is not retried.
  std::chrono::milliseconds longest_asked_wait{30'000};
};

/// An error response that may be retried.
struct Refusal {
  int status = 0;
  std::vector<services::HttpHeader> headers;
  std::string body;  ///< the part received
};

/// True for 408, 409, 429 and from 500; x-should-retry overrides this for any status from 400.
[[nodiscard]] bool may_be_retried(int status, std::span<const services::HttpHeader> headers);

/// Time to wait after attempt number `attempt` (from 1) ended in `refusal`; nothing when it is not
/// to be retried. Reads retry-after-ms, retry-after in seconds or as a date, and Google's RetryInfo
/// in the body, in this order.
std::optional<std::chrono::milliseconds> wait_after(const RetryPolicy& policy, unsigned attempt,
                                                    const Refusal& refusal, Clock::Wall now);

/// The same for an error in a response of success.
std::optional<std::chrono::milliseconds> wait_after_error(const RetryPolicy& policy,
                                                          unsigned attempt,
                                                          const plugins::ModelError& error);

/// The same when there was no response.
std::optional<std::chrono::milliseconds> wait_after_failure(const RetryPolicy& policy,
                                                            unsigned attempt);

}  // namespace quarry::ask
