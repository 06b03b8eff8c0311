#pragma once

#include "ask/model.h"
#include "base/error.h"

#include <string>
#include <vector>

namespace quarry::ask {

/// A model that was asked and failed.
struct FailedModel {
  std::string provider;
  std::string model;
  std::string message;
};

/// `<provider>/<model>`, or the provider alone when it chooses the model.
std::string model_key(std::string_view provider, std::string_view model);
/// The provider's message with its HTTP status: "HTTP 503: overloaded".
std::string words_of(const plugins::ModelError& error);

/// Hint for rejected credentials.
inline constexpr const char* kCheckTheKey =
    "Check the API key of the provider (model.api_key, or its environment variable).";

/// True if the provider rejected the credentials.
[[nodiscard]] bool is_refused(const plugins::ModelError& error);
/// True if the provider is down, overloaded or out of quota, so that another model may answer.
[[nodiscard]] bool is_outage(const plugins::ModelError& error);

/// True if the same request may succeed in a moment, by the words of an error in a response of
/// success.
[[nodiscard]] bool is_transient(const plugins::ModelError& error);

/// True if the call failed without a response and may be made again at once, as when another call
/// ended the process that they shared.
[[nodiscard]] bool may_be_repeated(const plugins::ModelError& error);

/// Message for markup of a tool call in the text of a model, if no call can be read in it.
inline constexpr const char* kMalformedTextCall =
    "the model wrote a tool call as text that cannot be read (its server may read the calls of "
    "this model with another setting)";
/// True if the model wrote a tool call that the provider, or the host in a text, could not read.
[[nodiscard]] bool is_malformed_call(const plugins::ModelError& error);

/// True if the request did not fit the model's context.
[[nodiscard]] bool is_too_long(const plugins::ModelError& error);

/// The message of each model, to be followed by more text: "a/m1: HTTP 503: overloaded; ".
std::string words_of(const std::vector<FailedModel>& earlier);

/// Final error of a question when all models failed: those of `earlier`, then `last`.
Error model_failure(const std::vector<FailedModel>& earlier, const Candidate& last,
                    const plugins::ModelError& error);

/// done.fallbacks.
std::string fallbacks_json(const std::vector<FailedModel>& failed);

}  // namespace quarry::ask
