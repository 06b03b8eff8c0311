#include "admission.h"

#include "surface.h"

#include <algorithm>

namespace quarry::mcp {
namespace {

using http_server::Response;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string seconds_of(milliseconds time) {
  return std::to_string(std::max<std::int64_t>(1, std::chrono::ceil<seconds>(time).count()));
}

Response refusal_of(const Denial& denial) {
  if (denial.cause == Denial::Cause::kTooManyWrongTokens) {
    return too_many(denial.message, seconds(1));
  }
  const bool wrong = denial.cause == Denial::Cause::kWrongToken;
  Response response =
      wrong ? plain_error(401, "the token is not valid") : plain_error(503, denial.message);
  response.headers = wrong
                         ? "WWW-Authenticate: Bearer realm=\"quarry\", error=\"invalid_token\"\r\n"
                         : "Retry-After: 1\r\n";
  return response;
}

}  // namespace

std::string budget_lines(const Admission& admission) {
  if (!admission.requests) return {};
  const RequestBudget& budget = *admission.requests;
  return "RateLimit-Policy: \"requests\";q=" + std::to_string(budget.limit) +
         ";w=60\r\nRateLimit: \"requests\";r=" + std::to_string(budget.remaining) +
         ";t=" + seconds_of(budget.reset) + "\r\n";
}

Response too_many(std::string_view message, milliseconds retry_after) {
  Response response = plain_error(429, message);
  response.headers = "Retry-After: " + seconds_of(retry_after) + "\r\n";
  return response;
}

std::optional<Response> refusal_of(const std::expected<Admission, Denial>& outcome) {
  if (!outcome) return refusal_of(outcome.error());
  if (!outcome->retry_after) return std::nullopt;
  Response response = too_many("the request limit of this token is reached", *outcome->retry_after);
  response.headers += budget_lines(*outcome);
  return response;
}

}  // namespace quarry::mcp
