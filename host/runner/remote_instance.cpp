#include "runner/remote_instance.h"

namespace quarry::runner {

void RemoteInstance::describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  of(instance).call({.function = Function::kDescribe, .call = call}, reply);
}

RemoteInstance::~RemoteInstance() {
  const auto connection = connection_.lock();
  if (!connection || !connection->alive()) return;
  const auto destroyed = connection->call({.function = Function::kDestroy, .instance = number_});
  static_cast<void>(destroyed);
}

Result<RemoteInstance::Attached> RemoteInstance::attach(const quarry_call* call) {
  const std::lock_guard lock(mutex_);
  auto running = runner_.running();
  if (!running) return std::move(running.error());
  Attached attached{running->connection, Answer::success()};
  if (running->generation == generation_) return attached;
  auto created = running->connection->call(
      {.function = Function::kCreate,
       .instance = number_,
       .call = call,
       .arguments = [&](PacketWriter& packet) { packet.put(component_).text(configuration_); }});
  if (!created) return std::move(created.error());
  if (created->succeeded()) {
    generation_ = running->generation;
    connection_ = running->connection;
  }
  attached.created = std::move(*created);
  return attached;
}

Result<Answer> RemoteInstance::create(const quarry_call* call) {
  auto attached = attach(call);
  if (!attached) return std::move(attached.error());
  return std::move(attached->created);
}

Result<std::shared_ptr<Connection>> RemoteInstance::connect(const quarry_call* call) {
  auto attached = attach(call);
  if (!attached) return std::move(attached.error());
  if (auto failure = attached->created.failure()) return std::move(*failure);
  return std::move(attached->connection);
}

Result<Answer> RemoteInstance::call(Request request) {
  auto attached = attach(request.call);
  if (!attached) return std::move(attached.error());
  if (!attached->created.succeeded()) return std::move(attached->created);
  request.instance = number_;
  return attached->connection->call(request);
}

void RemoteInstance::call(Request request, const quarry_reply* reply) {
  const auto answer = call(std::move(request));
  if (!answer) return reply_error(reply, answer.error());
  answer->replay(reply);
}

}  // namespace quarry::runner
