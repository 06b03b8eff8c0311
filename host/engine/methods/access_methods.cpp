#include "engine/methods/methods.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

constexpr std::string_view kAdmitResult = R"json({
  "type": "object", "required": ["admitted", "token", "project", "rights"],
  "properties": {
    "admitted": {"type": "boolean"}, "token": {"type": "string"}, "project": {"type": "string"},
    "projects": {"type": "array", "items": {"type": "string"}},
    "rights": {"type": "array", "items": {"type": "string"}},
    "requests": {
      "type": "object", "required": ["limit", "remaining", "resetMs"],
      "properties": {"limit": {"type": "integer"}, "remaining": {"type": "integer"},
                     "resetMs": {"type": "integer"}}},
    "retryAfterMs": {"type": "integer"}
  }
})json";

constexpr std::string_view kRecordResult = R"json({"type": "object"})json";

constexpr std::string_view kOpenResult = R"json({
  "type": "object", "required": ["session"], "properties": {"session": {"type": "string"}}
})json";

constexpr std::string_view kCheckResult = R"json({
  "type": "object", "required": ["live"], "properties": {"live": {"type": "boolean"}}
})json";

constexpr std::string_view kEndSessionResult = R"json({
  "type": "object", "required": ["ended"], "properties": {"ended": {"type": "boolean"}}
})json";

std::string admission_json(const access::Admission& admission) {
  Json out{{"admitted", admission.rate.within},
           {"token", admission.token},
           {"project", admission.projects.front()},
           {"projects", admission.projects},
           {"rights", admission.rights}};
  if (admission.requests_per_minute) {
    out["requests"] = {{"limit", *admission.requests_per_minute},
                       {"remaining", admission.rate.remaining},
                       {"resetMs", admission.rate.reset.count()}};
    if (!admission.rate.within) out["retryAfterMs"] = admission.rate.retry_after.count();
  }
  return to_text(out);
}

Result<std::string> rendered(const Result<access::Admission>& admission) {
  if (!admission) return admission.error();
  return admission_json(*admission);
}

Result<access::Principal> session_principal(const MethodServices& engine,
                                            const SessionRequest& request) {
  const auto access = engine.gate.open();
  if (!access) return access.error();
  return (*access)->principal(request.principal.token, "");
}

std::optional<Answer> admit_at_once(const MethodServices& engine, const Json& params) {
  access::Access* const access = engine.gate.opened();
  if (access == nullptr) return std::nullopt;
  const AdmitRequest request = read_admit(params);
  const auto known = access->admit_known(request.authorization, request.count, request.peer);
  if (!known) return std::nullopt;
  return rendered(*known);
}

Answer admit(const MethodServices& engine, const Json& params) {
  const AdmitRequest request = read_admit(params);
  const auto access = engine.gate.open();
  if (!access) return access.error();
  return rendered((*access)->admit(request.authorization, request.count, request.peer));
}

Answer record(const MethodServices& engine, const Json& params) {
  CallRequest call = read_call(params);
  const auto opened = engine.gate.open();
  if (!opened) return opened.error();
  access::Access* const access = *opened;
  call.entry.at = engine.host.clock.now() - call.entry.duration;
  if (const auto who = access->principal(call.entry.token, call.entry.project)) {
    call.entry.project = who->project;
  }
  if (call.question.empty()) {
    access->record(std::move(call.entry));
    return "{}";
  }
  const bool with_question = engine.state.now()->config.access.audit_questions;
  // On the I/O thread, which ends questions: whether this one still runs does not change meanwhile.
  boost::asio::post(engine.host.io, [&engine, access, with_question, call = std::move(call)] {
    const auto add = [&engine, access, with_question,
                      entry = call.entry](const std::optional<Expense>& expense) mutable {
      if (expense) {
        entry.input_tokens = expense->input_tokens;
        entry.output_tokens = expense->output_tokens;
        entry.cost = expense->cost;
        if (with_question) entry.question = engine.host.redactor.redact(expense->question);
      }
      access->record(std::move(entry));
    };
    engine.expenses.take(call.question, engine.questions.is_running(call.question), add);
  });
  return std::string("{}");
}

/// Records at once if the store is open; else on a worker, which opens it.
std::optional<Answer> record_at_once(const MethodServices& engine, const Json& params) {
  if (engine.gate.opened() == nullptr) return std::nullopt;
  return record(engine, params);
}

Answer open_session(const MethodServices& engine, const Json& params) {
  const SessionRequest request = read_session(params);
  const auto principal_of = session_principal(engine, request);
  if (!principal_of) return principal_of.error();
  return to_text({{"session", engine.gate.opened()->open_session(*principal_of)}});
}

Answer check_session(const MethodServices& engine, const Json& params) {
  const SessionRequest request = read_session(params);
  const auto principal_of = session_principal(engine, request);
  if (!principal_of) return principal_of.error();
  return to_text({{"live", engine.gate.opened()->is_live(*principal_of, request.session)}});
}

Answer end_session(const MethodServices& engine, const Json& params) {
  const SessionRequest request = read_session(params);
  const auto principal_of = session_principal(engine, request);
  if (!principal_of) return principal_of.error();
  const auto ended = engine.gate.opened()->end_session(*principal_of, request.session);
  if (!ended) return ended.error();
  return to_text({{"ended", *ended}});
}

}  // namespace

void add_access_methods(MethodTable& table) {
  table.add({.name = "access.admit",
             .summary = "Checks the text after `Bearer ` of a request. With `count` it counts one"
                        " request against the token's limit per minute, and does not admit beyond"
                        " that. QUARRY_UNAUTHENTICATED with one message for every wrong, expired "
                        "or revoked token; QUARRY_UNAVAILABLE when the store cannot be reached; "
                        "QUARRY_RESOURCE_EXHAUSTED when the `peer`, or all together, sent too "
                        "many wrong tokens and this one is not known to be valid. `project` is "
                        "the one that a call acts for which names none.",
             .params = kAdmitParams,
             .result = kAdmitResult,
             .run = OnWorker{admit},
             .if_in_memory = admit_at_once});
  table.add({.name = "access.record",
             .summary = "Adds one line to the audit, to which the host adds tokens and cost. "
                        "Without a principal the request was not admitted, and `peer` is the IP "
                        "address of its sender. `count` is the number of requests that the line "
                        "stands for, all refused alike.",
             .params = kCallParams,
             .result = kRecordResult,
             .run = OnWorker{record},
             .if_in_memory = record_at_once});
  table.add({.name = "sessions.open",
             .summary = "A session of a token: text that every host of the store recognises, also"
                        " after a restart.",
             .params = kSessionParams,
             .result = kOpenResult,
             .run = OnWorker{open_session}});
  table.add({.name = "sessions.check",
             .summary = "Whether a session is live; one of another token is not.",
             .params = kSessionParams,
             .result = kCheckResult,
             .run = OnWorker{check_session}});
  table.add({.name = "sessions.end",
             .summary = "Ends a session.",
             .params = kSessionParams,
             .result = kEndSessionResult,
             .run = OnWorker{end_session}});
}

}  // namespace quarry::engine
