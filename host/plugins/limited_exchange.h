#pragma once

#include "base/error.h"
#include "plugins/exchange.h"
#include "plugins/exchange_values.h"
#include "plugins/instance.h"
#include "plugins/plugin_function.h"
#include "plugins/reply_slot.h"

#include <quarry/model.h>
#include <quarry/outcome.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::plugins {

/// An exchange whose functions leave the calling thread and are given up when they do not return,
/// as those of a plugin in this process that did not come with the host. The first that is given
/// up, or refused, ends the request with an error that names it; later ones are not called. `Kind`
/// as in exchange_adapter.h, with the type Detachable: a sink that can be detached from another.
template <class Kind>
class LimitedExchange final : public ProviderExchange<typename Kind::Sink> {
 public:
  using Sink = typename Kind::Sink;

  explicit LimitedExchange(std::shared_ptr<Instance> instance)
      : shared_(std::make_shared<Shared>(std::move(instance))) {}
  ~LimitedExchange() override {
    if (given_up_ || shared_->exchange == nullptr) return;
    // If it does not return, the memory of the exchange is lost.
    static_cast<void>(shared_->instance->call(
        {.function = function::kDestroyExchange,
         .run = [shared = shared_](const quarry_call*) { shared->destroy(); }}));
  }

  Status begin(std::string_view request) {
    const auto slot = std::make_shared<ReplySlot>();
    auto called = call(function::kBegin, [&shared = *shared_, slot,
                                          text = std::string(request)](const quarry_call* call) {
      shared.table.begin(shared.instance->get(), call, as_text(text), &shared.exchange,
                         slot->reply());
    });
    if (!called) return called;
    auto outcome = slot->take();
    if (outcome && shared_->exchange != nullptr) return {};
    return shared_->instance->blame(outcome
                                        ? Error(Code::kInternal, "the provider began no exchange")
                                        : std::move(outcome.error()));
  }

  Result<services::HttpRequest> request() override {
    if (failed_) return *failed_;
    const auto request = std::make_shared<Result<services::HttpRequest>>(Error());
    auto called = call(function::kRequest, [&shared = *shared_, request](const quarry_call*) {
      *request = read_exchange_request(*shared.instance, shared.table.request(shared.exchange));
    });
    if (!called) return std::move(called.error());
    return std::move(*request);
  }

  void head(int status, std::span<const services::HttpHeader> headers, Sink& sink) override {
    use(function::kHead, sink,
        [status,
         kept = std::vector<services::HttpHeader>(headers.begin(), headers.end())](LentSink& lent) {
          const LentHeaders own(kept);
          lent.shared->table.head(lent.shared->exchange, status, own.count(), own.data(),
                                  lent.slot.get());
        });
  }

  void data(std::string_view bytes, Sink& sink) override {
    use(function::kData, sink, [kept = std::string(bytes)](LentSink& lent) {
      lent.shared->table.data(lent.shared->exchange, as_text(kept), lent.slot.get());
    });
  }

  void end(bool complete, Sink& sink) override {
    use(function::kEnd, sink, [complete](LentSink& lent) {
      lent.shared->table.end(lent.shared->exchange, complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT,
                             lent.slot.get());
      lent.slot.must_have_ended();
    });
  }

 private:
  /// The exchange, shared with the thread that runs a function of it: one at a time.
  struct Shared {
    explicit Shared(std::shared_ptr<Instance> of)
        : instance(std::move(of)),
          table(*static_cast<const typename Kind::Table*>(instance->table())) {}
    void destroy() {
      if (exchange != nullptr) table.destroy_exchange(std::exchange(exchange, nullptr));
    }

    const std::shared_ptr<Instance> instance;
    const typename Kind::Table& table;
    quarry_exchange* exchange = nullptr;
    typename Kind::State state;
  };

  /// The sink of one function, which may outlive the caller's.
  struct LentSink {
    LentSink(const std::shared_ptr<Shared>& of, Sink& given)
        : shared(of), sink(given), slot(*of->instance, of->state, sink) {}

    const std::shared_ptr<Shared> shared;
    typename Kind::Detachable sink;
    typename Kind::Slot slot;
  };

  Status call(const PluginFunction& function, std::function<void(const quarry_call*)> run,
              std::function<void()> detach = {}) {
    auto called = shared_->instance->call(
        {.function = function,
         .rights = shared_->instance->rights(),
         .run = [shared = shared_, run = std::move(run)](const quarry_call* call) { run(call); },
         .detach =
             [this, detach = std::move(detach)] {
               given_up_ = true;
               if (detach) detach();
             },
         .discard = [shared = shared_] { shared->destroy(); }});
    if (!called) failed_ = called.error();
    return called;
  }

  /// Calls a function that writes to a sink; ends the request with an error if it does not return.
  void use(const PluginFunction& function, Sink& sink, std::function<void(LentSink&)> run) {
    if (failed_) return;
    const bool had_ended = shared_->state.ended;
    const auto lent = std::make_shared<LentSink>(shared_, sink);
    const auto called = call(
        function, [lent, run = std::move(run)](const quarry_call*) { run(*lent); },
        [lent] { lent->sink.detach(); });
    if (called || had_ended || lent->sink.has_ended()) return;
    sink.error({.code = called.error().code, .message = called.error().message});
  }

  const std::shared_ptr<Shared> shared_;
  std::optional<Error> failed_;  ///< the first function that was given up or refused
  bool given_up_ = false;        ///< it has not returned: its thread destroys the exchange
};

/// Begins such an exchange with a request in JSON. [worker]
template <class Kind>
Result<std::unique_ptr<ProviderExchange<typename Kind::Sink>>> begin_limited_exchange(
    std::shared_ptr<Instance> instance, std::string_view request) {
  auto exchange = std::make_unique<LimitedExchange<Kind>>(std::move(instance));
  if (auto begun = exchange->begin(request); !begun) return std::move(begun.error());
  return std::unique_ptr<ProviderExchange<typename Kind::Sink>>(std::move(exchange));
}

}  // namespace quarry::plugins
