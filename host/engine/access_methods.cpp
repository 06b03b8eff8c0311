#include "engine/access_requests.h"
#include "engine/running_engine.h"

#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

std::string admission_json(const access::Admission& admission) {
  Json out{{"admitted", admission.rate.within},
           {"token", admission.token},
           {"project", admission.project},
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

}  // namespace

Result<access::Principal> RunningEngine::principal(const PrincipalRequest& asked,
                                                   std::string_view right) {
  const auto access = gate_->open();
  if (!access) return access.error();
  return (*access)->principal(asked.token, asked.project, right);
}

Result<access::Principal> RunningEngine::session_principal(const SessionRequest& request) {
  const auto access = gate_->open();
  if (!access) return access.error();
  return (*access)->principal(request.principal.token, "");
}

std::optional<RunningEngine::Answer> RunningEngine::admit_at_once(std::string_view params) {
  access::Access* const access = gate_->opened();
  if (access == nullptr) return std::nullopt;
  const auto request = read_admit(params);
  if (!request) return request.error();
  const auto known = access->admit_known(request->authorization, request->count, request->peer);
  if (!known) return std::nullopt;
  return rendered(*known);
}

RunningEngine::Answer RunningEngine::admit(std::string_view params) {
  const auto request = read_admit(params);
  if (!request) return request.error();
  const auto access = gate_->open();
  if (!access) return access.error();
  return rendered((*access)->admit(request->authorization, request->count, request->peer));
}

/// Records at once if the store is open; else on a worker, which opens it.
std::optional<RunningEngine::Answer> RunningEngine::record_at_once(std::string_view params) {
  if (gate_->opened() == nullptr) return std::nullopt;
  return record_call(params);
}

RunningEngine::Answer RunningEngine::record_call(std::string_view params) {
  auto call = read_call(params);
  if (!call) return std::move(call).error();
  const auto opened = gate_->open();
  if (!opened) return opened.error();
  access::Access* const access = *opened;
  call->entry.at = host_services_->clock.now() - call->entry.duration;
  if (const auto who = access->principal(call->entry.token, call->entry.project)) {
    call->entry.project = who->project;
  }
  if (call->question.empty()) {
    access->record(std::move(call->entry));
    return "{}";
  }
  const bool with_question = state()->config.access.audit_questions;
  // The expense of the question is known once the I/O thread has ended it.
  boost::asio::post(host_services_->io, [this, access, with_question, call = std::move(*call)] {
    plugins::AuditEntry entry = call.entry;
    if (const auto expense = expenses_.take(call.question)) {
      entry.input_tokens = expense->input_tokens;
      entry.output_tokens = expense->output_tokens;
      entry.cost = expense->cost;
      if (with_question) entry.question = host_services_->redactor.redact(expense->question);
    }
    access->record(std::move(entry));
  });
  return std::string("{}");
}

RunningEngine::Answer RunningEngine::open_session(std::string_view params) {
  const auto request = read_session(params);
  if (!request) return request.error();
  const auto principal_of = session_principal(*request);
  if (!principal_of) return principal_of.error();
  return to_text({{"session", gate_->opened()->open_session(*principal_of)}});
}

RunningEngine::Answer RunningEngine::check_session(std::string_view params) {
  const auto request = read_session(params);
  if (!request) return request.error();
  const auto principal_of = session_principal(*request);
  if (!principal_of) return principal_of.error();
  return to_text({{"live", gate_->opened()->is_live(*principal_of, request->session)}});
}

RunningEngine::Answer RunningEngine::end_session(std::string_view params) {
  const auto request = read_session(params);
  if (!request) return request.error();
  const auto principal_of = session_principal(*request);
  if (!principal_of) return principal_of.error();
  const auto ended = gate_->opened()->end_session(*principal_of, request->session);
  if (!ended) return ended.error();
  return to_text({{"ended", *ended}});
}

RunningEngine::Answer RunningEngine::end_host(std::string_view) {
  if (options_.on_end) options_.on_end();
  return std::string("{}");
}

}  // namespace quarry::engine
