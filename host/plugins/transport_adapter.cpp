#include "plugins/adapters.h"
#include "plugins/json_members.h"
#include "plugins/limited_call.h"
#include "plugins/read_value.h"
#include "plugins/reply_slot.h"

namespace quarry::plugins {
namespace {

class TransportAdapter final : public Transport {
 public:
  explicit TransportAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_transport_v1*>(instance_->table())) {}
  ~TransportAdapter() override { TransportAdapter::stop(std::chrono::milliseconds(0)); }

  Result<std::vector<std::string>> start(const quarry_engine* engine) override {
    ReplySlot slot;
    const LimitedCall lent(function::kStart.limit, instance_->rights());
    const auto current = instance_->running(function::kStart);
    table_.start(instance_->get(), lent.get(), engine, slot.reply());
    auto outcome = slot.take();
    running_ = outcome.has_value();
    const auto said = read_value(kTransportListening, std::move(outcome));
    if (!said) {
      stop(std::chrono::milliseconds(0));
      return instance_->blame(said.error());
    }
    return strings_member(*said, "listening");
  }

  void stop(std::chrono::milliseconds grace) override {
    if (!std::exchange(running_, false)) return;
    const auto current = instance_->running(function::kStop);
    table_.stop(instance_->get(), grace.count());
  }

 private:
  std::shared_ptr<Instance> instance_;
  const quarry_transport_v1& table_;
  bool running_ = false;
};

}  // namespace

Result<std::shared_ptr<Transport>> adapt_transport(std::shared_ptr<Instance> instance) {
  return std::shared_ptr<Transport>(std::make_shared<TransportAdapter>(std::move(instance)));
}

}  // namespace quarry::plugins
