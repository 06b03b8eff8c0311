#include "plugins/adapters.h"
#include "plugins/json_members.h"
#include "plugins/read_value.h"
#include "plugins/reply_slot.h"

#include <quarry/transport.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace quarry::plugins {
namespace {

class TransportAdapter final : public Transport {
 public:
  explicit TransportAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_transport_v1*>(instance_->table())) {}
  ~TransportAdapter() override {
    static_cast<void>(TransportAdapter::stop(std::chrono::milliseconds(0)));
  }

  Result<std::vector<std::string>> start(const quarry_engine* engine) override {
    auto outcome = call_start(engine);
    if (!outcome) return std::move(outcome.error());
    running_ = outcome->has_value();
    const auto said = read_value(kTransportListening, std::move(*outcome));
    if (said) return strings_member(*said, "listening");
    static_cast<void>(stop(std::chrono::milliseconds(0)));
    return instance_->blame(said.error());
  }

  Status stop(std::chrono::milliseconds grace) override {
    if (stuck_) return *stuck_;
    if (!std::exchange(running_, false)) return {};
    auto stopped =
        instance_->call({.function = function::kStop,
                         .call = {.deadline = std::chrono::steady_clock::now() + grace + kStopTime},
                         .rights = instance_->rights(),
                         .run = [&table = table_, instance = instance_->get(), grace](
                                    const quarry_call*) { table.stop(instance, grace.count()); }});
    if (!stopped) stuck_ = stopped.error();
    return stopped;
  }

 private:
  /// The outcome of start, or why there is none. One that is given up and starts late is stopped.
  Result<Result<std::string>> call_start(const quarry_engine* engine) {
    const auto slot = std::make_shared<ReplySlot>();
    auto called = instance_->call(
        {.function = function::kStart,
         .rights = instance_->rights(),
         .run =
             [slot, &table = table_, instance = instance_->get(), engine](const quarry_call* call) {
               table.start(instance, call, engine, slot->reply());
             },
         .detach = [this] { stuck_ = Error(Code::kUnavailable, "start has not returned"); },
         .discard =
             [slot, &table = table_, instance = instance_->get()] {
               if (slot->take()) table.stop(instance, 0);
             }});
    if (!called) return std::move(called.error());
    return slot->take();
  }

  std::shared_ptr<Instance> instance_;
  const quarry_transport_v1& table_;
  bool running_ = false;
  std::optional<Error> stuck_;  ///< a function has not returned
};

}  // namespace

Result<std::shared_ptr<Transport>> adapt_transport(std::shared_ptr<Instance> instance) {
  return std::shared_ptr<Transport>(std::make_shared<TransportAdapter>(std::move(instance)));
}

}  // namespace quarry::plugins
