#pragma once

#include "plugins/component_reply.h"
#include "plugins/component_schema.h"
#include "plugins/exchange_adapter.h"
#include "plugins/exchange_provider.h"
#include "plugins/json_members.h"
#include "plugins/read_value.h"
#include "plugins/sink_values.h"

#include <memory>
#include <string>
#include <utility>

namespace quarry::plugins {

/// The sink of a draft kind in C form, for one call into a plugin: its functions common to all
/// kinds. `CSink` is the contract's sink, `Sink` the host's.
template <class CSink, class Sink>
class ExchangeSlot {
 public:
  /// The output of one request, which ends exactly once.
  struct State {
    bool ended = false;
  };

  ExchangeSlot(const Instance& instance, State& state, Sink& sink)
      : instance_(instance), state_(state), sink_(sink) {
    table_.struct_size = sizeof table_;
    table_.context = this;
    table_.usage = [](const CSink* self, const quarry_usage* said) { return of(self).take(said); };
    table_.finish = [](const CSink* self) {
      if (of(self).end()) of(self).sink_.finish();
    };
    table_.error = [](const CSink* self, const quarry_model_error* said) { of(self).take(said); };
  }
  ExchangeSlot(const ExchangeSlot&) = delete;
  ExchangeSlot& operator=(const ExchangeSlot&) = delete;
  [[nodiscard]] const CSink* get() const { return &table_; }

  /// Ends the request with an error that names the plugin, unless it has ended.
  void fail(std::string why) {
    if (!end()) return;
    const Error error = instance_.blame({Code::kInternal, std::move(why)});
    sink_.error({.code = error.code, .message = error.message});
  }
  /// Fails the request if the plugin has not ended it.
  void must_have_ended() { fail("the provider ended without a finish or an error"); }

 protected:
  static ExchangeSlot& of(const CSink* self) { return *static_cast<ExchangeSlot*>(self->context); }
  static quarry_status wanted(bool more) { return more ? QUARRY_OK : QUARRY_CANCELLED; }
  [[nodiscard]] bool ended() const { return state_.ended; }
  Sink& sink() { return sink_; }
  CSink table_{};

 private:
  bool end() { return !std::exchange(state_.ended, true); }
  quarry_status take(const quarry_usage* said) {
    if (state_.ended) return QUARRY_CANCELLED;
    if (const auto usage = read_usage(said)) return wanted(sink_.usage(*usage));
    fail("the provider reported usage without its counts");
    return QUARRY_CANCELLED;
  }
  void take(const quarry_model_error* said) {
    const auto error = read_error(said);
    if (!error) return fail("the provider failed without an error");
    if (end()) sink_.error(*error);
  }

  const Instance& instance_;
  State& state_;
  Sink& sink_;
};

/// Wraps the C table of an instance of a draft kind. `Kind` as in exchange_adapter.h; `value` is
/// the schema of its description, whose `items` has the limit of items, `usual` without it.
template <class Kind>
class ExchangeProviderAdapter final : public ExchangeProvider<typename Kind::Sink> {
 public:
  using Sink = typename Kind::Sink;

  explicit ExchangeProviderAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)) {}

  Status read_description(const ValueText& value, const char* items, std::uint32_t usual) {
    const auto& table = *static_cast<const typename Kind::Table*>(instance_->table());
    const auto said =
        read_value(value, reply_of(*instance_, function::kDescribe, {}, {}, table.describe));
    if (!said) return instance_->blame(said.error());
    if (const auto schema = said->find("schema"); schema != said->end()) {
      if (auto usable = check_usable_schema(*schema); !usable)
        return instance_->blame({Code::kInternal, usable.error().message, usable.error().hint});
    }
    const auto most = integer_member(*said, items);
    description_ = {.title = string_member(*said, "title"),
                    .schema = schema_member(*said),
                    .needs = strings_member(*said, "needs"),
                    .local = bool_member(*said, "local"),
                    .vendor = string_member(*said, "vendor"),
                    .endpoint = string_member(*said, "endpoint"),
                    .variant = string_member(*said, "variant"),
                    .most_items = most > 0 ? static_cast<std::uint32_t>(most) : usual};
    if (!description_.endpoint.empty()) instance_->permit_endpoint(description_.endpoint);
    return {};
  }

  [[nodiscard]] const ExchangeDescription& describe() const override { return description_; }
  Result<std::unique_ptr<ProviderExchange<Sink>>> begin(std::string_view request) override {
    return begin_exchange<Kind>(instance_, request);
  }

 private:
  std::shared_ptr<Instance> instance_;
  ExchangeDescription description_;
};

}  // namespace quarry::plugins
