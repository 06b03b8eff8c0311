#include "retrieval/provider_use.h"

#include "ask/model_failure.h"

#include <algorithm>
#include <chrono>

namespace quarry::retrieval {
namespace {

using std::chrono::milliseconds;

std::string hint_for(const plugins::ModelError& error) {
  if (ask::is_refused(error)) return ask::kCheckTheKey;
  if (error.retry_after_ms > 0) {
    return "Try again in " + std::to_string((error.retry_after_ms + 999) / 1000) + " s.";
  }
  if (error.code == Code::kNotFound) return "Correct the model or the base_url of the provider.";
  return {};
}

}  // namespace

Error wrong_output(const ProviderUse& use, std::string_view why) {
  return {Code::kDataLoss, std::string(why),
          "Check that \"" + use.model + "\" is a model for this purpose, and its server."};
}

Error provider_failure(const ProviderUse&, const plugins::ModelError& error) {
  return {ask::is_refused(error) ? Code::kUnauthenticated : error.code, ask::words_of(error),
          hint_for(error)};
}

ProviderUse interactive(ProviderUse use) {
  use.limits.total = std::min(use.limits.total, milliseconds(30'000));
  use.limits.idle = std::min(use.limits.idle, milliseconds(15'000));
  use.services.retry.attempts = std::min(use.services.retry.attempts, 2u);
  use.services.retry.longest_asked_wait =
      std::min(use.services.retry.longest_asked_wait, milliseconds(3'000));
  return use;
}

}  // namespace quarry::retrieval
