#include "ask/retry.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <string>
#include <string_view>

namespace quarry::ask {
namespace {

using std::chrono::milliseconds;

std::string_view header(std::span<const plugins::HttpHeader> headers, std::string_view name) {
  for (const auto& item : headers) {
    if (to_lower(item.name) == name) return trim(item.value);
  }
  return {};
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<milliseconds> asked_wait(std::span<const plugins::HttpHeader> headers) {
  constexpr std::int64_t kLargest = 1'000'000'000;  // beyond any patience, and no overflow
  if (const auto ms = number(header(headers, "retry-after-ms"))) {
    return milliseconds(std::min(*ms, kLargest));
  }
  if (const auto seconds = number(header(headers, "retry-after"))) {
    return std::chrono::seconds(std::min(*seconds, kLargest));
  }
  return std::nullopt;
}

bool worth_a_retry(int status, std::string_view advice) {
  if (advice == "true") return true;
  if (advice == "false") return false;
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

/// Between half and all of the doubled wait, so that many questions do not come back at once.
milliseconds own_wait(const RetryPolicy& policy, unsigned attempt) {
  const auto full =
      std::min(policy.first_wait * (1u << std::min(attempt - 1, 16u)), policy.longest_wait);
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<std::int64_t> between(full.count() / 2, full.count());
  return milliseconds(between(random));
}

}  // namespace

std::optional<milliseconds> wait_after(const RetryPolicy& policy, unsigned attempt, int status,
                                       std::span<const plugins::HttpHeader> headers) {
  if (status < 400 || attempt >= policy.attempts) return std::nullopt;
  if (!worth_a_retry(status, header(headers, "x-should-retry"))) return std::nullopt;
  const auto asked = asked_wait(headers);
  if (!asked) return own_wait(policy, attempt);
  if (*asked > policy.most_patience) return std::nullopt;
  return asked;
}

std::optional<milliseconds> wait_after_failure(const RetryPolicy& policy, unsigned attempt) {
  if (attempt >= policy.attempts) return std::nullopt;
  return own_wait(policy, attempt);
}

}  // namespace quarry::ask
