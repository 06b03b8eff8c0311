#include "plugins/store_json.h"

#include <limits>

namespace quarry::plugins {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kLatest =
    std::chrono::floor<milliseconds>(Clock::Wall::max().time_since_epoch()).count();
constexpr std::int64_t kMostCounted = std::numeric_limits<std::uint32_t>::max();

template <class T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}
void put(Json& object, const char* key, const std::optional<Money>& value) {
  if (value) object[key] = to_decimal(*value);
}
void put(Json& object, const char* key, const std::optional<Clock::Wall>& value) {
  if (value) object[key] = to_json(*value);
}
/// Omits an empty value, which means unknown.
void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

TokenCount read_count(const Answer& said) {
  return {said.text("token"), static_cast<std::uint32_t>(said.number("count", 0, kMostCounted)), 0};
}

std::optional<std::uint32_t> read_limit(const Answer& limits, const char* key) {
  if (!limits.has(key)) return std::nullopt;
  return static_cast<std::uint32_t>(limits.number(key, 0, kMostCounted));
}

}  // namespace

std::int64_t to_json(Clock::Wall time) {
  return std::chrono::floor<milliseconds>(time.time_since_epoch()).count();
}

Json to_json(const ProjectRecord& project) {
  Json limits = Json::object();
  put(limits, "usdPerDay", project.usd_per_day);
  return {{"name", project.name}, {"created", to_json(project.created)}, {"limits", limits}};
}

Json to_json(const TokenRecord& token) {
  Json limits = Json::object();
  put(limits, "requestsPerMinute", token.limits.requests_per_minute);
  put(limits, "streams", token.limits.streams);
  put(limits, "usdPerDay", token.limits.usd_per_day);
  Json out{{"id", token.id},       {"projects", token.projects},        {"rights", token.rights},
           {"label", token.label}, {"created", to_json(token.created)}, {"limits", limits}};
  put(out, "expires", token.expires);
  put(out, "revoked", token.revoked);
  return out;
}

Json to_json(const SecretRecord& secret) {
  return {{"id", secret.id},
          {"project", secret.project},
          {"resource", secret.resource},
          {"member", secret.member},
          {"source", secret.source},
          {"sealed", secret.sealed},
          {"created", to_json(secret.created)}};
}

Json to_json(const HostActivity& activity) {
  Json requests = Json::array();
  for (const auto& [token, count, window] : activity.requests) {
    requests.push_back({{"token", token}, {"window", window}, {"count", count}});
  }
  Json streams = Json::array();
  for (const auto& [token, count, window] : activity.streams) {
    streams.push_back({{"token", token}, {"count", count}});
  }
  return {{"host", activity.host},
          {"at", to_json(activity.at)},
          {"window", activity.window},
          {"requests", requests},
          {"streams", streams}};
}

Json to_json(const Reservation& reservation) {
  Json out{{"id", reservation.id},
           {"token", reservation.token},
           {"project", reservation.project},
           {"day", reservation.day},
           {"usd", to_decimal(reservation.amount)},
           {"at", to_json(reservation.at)},
           {"expires", to_json(reservation.expires)}};
  put(out, "tokenLimit", reservation.token_limit);
  put(out, "projectLimit", reservation.project_limit);
  return out;
}

Json to_json(const AuditEntry& entry) {
  Json out{{"at", to_json(entry.at)},
           {"status", entry.status},
           {"ms", entry.duration.count()},
           {"cancelled", entry.cancelled}};
  put(out, "host", entry.host);
  put(out, "request", entry.request);
  put(out, "token", entry.token);
  put(out, "project", entry.project);
  put(out, "method", entry.method);
  put(out, "tool", entry.tool);
  put(out, "inputTokens", entry.input_tokens);
  put(out, "outputTokens", entry.output_tokens);
  put(out, "usd", entry.cost);
  put(out, "question", entry.question);
  put(out, "peer", entry.peer);
  if (entry.count != 1) out["count"] = entry.count;
  return out;
}

void Answer::blame(const char* key) const {
  if (fault_.empty()) fault_ = key;
}

const Json& Answer::member(const char* key) const {
  static const Json kNothing;
  const auto found = object_.find(key);
  return found == object_.end() ? kNothing : *found;
}

bool Answer::flag(const char* key) const {
  const Json& value = member(key);
  if (value.is_boolean()) return value.get<bool>();
  blame(key);
  return false;
}

std::int64_t Answer::number(const char* key, std::int64_t least, std::int64_t most) const {
  const Json& value = member(key);
  // Beyond the signed 64-bit range the JSON parser yields unsigned or floating-point numbers.
  if (value.is_number_integer() && !(value.is_number_unsigned() && value > kMostNumber)) {
    const auto number = value.get<std::int64_t>();
    if (number >= least && number <= most) return number;
  }
  blame(key);
  return least;
}

std::string Answer::text(const char* key) const {
  const Json& value = member(key);
  if (value.is_string()) return value.get<std::string>();
  blame(key);
  return {};
}

Money Answer::money(const char* key) const {
  const auto amount = parse_money(text(key));
  if (amount) return *amount;
  blame(key);
  return {};
}

Clock::Wall Answer::time(const char* key) const {
  return Clock::Wall(milliseconds(number(key, 0, kLatest)));
}

const Json& Answer::object(const char* key) const {
  static const Json kEmpty = Json::object();
  const Json& value = member(key);
  if (value.is_object()) return value;
  blame(key);
  return kEmpty;
}

const Json& Answer::array(const char* key) const {
  static const Json kEmpty = Json::array();
  const Json& value = member(key);
  if (value.is_array()) return value;
  blame(key);
  return kEmpty;
}

std::vector<std::string> Answer::texts(const char* key) const {
  std::vector<std::string> out;
  for (const Json& item : array(key)) {
    if (!item.is_string()) {
      blame(key);
      break;
    }
    out.push_back(item.get<std::string>());
  }
  return out;
}

ProjectRecord read_project(const Answer& said) {
  return {said.text("name"), said.time("created"),
          said.inner("limits").optional(&Answer::money, "usdPerDay")};
}

TokenRecord read_token(const Answer& said) {
  const Answer limits = said.inner("limits");
  return {.id = said.text("id"),
          .projects = said.texts("projects"),
          .rights = said.texts("rights"),
          .label = said.text("label"),
          .created = said.time("created"),
          .expires = said.optional(&Answer::time, "expires"),
          .revoked = said.optional(&Answer::time, "revoked"),
          .limits = {read_limit(limits, "requestsPerMinute"), read_limit(limits, "streams"),
                     limits.optional(&Answer::money, "usdPerDay")}};
}

Json read_resource(const Answer& said) {
  static_cast<void>(said.text("name"));
  return said.json();
}

SecretRecord read_secret(const Answer& said) {
  return {said.text("id"),     said.text("project"), said.text("resource"), said.text("member"),
          said.text("source"), said.text("sealed"),  said.time("created")};
}

TokenCount read_requests(const Answer& said) {
  TokenCount count = read_count(said);
  count.window = said.number("window", 0, kMostNumber);
  return count;
}

TokenCount read_streams(const Answer& said) {
  return read_count(said);
}

AuditEntry read_audit(const Answer& said) {
  const auto text = [&](const char* key) { return said.optional(&Answer::text, key).value_or(""); };
  const auto tokens = [&](const char* key) {
    return said.optional<std::int64_t>(&Answer::number, key, std::int64_t{0}, kMostNumber);
  };
  AuditEntry entry;
  entry.at = said.time("at");
  entry.host = text("host");
  entry.request = text("request");
  entry.token = text("token");
  entry.project = text("project");
  entry.method = text("method");
  entry.tool = text("tool");
  entry.status = static_cast<int>(said.number("status", 0, 999));
  entry.duration = milliseconds(said.number("ms", 0, kLatest));
  entry.input_tokens = tokens("inputTokens");
  entry.output_tokens = tokens("outputTokens");
  entry.cost = said.optional(&Answer::money, "usd");
  entry.cancelled = said.flag("cancelled");
  entry.question = text("question");
  entry.peer = text("peer");
  entry.count = static_cast<std::uint32_t>(
      said.optional<std::int64_t>(&Answer::number, "count", std::int64_t{1}, kMostCounted)
          .value_or(1));
  return entry;
}

}  // namespace quarry::plugins
