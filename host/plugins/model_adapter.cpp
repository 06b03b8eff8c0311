#include "plugins/adapters.h"
#include "plugins/exchange_adapter.h"
#include "plugins/json_members.h"
#include "plugins/limited_call.h"
#include "plugins/read_value.h"
#include "plugins/reply_slot.h"
#include "plugins/sink_slot.h"

#include <quarry/model.h>

namespace quarry::plugins {
namespace {

class ModelAdapter final : public ModelProvider {
 public:
  explicit ModelAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_model_v1*>(instance_->table())) {}

  Status read_description() {
    ReplySlot slot;
    const LimitedCall lent(kPromptLimit, instance_->rights());
    table_.describe(instance_->get(), lent.get(), slot.reply());
    const auto said = read_value(kModelDescription, slot.take());
    if (!said) return instance_->blame(said.error());
    description_ = {.title = string_member(*said, "title"),
                    .schema = schema_member(*said),
                    .needs = strings_member(*said, "needs"),
                    .local = bool_member(*said, "local"),
                    .vendor = string_member(*said, "vendor"),
                    .endpoint = string_member(*said, "endpoint"),
                    .default_model = string_member(*said, "defaultModel")};
    return {};
  }

  [[nodiscard]] const ModelDescription& describe() const override { return description_; }
  [[nodiscard]] Form form() const override {
    return table_.generate == nullptr ? Form::kExchange : Form::kGenerate;
  }

  [[nodiscard]] bool in_process() const override { return instance_->in_process(); }

  void generate(const services::Call& call, std::string_view chat_request,
                ModelSink& sink) override {
    const auto turn = instance_->turn();
    Step step;
    SinkSlot slot(*instance_, step, sink);
    if (table_.generate == nullptr) {
      slot.fail({Code::kUnsupported, "this provider is asked over HTTP"});
      return;
    }
    const CallTable wanted(call, instance_->rights());
    table_.generate(instance_->get(), wanted.get(), as_text(chat_request), slot.get());
    const auto state = wanted.get()->state(wanted.get());
    if (state == QUARRY_OK) {
      slot.must_have_ended();
    } else {
      slot.fail({static_cast<Code>(state), "the call ended before the response"});
    }
  }

  Result<std::unique_ptr<ModelExchange>> begin(std::string_view chat_request) override {
    if (table_.generate != nullptr) {
      return Error(Code::kUnsupported, "this provider computes its answers itself");
    }
    ReplySlot slot;
    quarry_exchange* exchange = nullptr;
    const LimitedCall lent(kPromptLimit, instance_->rights());
    table_.begin(instance_->get(), lent.get(), as_text(chat_request), &exchange, slot.reply());
    auto outcome = slot.take();
    if (outcome && exchange != nullptr) return adapt_exchange(instance_, exchange);
    if (exchange != nullptr) table_.destroy_exchange(exchange);
    return instance_->blame(outcome ? Error(Code::kInternal, "the provider began no exchange")
                                    : std::move(outcome.error()));
  }

  Result<std::vector<ModelInfo>> models(const services::Call& call) override {
    if (!QUARRY_HAS(&table_, models) || table_.models == nullptr) {
      return Error(Code::kUnsupported, "this provider has no list of models");
    }
    const auto turn = instance_->turn();
    ReplySlot slot;
    const CallTable wanted(call, instance_->rights());
    table_.models(instance_->get(), wanted.get(), slot.reply());
    const auto said = read_value(kModelModels, slot.take());
    if (!said) return instance_->blame(said.error());
    std::vector<ModelInfo> models;
    for (const Json& model : said->at("models")) {
      models.push_back({string_member(model, "id"), integer_member(model, "contextTokens")});
    }
    return models;
  }

 private:
  std::shared_ptr<Instance> instance_;
  const quarry_model_v1& table_;
  ModelDescription description_;
};

}  // namespace

Result<std::shared_ptr<ModelProvider>> adapt_model(std::shared_ptr<Instance> instance) {
  auto adapter = std::make_shared<ModelAdapter>(std::move(instance));
  if (auto said = adapter->read_description(); !said) return std::move(said.error());
  return std::shared_ptr<ModelProvider>(std::move(adapter));
}

}  // namespace quarry::plugins
