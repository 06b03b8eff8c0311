#pragma once

#include "runner/http_packet.h"
#include "runner/remote_exchange.h"
#include "runner/remote_instance.h"
#include "runner/sink_functions.h"

#include <quarry/outcome.hpp>

#include <cstdint>

namespace quarry::runner {

/// Functions of an exchange in the tables of providers in a runner; instances are RemoteInstance*.
/// `Functions`: of the kind's sink.
template <class Functions>
struct RemoteExchangeTable {
  using CSink = typename Functions::Sink;

  template <class Table>
  static void add_to(Table& table) {
    table.begin = begin;
    table.request = request;
    table.head = head;
    table.data = data;
    table.end = end;
    table.destroy_exchange = destroy_exchange;
  }
  static RemoteExchange& of(quarry_exchange* exchange) {
    return *reinterpret_cast<RemoteExchange*>(exchange);
  }

  static void begin(void* instance, const quarry_call* call, quarry_text request,
                    quarry_exchange** exchange, const quarry_reply* reply) {
    auto begun = RemoteExchange::begin(RemoteInstance::of(instance), call, as_view(request));
    if (!begun) return reply_error(reply, begun.error());
    *exchange = reinterpret_cast<quarry_exchange*>(begun->release());
    reply->value(reply, as_text("{}"));
  }
  static const quarry_http_request* request(quarry_exchange* exchange) {
    return of(exchange).request();
  }
  static void head(quarry_exchange* exchange, std::int32_t status, std::uint32_t count,
                   const quarry_header* const* headers, const CSink* sink) {
    call(exchange, Function::kHead, sink, [&](PacketWriter& packet) {
      packet.put(status);
      write_headers(packet, count, headers);
    });
  }
  static void data(quarry_exchange* exchange, quarry_text bytes, const CSink* sink) {
    call(exchange, Function::kData, sink,
         [&](PacketWriter& packet) { packet.text(as_view(bytes)); });
  }
  static void end(quarry_exchange* exchange, quarry_end reason, const CSink* sink) {
    call(exchange, Function::kEnd, sink, [&](PacketWriter& packet) { packet.put(reason); });
  }
  static void destroy_exchange(quarry_exchange* exchange) { delete &of(exchange); }

 private:
  static void call(quarry_exchange* exchange, Function function, const CSink* sink,
                   const std::function<void(PacketWriter&)>& arguments) {
    SinkReceiver<Functions> receiver(*sink);
    const ExchangeEnd ended = of(exchange).call(function, receiver, arguments);
    if (!ended.status) receiver.fail(ended.status.error(), ended.may_be_asked_again);
  }
};

}  // namespace quarry::runner
