#include "engine/usage_report.h"

#include "base/json_writer.h"
#include "base/schema.h"
#include "base/time_text.h"
#include "engine/requests.h"

#include <charconv>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using history::By;

constexpr std::string_view kNames[] = {"model", "resource", "day"};  // in the order of By

constexpr std::string_view kMistake = "the usage cannot be reported";
constexpr std::string_view kSchema = R"json({
  "type": "object",
  "properties": {
    "since": {"type": ["string", "null"], "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,5}[dh])$",
              "description": "must be a day (UTC) such as \"2026-11-01\", or an age: \"7d\" or \"24h\""},
    "by": {"type": ["string", "null"], "pattern": "^(model|resource|day)$",
           "description": "must be \"model\", \"resource\" or \"day\""}
  }
})json";

/// Parses all of `text` as a number of at most `digits` digits.
std::optional<int> number(std::string_view text, std::size_t digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || text.size() > digits || text.front() == '-') return std::nullopt;
  return value;
}

std::optional<Clock::Wall> read_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number(text.substr(0, 4), 4);
  const auto month = number(text.substr(5, 2), 2);
  const auto day = number(text.substr(8, 2), 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<Clock::Wall> read_since(std::string_view text, Clock::Wall now) {
  if (auto date = read_date(text)) return date;
  if (text.empty()) return std::nullopt;
  const auto count = number(text.substr(0, text.size() - 1), 5);
  if (count && text.back() == 'd') return now - std::chrono::days(*count);
  if (count && text.back() == 'h') return now - std::chrono::hours(*count);
  return std::nullopt;
}

void add_sums(JsonWriter& json, const history::Sums& sums) {
  json.member("questions", sums.questions).member("calls", sums.calls);
  json.member("inputTokens", sums.input).member("outputTokens", sums.output);
  json.member("reasoningTokens", sums.reasoning);
  json.member("cacheReadTokens", sums.cache_read).member("cacheWriteTokens", sums.cache_write);
  json.member("costUsd", sums.cost);
}

}  // namespace

constinit const ParamsRule kUsageParams{kSchema, PrincipalMember::kNone, kMistake};

Result<UsageRequest> read_usage(const Json& params, Clock::Wall now) {
  UsageRequest request;
  if (const Json* const since = find_member(params, "since")) {
    request.since = read_since(since->get<std::string>(), now);
    if (!request.since) {
      return invalid(kMistake, "RequestError", {{"/since", "is not a day of the calendar"}});
    }
  }
  if (const Json* const by = find_member(params, "by")) {
    const auto* const name = std::ranges::find(kNames, by->get_ref<const std::string&>());
    request.by = static_cast<By>(name - kNames);
  }
  return request;
}

std::string usage_report(const UsageRequest& request, const history::Usage& usage) {
  return json_object([&](JsonWriter& json) {
    json.member("since", request.since.transform(rfc3339));
    json.member("by", kNames[static_cast<std::size_t>(request.by)]);
    json.array("rows", [&] {
      for (const auto& [key, sums] : usage.rows) {
        json.object([&] { add_sums(json.member("key", key), sums); });
      }
    });
    json.object("total", [&] { add_sums(json, usage.total); });
    json.member("unpricedCalls", usage.total.unpriced_calls);
  });
}

}  // namespace quarry::engine
