#pragma once

#include "plugins/exchange.h"
#include "plugins/exchange_values.h"
#include "plugins/instance.h"
#include "plugins/limited_call.h"
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

/// An exchange of a provider of one kind, destroyed on destruction. Keeps the instance until then.
/// Its functions are called on the calling thread, unless the plugin is in this process and did not
/// come with the host: then they leave it and are given up when they do not return. The first that
/// is given up, or refused, ends the request with an error that names it; later ones are not
/// called. `Kind` has the types Table, Sink, Slot (a sink in C form for one call: Slot(instance,
/// state, sink)), State (of the request, between calls) and Detachable (a sink that can be detached
/// from another).
template <class Kind>
class ExchangeAdapter : public ProviderExchange<typename Kind::Sink> {
 public:
  using Table = typename Kind::Table;
  using Sink = typename Kind::Sink;

  explicit ExchangeAdapter(std::shared_ptr<Instance> instance)
      : shared_(std::make_shared<Shared>(std::move(instance))) {}
  ~ExchangeAdapter() override {
    if (given_up_ || shared_->exchange == nullptr) return;
    // If it does not return, the memory of the exchange is lost.
    static_cast<void>(call(function::kDestroyExchange,
                           [&shared = *shared_](const quarry_call*) { shared.destroy(); }));
  }

  /// Fails as begin of the kind, or with kInternal if it begins none. [worker]
  Status begin(std::string_view request, const std::string& project) {
    const auto slot = std::make_shared<ReplySlot>();
    auto called = call(
        function::kBegin,
        [&shared = *shared_, slot, text = std::string(request)](const quarry_call* lent) {
          shared.table.begin(shared.instance->get(), lent, as_text(text), &shared.exchange,
                             slot->reply());
        },
        {}, project);
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
        [status, kept = std::vector<services::HttpHeader>(headers.begin(), headers.end())](
            Shared& shared, typename Kind::Slot& slot) {
          const LentHeaders lent(kept);
          shared.table.head(shared.exchange, status, lent.count(), lent.data(), slot.get());
        });
  }

  void data(std::string_view bytes, Sink& sink) override {
    const auto pass = [](Shared& shared, typename Kind::Slot& slot, std::string_view piece) {
      shared.table.data(shared.exchange, as_text(piece), slot.get());
    };
    if (!shared_->is_limited) {  // thousands of times a second: no copy
      typename Kind::Slot slot(*shared_->instance, shared_->state, sink);
      const auto current = shared_->instance->running(function::kData);
      return pass(*shared_, slot, bytes);
    }
    use(function::kData, sink,
        [pass, kept = std::string(bytes)](Shared& shared, typename Kind::Slot& slot) {
          pass(shared, slot, kept);
        });
  }

  void end(bool complete, Sink& sink) override {
    use(function::kEnd, sink, [complete](Shared& shared, typename Kind::Slot& slot) {
      shared.table.end(shared.exchange, complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT,
                       slot.get());
      slot.must_have_ended();
    });
  }

 protected:
  /// The exchange, shared with the thread that runs a function of it: one at a time.
  struct Shared {
    explicit Shared(std::shared_ptr<Instance> of)
        : instance(std::move(of)),
          table(*static_cast<const Table*>(instance->table())),
          is_limited(instance->in_process() && !instance->is_own()) {}
    void destroy() {
      if (exchange != nullptr) table.destroy_exchange(std::exchange(exchange, nullptr));
    }

    const std::shared_ptr<Instance> instance;
    const Table& table;
    const bool is_limited;
    quarry_exchange* exchange = nullptr;
    typename Kind::State state;
  };

  [[nodiscard]] Shared& shared() const { return *shared_; }

 private:
  /// The sink of one function that may outlive the caller's.
  struct LentSink {
    LentSink(Shared& shared, Sink& given)
        : sink(given), slot(*shared.instance, shared.state, sink) {}

    typename Kind::Detachable sink;
    typename Kind::Slot slot;
  };

  Status call(const PluginFunction& function, std::function<void(const quarry_call*)> run,
              std::function<void()> detach = {}, const std::string& project = {}) {
    Instance& instance = *shared_->instance;
    if (!shared_->is_limited) {
      const LimitedCall lent(function.limit, instance.rights(), project);
      const auto current = instance.running(function);
      run(lent.get());
      return {};
    }
    auto called = instance.call(
        {.function = function,
         .rights = instance.rights(),
         .run = [shared = shared_, run = std::move(run)](const quarry_call* lent) { run(lent); },
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
  template <class Run>
  void use(const PluginFunction& function, Sink& sink, Run run) {
    if (failed_) return;
    if (!shared_->is_limited) {
      typename Kind::Slot slot(*shared_->instance, shared_->state, sink);
      const auto current = shared_->instance->running(function);
      return run(*shared_, slot);
    }
    const bool had_ended = shared_->state.ended;
    const auto lent = std::make_shared<LentSink>(*shared_, sink);
    const auto called = call(
        function,
        [&shared = *shared_, lent, run = std::move(run)](const quarry_call*) {
          run(shared, lent->slot);
        },
        [lent] { lent->sink.detach(); });
    if (called || had_ended || lent->sink.has_ended()) return;
    sink.error({.code = called.error().code, .message = called.error().message});
  }

  const std::shared_ptr<Shared> shared_;
  std::optional<Error> failed_;  ///< the first function that was given up or refused
  bool given_up_ = false;        ///< it has not returned: its thread destroys the exchange
};

/// Begins an exchange of `instance` with a request in JSON. `project` as in services::Call.
/// [worker]
template <class Kind, class Adapter = ExchangeAdapter<Kind>>
Result<std::unique_ptr<ProviderExchange<typename Kind::Sink>>> begin_exchange(
    const std::shared_ptr<Instance>& instance, std::string_view request,
    const std::string& project = {}) {
  auto exchange = std::make_unique<Adapter>(instance);
  if (auto begun = exchange->begin(request, project); !begun) return std::move(begun.error());
  return std::unique_ptr<ProviderExchange<typename Kind::Sink>>(std::move(exchange));
}

}  // namespace quarry::plugins
