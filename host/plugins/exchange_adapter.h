#pragma once

#include "plugins/exchange.h"
#include "plugins/exchange_values.h"
#include "plugins/instance.h"
#include "plugins/limited_call.h"
#include "plugins/limited_exchange.h"
#include "plugins/reply_slot.h"

#include <quarry/model.h>
#include <quarry/outcome.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace quarry::plugins {

/// An exchange of a provider of one kind, destroyed on destruction. Keeps the instance until then.
/// `Kind` has the types Table, Sink, Slot (a sink in C form for one call: Slot(instance, state,
/// sink)) and State (of the request, between calls).
template <class Kind>
class ExchangeAdapter : public ProviderExchange<typename Kind::Sink> {
 public:
  using Table = typename Kind::Table;
  using Sink = typename Kind::Sink;

  ExchangeAdapter(std::shared_ptr<Instance> instance, quarry_exchange* exchange)
      : instance_(std::move(instance)),
        table_(*static_cast<const Table*>(instance_->table())),
        exchange_(exchange) {}
  ~ExchangeAdapter() override {
    const auto current = instance_->running(function::kDestroyExchange);
    table_.destroy_exchange(exchange_);
  }

  Result<services::HttpRequest> request() override {
    const auto current = instance_->running(function::kRequest);
    return read_exchange_request(*instance_, table_.request(exchange_));
  }

  void head(int status, std::span<const services::HttpHeader> headers, Sink& sink) override {
    const LentHeaders lent(headers);
    const typename Kind::Slot slot(*instance_, state_, sink);
    const auto current = instance_->running(function::kHead);
    table_.head(exchange_, status, lent.count(), lent.data(), slot.get());
  }

  void data(std::string_view bytes, Sink& sink) override {
    const typename Kind::Slot slot(*instance_, state_, sink);
    const auto current = instance_->running(function::kData);
    table_.data(exchange_, as_text(bytes), slot.get());
  }

  void end(bool complete, Sink& sink) override {
    typename Kind::Slot slot(*instance_, state_, sink);
    const auto current = instance_->running(function::kEnd);
    table_.end(exchange_, complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT, slot.get());
    slot.must_have_ended();
  }

 protected:
  std::shared_ptr<Instance> instance_;
  const Table& table_;
  quarry_exchange* exchange_;
  typename Kind::State state_;
};

/// Begins an exchange of `instance` with a request in JSON. Fails as begin of the kind, or with
/// kInternal if it begins none. Its functions are called on the calling thread, unless the plugin
/// is in this process and did not come with the host (LimitedExchange). `project` as in
/// services::Call. [worker]
template <class Kind, class Adapter = ExchangeAdapter<Kind>>
Result<std::unique_ptr<ProviderExchange<typename Kind::Sink>>> begin_exchange(
    const std::shared_ptr<Instance>& instance, std::string_view request,
    const std::string& project = {}) {
  if (instance->in_process() && !instance->is_own()) {
    return begin_limited_exchange<Kind>(instance, request);
  }
  const auto& table = *static_cast<const typename Kind::Table*>(instance->table());
  ReplySlot slot;
  quarry_exchange* exchange = nullptr;
  const LimitedCall lent(function::kBegin.limit, instance->rights(), project);
  {
    const auto current = instance->running(function::kBegin);
    table.begin(instance->get(), lent.get(), as_text(request), &exchange, slot.reply());
  }
  auto outcome = slot.take();
  if (outcome && exchange != nullptr) {
    return std::unique_ptr<ProviderExchange<typename Kind::Sink>>(
        std::make_unique<Adapter>(instance, exchange));
  }
  if (exchange != nullptr) table.destroy_exchange(exchange);
  return instance->blame(outcome ? Error(Code::kInternal, "the provider began no exchange")
                                 : std::move(outcome.error()));
}

}  // namespace quarry::plugins
