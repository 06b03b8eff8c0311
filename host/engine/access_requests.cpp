#include "engine/access_requests.h"

#include "engine/params.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kPrincipalSchema = R"json({
  "type": "object",
  "properties": {"principal": {
    "type": "object", "required": ["token"],
    "properties": {
      "token": {"type": "string", "minLength": 1, "maxLength": 128},
      "project": {"type": ["string", "null"], "maxLength": 128}
    }}}
})json";

constexpr std::string_view kAdmitSchema = R"json({
  "type": "object", "required": ["authorization"],
  "properties": {
    "authorization": {"type": "string", "maxLength": 4096},
    "count": {"type": "boolean"},
    "peer": {"type": ["string", "null"], "maxLength": 64}
  }
})json";

constexpr std::string_view kSessionSchema = R"json({
  "type": "object", "required": ["principal"],
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

constexpr std::string_view kTokenSchema = R"json({
  "type": "object", "required": ["projects", "rights"],
  "properties": {
    "projects": {"type": "array", "minItems": 1, "maxItems": 100,
                 "items": {"type": "string", "minLength": 1, "maxLength": 64}},
    "rights": {"type": "array", "minItems": 1,
               "items": {"enum": ["add", "ask", "list", "metrics"]}},
    "label": {"type": ["string", "null"], "maxLength": 200},
    "expires": {"type": ["string", "null"], "pattern": "^[1-9][0-9]{0,4}[dh]$",
                "description": "must be a count of days or hours, as in \"90d\" or \"12h\""},
    "requestsPerMinute": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000000},
    "streams": {"type": ["integer", "null"], "minimum": 1, "maximum": 100000},
    "usdPerDay": {"type": ["string", "null"]}
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

Result<Json> read(std::string_view params, const Schema& schema) {
  return read_params(params, schema, "the request is not valid", "RequestError");
}

std::string text_of(const Json& value, const char* member) {
  const Json* text = given(value, member);
  return text == nullptr ? std::string() : text->get<std::string>();
}

std::optional<std::uint32_t> count_of(const Json& value, const char* member) {
  const Json* count = given(value, member);
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

Result<std::optional<PrincipalRequest>> read_principal(std::string_view params) {
  // Fast path: most params have no principal.
  if (params.find("\"principal\"") == std::string_view::npos) {
    return std::optional<PrincipalRequest>();
  }
  static const Schema schema = compiled(kPrincipalSchema);
  const auto value = read(params, schema);
  if (!value) return value.error();
  const auto principal = value->find("principal");
  if (principal == value->end()) return std::optional<PrincipalRequest>();
  return std::optional(
      PrincipalRequest{text_of(*principal, "token"), text_of(*principal, "project")});
}

Result<AdmitRequest> read_admit(std::string_view params) {
  static const Schema schema = compiled(kAdmitSchema);
  const auto value = read(params, schema);
  if (!value) return value.error();
  return AdmitRequest{text_of(*value, "authorization"), value->value("count", true),
                      text_of(*value, "peer")};
}

Result<SessionRequest> read_session(std::string_view params) {
  static const Schema schema = compiled(kSessionSchema);
  const auto value = read(params, schema);
  if (!value) return value.error();
  auto principal = read_principal(params);
  if (!principal) return std::move(principal).error();
  return SessionRequest{std::move(**principal), text_of(*value, "session")};
}

Result<CallRequest> read_call(std::string_view params) {
  static const Schema schema = compiled(kCallSchema);
  const auto value = read(params, schema);
  if (!value) return value.error();
  const auto principal = read_principal(params);
  if (!principal) return principal.error();
  CallRequest out;
  if (*principal) {
    out.entry.token = (*principal)->token;
    out.entry.project = (*principal)->project;
  }
  out.entry.peer = text_of(*value, "peer");
  out.entry.count = value->value("count", std::uint32_t{1});
  out.entry.request = text_of(*value, "request");
  out.entry.method = text_of(*value, "method");
  out.entry.tool = text_of(*value, "tool");
  out.entry.status = (*value)["status"];
  out.entry.duration = std::chrono::milliseconds((*value)["ms"].get<std::int64_t>());
  out.entry.cancelled = value->value("cancelled", false);
  out.question = text_of(*value, "questionId");
  return out;
}

Result<plugins::ProjectRecord> read_project(std::string_view params, Clock::Wall now) {
  static const Schema schema = compiled(kProjectSchema);
  const auto value = read(params, schema);
  if (!value) return value.error();
  const auto usd_per_day = money_of(*value, "usdPerDay");
  if (!usd_per_day) return usd_per_day.error();
  return plugins::ProjectRecord{text_of(*value, "name"), now, *usd_per_day};
}

Result<SecretRequest> read_secret_place(std::string_view params) {
  static const Schema schema = compiled(kSecretSchema);
  const auto value = read(params, schema);
  if (!value) return value.error();
  SecretRequest out{text_of(*value, "project"), text_of(*value, "resource"),
                    text_of(*value, "member"), Json::object()};
  for (const char* kind : {"env", "file", "command", "value"}) {
    if (const Json* given_one = given(*value, kind)) out.what[kind] = *given_one;
  }
  return out;
}

Result<SecretRequest> read_secret(std::string_view params) {
  auto out = read_secret_place(params);
  if (!out || out->what.size() == 1) return out;
  return invalid("the secret cannot be set", "RequestError",
                 {{"", "exactly one of env, file, command and value must be given"}});
}

Result<plugins::TokenRecord> read_token(std::string_view params, Clock::Wall now) {
  static const Schema schema = compiled(kTokenSchema);
  const auto value = read(params, schema);
  if (!value) return value.error();
  const auto usd_per_day = money_of(*value, "usdPerDay");
  if (!usd_per_day) return usd_per_day.error();
  plugins::TokenRecord token;
  token.projects = (*value)["projects"].get<std::vector<std::string>>();
  token.rights = (*value)["rights"].get<std::vector<std::string>>();
  std::ranges::sort(token.rights);
  const auto doubled = std::ranges::unique(token.rights);
  token.rights.erase(doubled.begin(), doubled.end());
  token.label = text_of(*value, "label");
  token.created = now;
  if (const std::string age = text_of(*value, "expires"); !age.empty()) {
    token.expires = after(now, age);
  }
  token.limits = {count_of(*value, "requestsPerMinute"), count_of(*value, "streams"), *usd_per_day};
  return token;
}

}  // namespace quarry::engine
