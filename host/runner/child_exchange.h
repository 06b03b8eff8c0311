#pragma once

#include "runner/answer.h"
#include "runner/child_functions.h"
#include "runner/http_packet.h"

#include <quarry/model.h>
#include <quarry/outcome.hpp>

#include <cstddef>
#include <cstdint>

namespace quarry::runner {

/// Streams the request of an exchange, or that there is none: a request with a missing header is
/// none, because the host cannot be told more, and so is one that no frame can hold.
void stream_request(ChildCall& call, const quarry_http_request* request);

/// Reports success without a value.
void reply_done(const ChildFunction& asked);

/// Calls `begin` of a provider.
template <class Table>
void call_begin(const ChildFunction& asked, const Table& table, std::uint32_t number) {
  quarry_exchange* exchange = nullptr;
  RecordedReply outcome;
  table.begin(asked.instance, asked.call.get(), as_text(asked.arguments.text()), &exchange,
              outcome.table());
  if (exchange == nullptr && outcome.succeeded()) {
    return reply_error(asked.reply, {Code::kInternal, "the provider began no exchange"});
  }
  if (exchange != nullptr && !outcome.succeeded()) table.destroy_exchange(exchange);
  if (outcome.succeeded()) {
    asked.exchanges.add(number, exchange);
    stream_request(asked.call, table.request(exchange));
  }
  outcome.replay(asked.reply);
}

/// Calls a function of an exchange in the table of a provider; `Sink`: functions of its sink. False
/// if it is no function of an exchange, or there is no exchange.
template <class Table, class Sink>
bool call_exchange(const ChildFunction& asked) {
  const auto& table = *static_cast<const Table*>(asked.component.table);
  const auto number = asked.arguments.get<std::uint32_t>();
  if (asked.function == Function::kBegin) return call_begin(asked, table, number), true;
  auto* const exchange = asked.exchanges.find(number);
  if (exchange == nullptr) return asked.function == Function::kDestroyExchange;
  const auto sink = Sink::sending(asked.call);
  switch (asked.function) {
    case Function::kRequest:
      stream_request(asked.call, table.request(exchange));
      break;
    case Function::kHead: {
      const auto status = asked.arguments.get<std::int32_t>();
      const HeaderList headers(asked.arguments);
      table.head(exchange, status, headers.count(), headers.data(), &sink);
      break;
    }
    case Function::kData:
      table.data(exchange, as_text(asked.arguments.text()), &sink);
      break;
    case Function::kEnd:
      table.end(exchange, asked.arguments.get<quarry_end>(), &sink);
      break;
    case Function::kDestroyExchange:
      asked.exchanges.remove(number);
      table.destroy_exchange(exchange);
      break;
    default:
      return false;
  }
  reply_done(asked);
  return true;
}

}  // namespace quarry::runner
