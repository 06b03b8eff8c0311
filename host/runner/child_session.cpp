#include "runner/child_session.h"

#include "base/error.h"
#include "plugins/reply_slot.h"
#include "runner/answer.h"
#include "runner/child_functions.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <unistd.h>

#include <sys/resource.h>

namespace quarry::runner {
namespace {

/// The host ends the connection before; this only has to be longer.
constexpr std::chrono::milliseconds kPatience{3'600'000};

/// Includes that of the host, from which the process was split off.
std::uint64_t peak_memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_maxrss) << 10;
}

void answer_nothing(const quarry_reply* reply) {
  reply->value(reply, as_text("{}"));
}

}  // namespace

/// One call to run.
struct ChildSession::Task {
  std::shared_ptr<ChildCall> call;
  Function function;
  std::uint32_t instance;
  std::string payload;
};

const quarry_component* component_at(const plugins::Module& module, std::size_t place) {
  const auto& listed = module.manifest().components[place];
  const auto& entry = module.entry();
  for (std::uint32_t i = 0; i < entry.component_count; ++i) {
    const auto* component = entry.components[i];
    if (component->kind == listed.kind && component->name == listed.name) return component;
  }
  return nullptr;
}

ChildSession::ChildSession(int socket, const Hello& hello, std::shared_ptr<plugins::Module> module,
                           CallThreads& threads)
    : outbox_(socket, kPatience),
      module_(std::move(module)),
      services_(outbox_, hello),
      version_(hello.version),
      host_{.struct_size = sizeof(quarry_host),
            .abi_major = QUARRY_ABI_MAJOR,
            .abi_minor = QUARRY_ABI_MINOR,
            .context = this,
            .version = as_text(version_),
            .service = [](const quarry_host* self, const char* id) -> const void* {
              const auto& session = *static_cast<ChildSession*>(self->context);
              return id == nullptr ? nullptr : session.services_.find(id);
            },
            .open_call =
                [](const quarry_host*, const quarry_call* parent, std::int64_t timeout_ms,
                   quarry_status (*state)(void*), void* context) noexcept {
                  return services::open_call({.parent = parent,
                                              .limit = std::chrono::milliseconds(timeout_ms),
                                              .state = state,
                                              .context = context});
                },
            .close_call = [](const quarry_host*,
                             const quarry_call* call) noexcept { services::close_call(call); }},
      threads_(threads),
      sender_([this] { outbox_.run(); }) {}

ChildSession::~ChildSession() {
  outbox_.stop();
  sender_.join();
}

void ChildSession::report_ready(std::string_view sandbox) {
  const auto count = module_->manifest().components.size();
  const auto sent = outbox_.send(Kind::kReady, 0, [&](PacketWriter& packet) {
    packet.put(kProtocol).text(sandbox).put(peak_memory());
    packet.put(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const auto* component = component_at(*module_, i);
      packet.put(component->flags).put(optional_functions(*component));
    }
  });
  static_cast<void>(sent);  // the reader sees the end of the connection
}

std::shared_ptr<ChildCall> ChildSession::find_call(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(number);
  return found == calls_.end() ? nullptr : found->second;
}

bool ChildSession::take(FrameBuffer& received) {
  for (;;) {
    const auto frame = received.next();
    if (!frame) return false;
    if (!*frame) return true;
    if (!take(**frame)) return false;
  }
}

/// A call that has just ended is no mistake of the host.
bool ChildSession::take(const Frame& frame) {
  if (frame.kind == Kind::kCall) return begin(frame);
  if (frame.kind == Kind::kServiceData || frame.kind == Kind::kServiceReply) {
    return services_.take(frame.kind, frame.payload);
  }
  const auto call = find_call(frame.call);
  if (!call) return true;
  PacketReader packet(frame.payload);
  if (frame.kind == Kind::kCancel) {
    call->cancel(packet.get<quarry_status>());
  } else if (frame.kind == Kind::kCredit) {
    const auto bytes = packet.get<std::uint32_t>();
    call->credit(bytes, packet.get<quarry_status>());
  } else if (frame.kind == Kind::kAnswer) {
    const auto status = packet.get<quarry_status>();
    call->answer({status, std::string(packet.text())});
  } else {
    return false;
  }
  return packet.complete();
}

bool ChildSession::begin(const Frame& frame) {
  PacketReader packet(frame.payload);
  const auto function = packet.get<std::uint8_t>();
  const auto instance = packet.get<std::uint32_t>();
  const auto left = packet.get<std::int64_t>();
  if (!packet.good() || function > static_cast<std::uint8_t>(Function::kLast)) return false;
  auto call =
      std::make_shared<ChildCall>(outbox_, frame.call, static_cast<Function>(function), left);
  {
    const std::lock_guard lock(mutex_);
    calls_[frame.call] = call;
  }
  constexpr std::size_t kHead = 1 + 4 + 8;
  threads_.submit([this, task = Task{std::move(call), static_cast<Function>(function), instance,
                                     std::string(frame.payload.substr(kHead))}] {
    run(*task.call, task.function, task.instance, PacketReader(task.payload));
  });
  return true;
}

void ChildSession::run(ChildCall& call, Function function, std::uint32_t instance,
                       PacketReader arguments) {
  RecordedReply reply;
  {
    const LoggedCall logged(call.number());
    dispatch(call, function, instance, arguments, reply.table());
  }
  {
    const std::lock_guard lock(mutex_);
    calls_.erase(call.number());
  }
  const auto sent =
      outbox_.send(Kind::kReply, call.number(), [&](PacketWriter& packet) { reply.write(packet); });
  if (function != Function::kClose && sent) return;
  outbox_.drain();  // another thread may be sending the reply, and log lines before it
  ::_exit(0);
}

void ChildSession::dispatch(ChildCall& call, Function function, std::uint32_t number,
                            PacketReader& arguments, const quarry_reply* reply) {
  switch (function) {
    case Function::kOpen:
      return open(call, reply);
    case Function::kClose:
      if (module_->entry().close != nullptr) module_->entry().close();
      return answer_nothing(reply);
    case Function::kCreate:
      return create(call, number, arguments, reply);
    case Function::kDestroy:
      return destroy(number, reply);
    default:
      break;
  }
  const auto [component, instance] = find(number);
  const bool known = component != nullptr && call_component({*component, instance, function, call,
                                                             arguments, exchanges_, reply});
  if (!known) reply_error(reply, {Code::kInternal, "the host called a function that is not there"});
}

void ChildSession::open(const ChildCall& call, const quarry_reply* reply) {
  if (module_->entry().open == nullptr) return answer_nothing(reply);
  module_->entry().open(&host_, call.get(), reply);
}

void ChildSession::create(const ChildCall& call, std::uint32_t number, PacketReader& arguments,
                          const quarry_reply* reply) {
  const auto place = arguments.get<std::uint32_t>();
  const auto configuration = arguments.text();
  const auto* component =
      place < module_->manifest().components.size() ? component_at(*module_, place) : nullptr;
  if (component == nullptr) {
    return reply_error(reply, {Code::kInternal, "the host named a component that is not there"});
  }
  void* instance = nullptr;
  component->create(&host_, call.get(), as_text(configuration), &instance, reply);
  const std::lock_guard lock(mutex_);
  instances_[number] = {component, instance};
}

void ChildSession::destroy(std::uint32_t number, const quarry_reply* reply) {
  const auto [component, instance] = find(number);
  if (component != nullptr) component->destroy(instance);
  {
    const std::lock_guard lock(mutex_);
    instances_.erase(number);
  }
  answer_nothing(reply);
}

ChildSession::Live ChildSession::find(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = instances_.find(number);
  return found == instances_.end() ? Live{} : found->second;
}

}  // namespace quarry::runner
