#include "runner/remote_exchange.h"

#include <utility>

namespace quarry::runner {
namespace {

/// The plugin's failure, or the runner's.
ExchangeEnd end_of(const Result<Answer>& answer, const Lost& lost) {
  if (!answer) return {answer.error(), lost.is_disturbed()};
  if (auto failure = answer->failure()) return {std::move(*failure)};
  return {};
}

}  // namespace

Result<Answer> RemoteExchange::ask(Function function,
                                   const std::function<void(PacketWriter&)>& arguments,
                                   Receiver* receiver, Lost* lost) {
  return connection_->call({.function = function,
                            .instance = instance_,
                            .arguments =
                                [&](PacketWriter& packet) {
                                  packet.put(number_);
                                  if (arguments) arguments(packet);
                                },
                            .receiver = receiver,
                            .patient = false,
                            .lost = lost});
}

Result<std::unique_ptr<RemoteExchange>> RemoteExchange::begin(RemoteInstance& instance,
                                                              const quarry_call* call,
                                                              std::string_view request) {
  Lost lost;
  auto begun = begin_in(instance, instance.connect(call, lost), request, lost);
  if (begun || lost.by == Lost::By::kNothing) return begun;
  return begin_in(instance, instance.connect_again(call, lost, begun.error()), request, lost);
}

Result<std::unique_ptr<RemoteExchange>> RemoteExchange::begin_in(
    RemoteInstance& instance, Result<std::shared_ptr<Connection>> connection,
    std::string_view request, Lost& lost) {
  if (!connection) return std::move(connection.error());
  std::unique_ptr<RemoteExchange> made(
      new RemoteExchange(std::move(*connection), instance.number(), instance.next_number()));
  auto answer = made->ask(
      Function::kBegin, [&](PacketWriter& packet) { packet.text(request); }, &made->request_,
      &lost);
  if (!answer) return std::move(answer.error());
  if (auto failure = answer->failure()) return std::move(*failure);
  return made;
}

RemoteExchange::~RemoteExchange() {
  if (connection_->alive()) static_cast<void>(ask(Function::kDestroyExchange, {}, nullptr));
}

void RemoteExchange::defer(Function function, std::unique_ptr<Receiver> receiver,
                           const std::function<void(PacketWriter&)>& arguments,
                           std::function<void(const ExchangeEnd&)> done) {
  connection_->defer(
      {.function = function,
       .instance = instance_,
       .arguments =
           [&](PacketWriter& packet) {
             packet.put(number_);
             arguments(packet);
           },
       .receiver = std::move(receiver),
       .done = [done = std::move(done)](const Result<Answer>& answer,
                                        const Lost& lost) { done(end_of(answer, lost)); }});
}

const quarry_http_request* RemoteExchange::request() {
  if (std::exchange(fresh_, false)) return request_.get();
  const auto answer = ask(Function::kRequest, {}, &request_);
  return answer ? request_.get() : nullptr;
}

ExchangeEnd RemoteExchange::call(Function function, Receiver& receiver,
                                 const std::function<void(PacketWriter&)>& arguments) {
  Lost lost;
  const auto answer = ask(function, arguments, &receiver, &lost);
  return end_of(answer, lost);
}

std::optional<quarry_status> RemoteExchange::KeptRequest::take(Kind kind, PacketReader& packet,
                                                               std::string&) {
  if (kind != Kind::kHttpRequest) return std::nullopt;
  read_.reset();
  if (packet.get<std::uint8_t>() == 0) return QUARRY_OK;
  // Copied, because the packet is gone when the host uses the request.
  bytes_ = packet.rest();
  PacketReader copied(bytes_);
  auto request = std::make_unique<ReceivedRequest>(copied);
  if (!copied.complete()) return std::nullopt;
  read_ = std::move(request);
  return QUARRY_OK;
}

}  // namespace quarry::runner
