#include "engine/access_requests.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kAdmitSchema = R"json({
  "type": "object", "required": ["authorization"],
  "properties": {
    "authorization": {"type": "string", "maxLength": 4096},
    "count": {"type": "boolean"},
    "peer": {"type": ["string", "null"], "maxLength": 64}
  }
})json";

constexpr std::string_view kSessionSchema = R"json({
  "type": "object",
  "properties": {"session": {"type": "string", "maxLength": 1024}}
})json";

constexpr std::string_view kCallSchema = R"json({
  "type": "object", "required": ["request", "method", "status", "ms"],
  "properties": {
    "request": {"type": "string", "maxLength": 256},
    "method": {"type": "string", "maxLength": 256},
    "tool": {"type": ["string", "null"], "maxLength": 256},
    "status": {"type": "integer"},
    "ms": {"type": "integer", "minimum": 0},
    "cancelled": {"type": "boolean"},
    "peer": {"type": ["string", "null"], "maxLength": 64},
    "count": {"type": "integer", "minimum": 1, "maximum": 4294967295},
    "questionId": {"type": ["string", "null"], "maxLength": 128}
  }
})json";

constexpr std::string_view kProjectSchema = R"json({
  "type": "object", "required": ["name"],
  "properties": {
    "name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
             "description": "must be 1 to 64 letters, digits, '.', '_' and '-'"},
    "usdPerDay": {"type": ["string", "null"]}
  }
})json";

constexpr std::string_view kProjectNameSchema = R"json({
  "type": "object", "properties": {"project": {"type": ["string", "null"], "minLength": 1}}
})json";

constexpr std::string_view kTokenSchema = R"json({
  "type": "object", "required": ["projects", "rights"],
  "properties": {
    "projects": {"type": "array", "minItems": 1, "maxItems": 100,
                 "items": {"type": "string", "minLength": 1, "maxLength": 64}},
    "rights": {"type": "array", "minItems": 1,
               "items": {"enum": ["add", "ask", "list", "metrics", "read"]}},
    "label": {"type": ["string", "null"], "maxLength": 200},
    "expires": {"type": ["string", "null"], "pattern": "^[1-9][0-9]{0,4}[dh]$",
                "description": "must be a count of days or hours, as in \"90d\" or \"12h\""},
    "requestsPerMinute": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000000},
    "streams": {"type": ["integer", "null"], "minimum": 1, "maximum": 100000},
    "usdPerDay": {"type": ["string", "null"]}
  }
})json";

constexpr std::string_view kSecretPlaceSchema = R"json({
  "type": "object", "required": ["project", "resource", "member"],
  "properties": {
    "project": {"type": "string", "minLength": 1, "maxLength": 64},
    "resource": {"type": "string", "minLength": 1, "maxLength": 128},
    "member": {"type": "string", "minLength": 1, "maxLength": 64}
  }
})json";

constexpr std::string_view kSecretSchema = R"json({
  "type": "object", "required": ["project", "resource", "member"],
  "properties": {
    "project": {"type": "string", "minLength": 1, "maxLength": 64},
    "resource": {"type": "string", "minLength": 1, "maxLength": 128},
    "member": {"type": "string", "minLength": 1, "maxLength": 64},
    "env": {"type": ["string", "null"], "minLength": 1, "maxLength": 256},
    "file": {"type": ["string", "null"], "pattern": "^/.+$", "maxLength": 4096,
             "description": "must be an absolute path"},
    "command": {"type": ["array", "null"], "minItems": 1, "maxItems": 64,
                "items": {"type": "string", "maxLength": 4096}},
    "value": {"type": ["string", "null"], "minLength": 1, "maxLength": 16384,
              "description": "must be a text of 1 to 16384 characters"}
  }
})json";

std::optional<std::uint32_t> count_of(const Json& value, const char* member) {
  const Json* count = find_member(value, member);
  return count == nullptr ? std::nullopt : std::optional(count->get<std::uint32_t>());
}

Result<std::optional<Money>> money_of(const Json& value, const char* member) {
  const std::string text = text_of(value, member);
  if (text.empty()) return std::optional<Money>();
  const auto amount = parse_money(text);
  if (amount) return std::optional(*amount);
  return invalid("the request is not valid", "RequestError",
                 {{std::string("/") + member, amount.error().message}});
}

Clock::Wall after(Clock::Wall now, const std::string& age) {
  const int count = std::stoi(age);
  if (age.back() == 'h') return now + std::chrono::hours(count);
  return now + std::chrono::days(count);
}

}  // namespace

constinit const ParamsRule kAdmitParams{kAdmitSchema};
constinit const ParamsRule kSessionParams{kSessionSchema, PrincipalMember::kRequired};
constinit const ParamsRule kCallParams{kCallSchema, PrincipalMember::kOptional};
constinit const ParamsRule kProjectParams{kProjectSchema};
constinit const ParamsRule kProjectNameParams{kProjectNameSchema};
constinit const ParamsRule kTokenParams{kTokenSchema};
constinit const ParamsRule kSecretParams{kSecretSchema};
constinit const ParamsRule kSecretPlaceParams{kSecretPlaceSchema};

std::optional<PrincipalRequest> principal_in(const Json& params) {
  const Json* const principal = find_member(params, "principal");
  if (principal == nullptr) return std::nullopt;
  return PrincipalRequest{text_of(*principal, "token"), text_of(*principal, "project")};
}

AdmitRequest read_admit(const Json& params) {
  return {text_of(params, "authorization"), params.value("count", true), text_of(params, "peer")};
}

SessionRequest read_session(const Json& params) {
  return {*principal_in(params), text_of(params, "session")};
}

CallRequest read_call(const Json& params) {
  CallRequest out;
  if (auto principal = principal_in(params)) {
    out.entry.token = std::move(principal->token);
    out.entry.project = std::move(principal->project);
  }
  out.entry.peer = text_of(params, "peer");
  out.entry.count = params.value("count", std::uint32_t{1});
  out.entry.request = text_of(params, "request");
  out.entry.method = text_of(params, "method");
  out.entry.tool = text_of(params, "tool");
  out.entry.status = params["status"];
  out.entry.duration = std::chrono::milliseconds(params["ms"].get<std::int64_t>());
  out.entry.cancelled = params.value("cancelled", false);
  out.question = text_of(params, "questionId");
  return out;
}

Result<plugins::ProjectRecord> read_project(const Json& params, Clock::Wall now) {
  const auto usd_per_day = money_of(params, "usdPerDay");
  if (!usd_per_day) return usd_per_day.error();
  return plugins::ProjectRecord{text_of(params, "name"), now, *usd_per_day};
}

SecretRequest read_secret_place(const Json& params) {
  return {text_of(params, "project"), text_of(params, "resource"), text_of(params, "member"), {}};
}

Result<SecretRequest> read_secret(const Json& params) {
  SecretRequest out = read_secret_place(params);
  out.what = Json::object();
  for (const char* kind : {"env", "file", "command", "value"}) {
    if (const Json* given_one = find_member(params, kind)) out.what[kind] = *given_one;
  }
  if (out.what.size() == 1) return out;
  return invalid("the secret cannot be set", "RequestError",
                 {{"", "exactly one of env, file, command and value must be given"}});
}

Result<plugins::TokenRecord> read_token(const Json& params, Clock::Wall now) {
  const auto usd_per_day = money_of(params, "usdPerDay");
  if (!usd_per_day) return usd_per_day.error();
  plugins::TokenRecord token;
  token.projects = params["projects"].get<std::vector<std::string>>();
  token.rights = params["rights"].get<std::vector<std::string>>();
  std::ranges::sort(token.rights);
  const auto doubled = std::ranges::unique(token.rights);
  token.rights.erase(doubled.begin(), doubled.end());
  token.label = text_of(params, "label");
  token.created = now;
  if (const std::string age = text_of(params, "expires"); !age.empty()) {
    token.expires = after(now, age);
  }
  token.limits = {count_of(params, "requestsPerMinute"), count_of(params, "streams"), *usd_per_day};
  return token;
}

}  // namespace quarry::engine
