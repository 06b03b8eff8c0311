#include "engine_access.h"

#include "mcp_server/json.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::transport_mcp {
namespace {

using engine_client::Outcome;
using Cause = mcp::Denial::Cause;
using mcp::Json;
using std::chrono::milliseconds;

constexpr std::size_t kLongestName = 256;  // characters that the audit accepts
constexpr std::size_t kLongestProject = 128;

Json parsed(const std::string& value) {
  return Json::parse(value, nullptr, false);
}

milliseconds milliseconds_of(const Json& object, const char* member) {
  return milliseconds(object.value(member, std::int64_t{0}));
}

mcp::Admission admission_of(const Json& value) {
  mcp::Admission admission;
  admission.principal = value.value("token", "");
  admission.project = value.value("project", "");
  admission.projects = value.value("projects", std::vector<std::string>());
  admission.rights = value.value("rights", std::vector<std::string>());
  if (const Json* const requests = mcp::find(value, "requests")) {
    admission.requests = {requests->value("limit", std::int64_t{0}),
                          requests->value("remaining", std::int64_t{0}),
                          milliseconds_of(*requests, "resetMs")};
  }
  if (!value.value("admitted", false))
    admission.retry_after = milliseconds_of(value, "retryAfterMs");
  return admission;
}

std::expected<mcp::Admission, mcp::Denial> admitted(const Outcome& outcome) {
  if (!outcome) {
    // A text that cannot be a token is treated like an unknown token.
    const quarry_status status = outcome.error().status;
    const bool wrong = status == QUARRY_UNAUTHENTICATED || status == QUARRY_INVALID_ARGUMENT;
    const auto cause = wrong                                 ? Cause::kWrongToken
                       : status == QUARRY_RESOURCE_EXHAUSTED ? Cause::kTooManyWrongTokens
                                                             : Cause::kUnavailable;
    return std::unexpected(mcp::Denial{cause, outcome.error().message});
  }
  const Json value = parsed(*outcome);
  // Without a principal, the call would act as the owner.
  if (!value.is_object() || mcp::find_string(value, "token").empty()) {
    return std::unexpected(mcp::Denial{Cause::kUnavailable, "the token could not be checked"});
  }
  return admission_of(value);
}

}  // namespace

void EngineAccess::admit(const mcp::Credentials& credentials, bool count, Admitted done) {
  Json params{{"authorization", credentials.token}, {"count", count}};
  if (!credentials.peer.empty()) params["peer"] = credentials.peer;
  calls_.call("access.admit", mcp::dump(params),
              [done = std::move(done)](const Outcome& outcome) { done(admitted(outcome)); });
}

void EngineAccess::open_session(const std::string& principal,
                                std::function<void(std::string session)> done) {
  const Json params{{"principal", {{"token", principal}}}};
  calls_.call("sessions.open", mcp::dump(params), [done = std::move(done)](const Outcome& outcome) {
    done(outcome ? mcp::find_string(parsed(*outcome), "session") : std::string());
  });
}

void EngineAccess::ask_of_session(const char* method, const char* member,
                                  const std::string& principal, const std::string& session,
                                  std::function<void(bool)> done) {
  const Json params{{"principal", {{"token", principal}}}, {"session", session}};
  calls_.call(method, mcp::dump(params), [member, done = std::move(done)](const Outcome& outcome) {
    const Json value = outcome ? parsed(*outcome) : Json();
    done(value.is_object() && value.value(member, false));
  });
}

void EngineAccess::check_session(const std::string& principal, const std::string& session,
                                 std::function<void(bool live)> done) {
  ask_of_session("sessions.check", "live", principal, session, std::move(done));
}

void EngineAccess::end_session(const std::string& principal, const std::string& session,
                               std::function<void(bool ended)> done) {
  ask_of_session("sessions.end", "ended", principal, session, std::move(done));
}

void EngineAccess::record(const mcp::Record& record) {
  Json params{{"request", record.request},
              {"method", record.method.substr(0, kLongestName)},
              {"tool", record.tool.substr(0, kLongestName)},
              {"status", record.status},
              {"ms", record.took.count()},
              {"cancelled", record.cancelled}};
  if (!record.principal.empty()) {
    Json& principal = params["principal"] = {{"token", record.principal}};
    if (!record.project.empty()) principal["project"] = record.project.substr(0, kLongestProject);
  }
  if (!record.peer.empty()) params["peer"] = record.peer;
  if (record.count != 1) params["count"] = record.count;
  if (!record.question.empty()) params["questionId"] = record.question;
  calls_.call("access.record", mcp::dump(params), [](const Outcome&) {});
}

}  // namespace quarry::transport_mcp
