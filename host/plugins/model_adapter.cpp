#include "plugins/adapters.h"
#include "plugins/component_reply.h"
#include "plugins/component_schema.h"
#include "plugins/deferred_models.h"
#include "plugins/detachable_sink.h"
#include "plugins/exchange_adapter.h"
#include "plugins/json_members.h"
#include "plugins/read_value.h"
#include "plugins/sink_slot.h"

#include <quarry/model.h>

#include <utility>

namespace quarry::plugins {
namespace {

struct ModelKind {
  using Table = quarry_model_v1;
  using Sink = ModelSink;
  using Slot = SinkSlot;
  using State = Step;
  using Detachable = DetachableSink;
};

/// An exchange whose functions the I/O thread begins without waiting for them.
class DeferredModelExchange final : public ExchangeAdapter<ModelKind>,
                                    public DeferredExchange<ModelSink> {
 public:
  using ExchangeAdapter::data;
  using ExchangeAdapter::end;
  using ExchangeAdapter::ExchangeAdapter;
  using ExchangeAdapter::head;

  [[nodiscard]] DeferredExchange<ModelSink>* deferred() override { return this; }

  void head(int status, std::span<const services::HttpHeader> headers, ModelSink& sink,
            Done done) override {
    const auto slot = lend(sink);
    calls().head(shared().exchange, status, headers, slot->get(),
                 [slot, done = std::move(done)] { done(); });
  }
  void data(std::string_view bytes, ModelSink& sink, Done done) override {
    const auto slot = lend(sink);
    calls().data(shared().exchange, bytes, slot->get(), [slot, done = std::move(done)] { done(); });
  }
  void end(bool complete, ModelSink& sink, Done done) override {
    const auto slot = lend(sink);
    calls().end(shared().exchange, complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT, slot->get(),
                [slot, done = std::move(done)] {
                  slot->must_have_ended();
                  done();
                });
  }

 private:
  [[nodiscard]] std::shared_ptr<SinkSlot> lend(ModelSink& sink) {
    return std::make_shared<SinkSlot>(*shared().instance, shared().state, sink);
  }
  [[nodiscard]] DeferredModels& calls() const { return *shared().instance->deferred_models(); }
};

/// What `generate` uses while it runs.
struct LentStep {
  LentStep(const Instance& instance, std::string chat_request, ModelSink& given)
      : request(std::move(chat_request)), sink(given), slot(instance, step, sink) {}
  /// After the function has returned, with the state of its call.
  void end(Code state) {
    if (state == Code::kOk) return slot.must_have_ended();
    slot.fail({state, "the call ended before the response"});
  }
  /// The function has not returned. The step is its thread's; `given` was detached.
  void fail(const Error& error, ModelSink& given) const {
    if (!sink.has_ended()) given.error({.code = error.code, .message = error.message});
  }

  const std::string request;
  Step step;
  DetachableSink sink;
  SinkSlot slot;
};

class ModelAdapter final : public ModelProvider {
 public:
  explicit ModelAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_model_v1*>(instance_->table())) {}

  Status read_description() {
    const auto said = read_value(
        kModelDescription, reply_of(*instance_, function::kDescribe, {}, {}, table_.describe));
    if (!said) return instance_->blame(said.error());
    if (const auto schema = said->find("schema"); schema != said->end()) {
      if (auto usable = check_usable_schema(*schema); !usable)
        return instance_->blame({Code::kInternal, usable.error().message, usable.error().hint});
    }
    description_ = {.title = string_member(*said, "title"),
                    .schema = schema_member(*said),
                    .needs = strings_member(*said, "needs"),
                    .local = bool_member(*said, "local"),
                    .vendor = string_member(*said, "vendor"),
                    .endpoint = string_member(*said, "endpoint"),
                    .default_model = string_member(*said, "defaultModel")};
    if (!description_.endpoint.empty()) instance_->permit_endpoint(description_.endpoint);
    return {};
  }

  [[nodiscard]] const ModelDescription& describe() const override { return description_; }
  [[nodiscard]] Form form() const override {
    return table_.generate == nullptr ? Form::kExchange : Form::kGenerate;
  }

  [[nodiscard]] bool is_called_at_once() const override {
    return instance_->in_process() && instance_->is_own();
  }

  void generate(const services::Call& call, std::string_view chat_request,
                ModelSink& sink) override {
    const auto lent = std::make_shared<LentStep>(*instance_, std::string(chat_request), sink);
    if (table_.generate == nullptr) {
      lent->slot.fail({Code::kUnsupported, "this provider is asked over HTTP"});
      return;
    }
    const auto called = instance_->call(
        {.function = function::kGenerate,
         .call = call,
         .rights = instance_->rights(),
         .run =
             [lent, &table = table_, instance = instance_->get()](const quarry_call* lent_call) {
               table.generate(instance, lent_call, as_text(lent->request), lent->slot.get());
               lent->end(static_cast<Code>(lent_call->state(lent_call)));
             },
         .detach = [lent] { lent->sink.detach(); }});
    if (!called) lent->fail(called.error(), sink);
  }

  Result<std::unique_ptr<ModelExchange>> begin(std::string_view chat_request,
                                               const std::string& project) override {
    if (table_.generate != nullptr) {
      return Error(Code::kUnsupported, "this provider computes its answers itself");
    }
    if (instance_->deferred_models() != nullptr) {
      return begin_exchange<ModelKind, DeferredModelExchange>(instance_, chat_request, project);
    }
    return begin_exchange<ModelKind>(instance_, chat_request, project);
  }

  Result<std::vector<ModelInfo>> models(const services::Call& call) override {
    if (!QUARRY_HAS(&table_, models) || table_.models == nullptr) {
      return Error(Code::kUnsupported, "this provider has no list of models");
    }
    const auto said =
        read_value(kModelModels, reply_of(*instance_, function::kModels, call, {}, table_.models));
    if (!said) return instance_->blame(said.error());
    std::vector<ModelInfo> models;
    for (const Json& model : said->at("models")) {
      models.push_back({string_member(model, "id"), integer_member(model, "contextTokens"),
                        bool_member(model, "tools", true)});
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
