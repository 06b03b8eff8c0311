#pragma once

#include "ask/model.h"
#include "base/error.h"

#include <string>
#include <vector>

namespace quarry::ask {

/// A model that was to answer and could not.
struct FailedModel {
  std::string provider;
  std::string model;
  std::string message;
};

/// `<provider>/<model>`, or the provider alone when the model is its choice.
std::string model_key(std::string_view provider, std::string_view model);
/// The provider's words with their status: "HTTP 503: overloaded".
std::string words_of(const plugins::ModelError& error);

/// What to do about credentials that were not accepted.
inline constexpr const char* kCheckTheKey =
    "Check the API key of the provider (model.api_key, or its environment variable).";

/// The credentials were not accepted.
[[nodiscard]] bool is_refused(const plugins::ModelError& error);
/// Down, overloaded or out of quota: another model may do.
[[nodiscard]] bool is_outage(const plugins::ModelError& error);

/// The request did not fit the model's context.
[[nodiscard]] bool is_too_long(const plugins::ModelError& error);

/// What each of them said, before what comes next: "a/m1: HTTP 503: overloaded; ".
std::string words_of(const std::vector<FailedModel>& earlier);

/// The end of a question whose models all failed: those of `earlier`, then this one.
Error model_failure(const std::vector<FailedModel>& earlier, const Candidate& last,
                    const plugins::ModelError& error);

/// done.fallbacks.
std::string fallbacks_json(const std::vector<FailedModel>& failed);

}  // namespace quarry::ask
