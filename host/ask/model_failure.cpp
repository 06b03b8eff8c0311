#include "ask/model_failure.h"

#include "ask/retry.h"
#include "base/json_writer.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace quarry::ask {
namespace {

/// Messages for an empty account, of providers that answer it with 400 or 403.
constexpr std::array<std::string_view, 8> kOutOfQuota{
    "insufficient_quota",   "exceeded your current quota",
    "credit balance",       "insufficient credit",
    "insufficient balance", "any credits",
    "enough credits",       "more credits"};

/// Parts of the codes and messages of providers for what passes.
constexpr std::array<std::string_view, 5> kTransient{"overloaded", "server_error", "rate_limit",
                                                     "rate limit", "try again"};

/// Messages of providers for a request that does not fit the context.
constexpr std::array<std::string_view, 16> kTooLong{"context_length_exceeded",
                                                    "exceed_context_size",
                                                    "prompt is too long",
                                                    "input is too long",
                                                    "maximum context",
                                                    "context length",
                                                    "context window",
                                                    "exceeds the context",
                                                    "exceeds the available context",
                                                    "exceeds the maximum number of tokens",
                                                    "context limit",
                                                    "maximum allowed length",
                                                    "prompt token count",
                                                    "range of input length",
                                                    "maximum input length",
                                                    "too many tokens"};

/// Parts of the codes and messages of providers for a tool call that they could not read.
constexpr std::array<std::string_view, 6> kMalformedCall{
    "malformed_function_call", "unexpected_tool_call",    "malformed_tool_call",
    "tool_use_failed",         "error parsing tool call", "tool call as text"};

bool says_any(const plugins::ModelError& error, std::span<const std::string_view> phrases) {
  const std::string message = to_lower(error.message);
  return std::ranges::any_of(
      phrases, [&](std::string_view phrase) { return message.find(phrase) != message.npos; });
}

std::string hint_for(const plugins::ModelError& error) {
  if (is_refused(error)) return kCheckTheKey;
  if (!error.hint.empty()) return error.hint;
  if (error.http_status == 404) {
    return "Check the name of the model, and base_url, which of OpenAI's form ends in /v1 as a "
           "rule.";
  }
  if (error.retry_after_ms > 0) {
    return "Ask again in " + std::to_string((error.retry_after_ms + 999) / 1000) +
           " s, or choose another model.";
  }
  return "Ask again, or choose another model.";
}

std::string_view tag_for(const plugins::ModelError& error) {
  if (is_refused(error)) return "ProviderNotAuthenticatedError";
  return error.code == Code::kDeadlineExceeded ? "TimeoutError" : "AgentError";
}

}  // namespace

std::string model_key(std::string_view provider, std::string_view model) {
  std::string out(provider);
  if (!model.empty()) out.append("/").append(model);
  return out;
}

std::string words_of(const plugins::ModelError& error) {
  std::string out;
  if (error.http_status > 0) out = "HTTP " + std::to_string(error.http_status) + ": ";
  return out + (error.message.empty() ? "failed without a reason" : error.message);
}

bool is_refused(const plugins::ModelError& error) {
  if (says_any(error, kOutOfQuota)) return false;
  return error.http_status == 401 || error.http_status == 403 ||
         error.code == Code::kUnauthenticated;
}

bool is_outage(const plugins::ModelError& error) {
  if (says_any(error, kOutOfQuota)) return true;
  const int status = error.http_status;
  if (status == 402 || status == 408 || status == 409 || status == 429 || status >= 500) {
    return true;
  }
  if (status >= 400) return false;
  return error.code == Code::kUnavailable || error.code == Code::kResourceExhausted ||
         error.code == Code::kDeadlineExceeded;
}

bool is_transient(const plugins::ModelError& error) {
  if (says_any(error, kOutOfQuota)) return false;
  if (error.http_status >= 400) return may_be_retried(error.http_status, {});
  return says_any(error, kTransient);
}

bool may_be_repeated(const plugins::ModelError& error) {
  return error.http_status == 0 && error.retry_after_ms == 0;
}

bool is_malformed_call(const plugins::ModelError& error) {
  return says_any(error, kMalformedCall);
}

bool is_too_long(const plugins::ModelError& error) {
  if (error.http_status == 413) return true;
  return (error.http_status == 400 || error.http_status == 0) && says_any(error, kTooLong);
}

std::string words_of(const std::vector<FailedModel>& earlier) {
  std::string out;
  for (const FailedModel& failed : earlier) {
    out += model_key(failed.provider, failed.model) + ": " + failed.message + "; ";
  }
  return out;
}

Error model_failure(const std::vector<FailedModel>& earlier, const Candidate& last,
                    const plugins::ModelError& error) {
  std::string message =
      words_of(earlier) + model_key(last.provider, last.name) + ": " + words_of(error);
  Error out(is_refused(error) ? Code::kUnauthenticated : error.code, std::move(message),
            hint_for(error));
  return std::move(out).tagged(tag_for(error));
}

std::string fallbacks_json(const std::vector<FailedModel>& failed) {
  return json_array([&](JsonWriter& json) {
    for (const auto& [provider, model, message] : failed) {
      json.object([&] {
        json.member("provider", provider).member("model", model).member("message", message);
      });
    }
  });
}

}  // namespace quarry::ask
