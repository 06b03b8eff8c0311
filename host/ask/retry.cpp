#include "ask/retry.h"

#include "base/json.h"
#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <random>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

using std::chrono::milliseconds;

std::string_view header(std::span<const services::HttpHeader> headers, std::string_view name) {
  for (const auto& item : headers) {
    if (to_lower(item.name) == name) return trim(item.value);
  }
  return {};
}

constexpr double kLongest = 1e9;  // seconds; longer than any limit, without overflow

/// Parses a non-negative plain decimal.
std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, failed] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (failed != std::errc() || end != text.data() + text.size() || !(value >= 0)) {
    return std::nullopt;
  }
  return std::min(value, kLongest);
}

milliseconds seconds(double count) {
  return milliseconds(static_cast<std::int64_t>(std::ceil(count * 1000)));
}

/// Time until "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7); 0 for a past date.
std::optional<milliseconds> until(std::string_view date, Clock::Wall now) {
  std::tm parts{};
  const std::string text(date);
  const char* const end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end != '\0') return std::nullopt;
  const auto at = std::chrono::system_clock::from_time_t(::timegm(&parts));
  return std::max(std::chrono::ceil<milliseconds>(at - now), milliseconds(0));
}

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
    if (const auto count = number(text)) return seconds(*count);
  }
  return std::nullopt;
}

std::optional<milliseconds> asked_wait(const Refusal& refusal, Clock::Wall now) {
  if (const auto ms = number(header(refusal.headers, "retry-after-ms"))) return seconds(*ms / 1000);
  const std::string_view after = header(refusal.headers, "retry-after");
  if (const auto count = number(after)) return seconds(*count);
  if (const auto wait = until(after, now)) return wait;
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

}  // namespace

bool may_be_retried(int status, std::span<const services::HttpHeader> headers) {
  if (status < 400) return false;
  const std::string_view advice = header(headers, "x-should-retry");
  if (advice == "true") return true;
  if (advice == "false") return false;
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

std::optional<milliseconds> wait_after(const RetryPolicy& policy, unsigned attempt,
                                       const Refusal& refusal, Clock::Wall now) {
  if (attempt >= policy.attempts) return std::nullopt;
  const auto asked = asked_wait(refusal, now);
  if (!asked) return own_wait(policy, attempt);
  if (*asked > policy.longest_asked_wait) return std::nullopt;
  return asked;
}

std::optional<milliseconds> wait_after_failure(const RetryPolicy& policy, unsigned attempt) {
  if (attempt >= policy.attempts) return std::nullopt;
  return own_wait(policy, attempt);
}

}  // namespace quarry::ask
