#include "ask/retry.h"

#include "base/json.h"
#include "services/retry_after.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

using std::chrono::milliseconds;

using services::header_value;
using services::parse_seconds;

/// google.rpc.RetryInfo among the details of an error: {"retryDelay": "12.5s"}.
std::optional<milliseconds> asked_in_body(std::string_view body) {
  const auto parsed = parse_json(body);
  if (!parsed) return std::nullopt;
  const Json& answer = parsed->is_array() && !parsed->empty() ? parsed->front() : *parsed;
  static const Json::json_pointer kDetails("/error/details");
  if (!answer.contains(kDetails) || !answer[kDetails].is_array()) return std::nullopt;
  for (const Json& detail : answer[kDetails]) {
    const auto delay = detail.is_object() ? detail.find("retryDelay") : detail.end();
    if (delay == detail.end() || !delay->is_string()) continue;
    std::string_view text = delay->get_ref<const std::string&>();
    if (!text.ends_with('s')) continue;
    text.remove_suffix(1);
    if (const auto wait = parse_seconds(text)) return wait;
  }
  return std::nullopt;
}

std::optional<milliseconds> asked_wait(const Refusal& refusal, Clock::Wall now) {
  // The header counts milliseconds.
  if (const auto wait = parse_seconds(header_value(refusal.headers, "retry-after-ms"))) {
    return std::chrono::ceil<milliseconds>(*wait / 1000.0);
  }
  if (const auto wait = services::retry_after(refusal.headers, now)) return wait;
  return asked_in_body(refusal.body);
}

/// Random between half and all of the doubled wait, so that many questions do not retry at once.
milliseconds own_wait(const RetryPolicy& policy, unsigned attempt) {
  const auto full =
      std::min(policy.first_wait * (1u << std::min(attempt - 1, 16u)), policy.longest_wait);
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<std::int64_t> between(full.count() / 2, full.count());
  return milliseconds(between(random));
}

std::optional<milliseconds> wait_of(const RetryPolicy& policy, unsigned attempt,
                                    std::optional<milliseconds> asked) {
  if (attempt >= policy.attempts || asked > policy.longest_asked_wait) return std::nullopt;
  return asked ? asked : own_wait(policy, attempt);
}

}  // namespace

bool may_be_retried(int status, std::span<const services::HttpHeader> headers) {
  if (status < 400) return false;
  const std::string_view advice = header_value(headers, "x-should-retry");
  if (advice == "true") return true;
  if (advice == "false") return false;
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

std::optional<milliseconds> wait_after(const RetryPolicy& policy, unsigned attempt,
                                       const Refusal& refusal, Clock::Wall now) {
  return wait_of(policy, attempt, asked_wait(refusal, now));
}

std::optional<milliseconds> wait_after_error(const RetryPolicy& policy, unsigned attempt,
                                             const plugins::ModelError& error) {
  const bool asks = error.retry_after_ms >= 0;
  return wait_of(policy, attempt,
                 asks ? std::optional(milliseconds(error.retry_after_ms)) : std::nullopt);
}

std::optional<milliseconds> wait_after_failure(const RetryPolicy& policy, unsigned attempt) {
  return wait_of(policy, attempt, std::nullopt);
}

}  // namespace quarry::ask
