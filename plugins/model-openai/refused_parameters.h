#pragma once

#include "model_http/failure_reply.h"

#include <atomic>

namespace quarry::openai {

/// Parameters that a server has refused, each of which requests have no more. [any thread]
struct RefusedParameters {
  std::atomic<bool> token_limit = false;  ///< in the words of the model's maker; others are used
  std::atomic<bool> stream_options = false;

  /// True if `failure` refuses one that requests had until now.
  bool note(const model_http::ReportedFailure& failure);
};

}  // namespace quarry::openai
