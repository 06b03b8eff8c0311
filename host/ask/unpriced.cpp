#include "ask/unpriced.h"

#include "base/json.h"

namespace quarry::ask {
namespace {

/// The missing part of the price; empty when none is missing. Rates of cached tokens may be
/// missing: limits derive them from the rate of input (charge_of).
std::string_view missing_part(const Candidate& candidate) {
  if (candidate.local) return {};
  if (!candidate.rates) return "price";
  const plugins::Rates& rates = candidate.rates->rates;
  if (!rates.input) return rates.output ? "input price" : "price";
  return rates.output ? "" : "output price";
}

}  // namespace

bool is_priced(const Candidate& candidate) {
  return missing_part(candidate).empty();
}

bool is_limited_in_money(const Request& request) {
  return request.limits.max_cost || (request.shared_budget && request.shared_budget->is_limited());
}

std::optional<Error> unpriced(const Request& request, const Candidate& candidate) {
  if (request.limits.allow_unpriced) return std::nullopt;
  const std::string_view part = missing_part(candidate);
  if (part.empty() || !is_limited_in_money(request)) return std::nullopt;
  const std::string key = candidate.provider + "/" + candidate.name;
  return Error{
      Code::kInvalidArgument,
      "the " + std::string(part) + " of " + key + " is unknown, and a limit in money applies",
      "Under [pricing.static], add " + json_string(key) +
          R"( = { input = "…", output = "…" } (USD per million tokens), )"
          R"(or set unpriced = "allow" under [model].)"}
      .tagged("ConfigError");
}

}  // namespace quarry::ask
