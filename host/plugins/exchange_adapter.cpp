#include "plugins/exchange_adapter.h"

#include "plugins/exchange_values.h"
#include "plugins/sink_slot.h"

#include <quarry/outcome.hpp>

namespace quarry::plugins {
namespace {

class ExchangeAdapter final : public ModelExchange {
 public:
  ExchangeAdapter(std::shared_ptr<Instance> instance, quarry_exchange* exchange)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_model_v1*>(instance_->table())),
        exchange_(exchange) {}
  ~ExchangeAdapter() override {
    const auto current = instance_->running(function::kDestroyExchange);
    table_.destroy_exchange(exchange_);
  }

  Result<services::HttpRequest> request() override {
    return read_exchange_request(*instance_, ask_request());
  }

  void head(int status, std::span<const services::HttpHeader> headers, ModelSink& sink) override {
    const LentHeaders lent(headers);
    const SinkSlot slot(*instance_, step_, sink);
    const auto current = instance_->running(function::kHead);
    table_.head(exchange_, status, lent.count(), lent.data(), slot.get());
  }

  void data(std::string_view bytes, ModelSink& sink) override {
    const SinkSlot slot(*instance_, step_, sink);
    const auto current = instance_->running(function::kData);
    table_.data(exchange_, as_text(bytes), slot.get());
  }

  void end(bool complete, ModelSink& sink) override {
    SinkSlot slot(*instance_, step_, sink);
    const auto current = instance_->running(function::kEnd);
    table_.end(exchange_, complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT, slot.get());
    slot.must_have_ended();
  }

 private:
  /// Valid until the next call of the exchange.
  const quarry_http_request* ask_request() {
    const auto current = instance_->running(function::kRequest);
    return table_.request(exchange_);
  }

  std::shared_ptr<Instance> instance_;
  const quarry_model_v1& table_;
  quarry_exchange* exchange_;
  Step step_;
};

}  // namespace

std::unique_ptr<ModelExchange> adapt_exchange(std::shared_ptr<Instance> instance,
                                              quarry_exchange* exchange) {
  return std::make_unique<ExchangeAdapter>(std::move(instance), exchange);
}

}  // namespace quarry::plugins
