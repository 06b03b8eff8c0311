#include "runner/remote_instance.h"

#include "services/call_table.h"

#include <utility>

namespace quarry::runner {
namespace {

/// The project for which a call is made; empty = the owner.
std::string project_of(const quarry_call* call) {
  const auto* const table = services::CallTable::find(call);
  return table == nullptr ? "" : table->call().project;
}

bool may_be_made_again(const quarry_call* call, const Lost& lost) {
  if (!lost.is_disturbed()) return false;
  return call == nullptr || call->state(call) == QUARRY_OK;
}

}  // namespace

Result<Answer> RemoteInstance::create_in(RunningPlugin& running, const quarry_call* call,
                                         Lost& lost) {
  return running.create(
      {.function = Function::kCreate,
       .instance = number_,
       .call = call,
       .arguments = [&](PacketWriter& packet) { packet.put(component_).text(configuration_); },
       .lost = &lost});
}

Result<Answer> RemoteInstance::create(const quarry_call* call) {
  const auto running = runner_.shared(project_of(call), call);
  if (!running) return running.error();
  Lost lost;
  return create_in(**running, call, lost);
}

Result<std::shared_ptr<Connection>> RemoteInstance::connect_to(const Result<Runner::Lease>& lease,
                                                               const quarry_call* call,
                                                               Lost& lost) {
  if (!lease) return lease.error();
  const auto created = create_in(**lease, call, lost);
  if (!created) return created.error();
  if (auto failure = created->failure()) return std::move(*failure);
  return std::shared_ptr<Connection>(*lease, &(*lease)->connection());
}

Result<std::shared_ptr<Connection>> RemoteInstance::connect(const quarry_call* call, Lost& lost) {
  return connect_to(runner_.shared(project_of(call), call), call, lost);
}

Result<std::shared_ptr<Connection>> RemoteInstance::connect_again(const quarry_call* call,
                                                                  Lost& lost, const Error& why) {
  if (!may_be_made_again(call, lost)) return why;
  return connect_to(lease_again(call, lost), call, lost);
}

/// One that may have ended its runner is made apart from others.
Result<Runner::Lease> RemoteInstance::lease_again(const quarry_call* call, Lost& lost) {
  const std::string project = project_of(call);
  if (lost.crash == nullptr) return runner_.shared(project, call);
  return runner_.apart(project, call, std::exchange(lost.crash, nullptr));
}

Result<Answer> RemoteInstance::make(const Result<Runner::Lease>& lease, Request request,
                                    Lost& lost) {
  if (!lease) return lease.error();
  auto created = create_in(**lease, request.call, lost);
  if (!created || !created->succeeded()) return created;
  request.instance = number_;
  request.lost = &lost;
  return (*lease)->connection().call(request);
}

Result<Answer> RemoteInstance::call(Request request) {
  const auto* const call = request.call;
  const std::string project = project_of(call);
  const auto suspected = runner_.is_suspected(project, request.input);
  if (!suspected) return suspected.error();
  Lost lost;
  auto answer = *suspected ? make(runner_.apart(project, call, nullptr), request, lost)
                           : make(runner_.shared(project, call), request, lost);
  if (answer || !may_be_made_again(call, lost)) return answer;
  if (request.receiver != nullptr && !request.receiver->restart()) return answer;
  return make(lease_again(call, lost), request, lost);
}

void RemoteInstance::call(Request request, const quarry_reply* reply) {
  const auto answer = call(std::move(request));
  if (!answer) return reply_error(reply, answer.error());
  answer->replay(reply);
}

}  // namespace quarry::runner
