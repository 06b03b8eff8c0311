#include "base/utf8.h"
#include "plugins/adapters.h"
#include "plugins/json_members.h"
#include "plugins/reply_slot.h"

#include <quarry/model.h>

#include <cstddef>

namespace quarry::plugins {
namespace {

constexpr std::uint32_t kMaxHeaders = 100;
constexpr std::uint32_t kMaxToolCalls = 128;
constexpr std::size_t kMaxKept = 1u << 20;

/// How many bytes at the end of `text` may be the beginning of a character.
std::size_t open_character(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

/// Text that arrives in pieces, given on in whole characters.
class Utf8Stream {
 public:
  std::string take(std::string_view bytes) {
    pending_ += bytes;
    const auto whole = pending_.size() - open_character(pending_);
    auto text = to_utf8(std::string_view(pending_).substr(0, whole));
    pending_.erase(0, whole);
    return text;
  }

 private:
  std::string pending_;
};

/// What holds for one step of a conversation: one end, and nothing after it.
struct Step {
  bool ended = false;
  Utf8Stream text;
  Utf8Stream reasoning;
};

/// The sink a plugin sees, for one call into it.
class SinkSlot {
 public:
  SinkSlot(Step& step, ModelSink& sink) : step_(step), sink_(sink) {
    table_ = {.struct_size = sizeof(quarry_model_sink),
              .context = this,
              .text = text,
              .reasoning = reasoning,
              .tool_call = tool_call,
              .usage = usage,
              .keep = keep,
              .finish = finish,
              .error = error};
  }
  SinkSlot(const SinkSlot&) = delete;
  SinkSlot& operator=(const SinkSlot&) = delete;

  [[nodiscard]] const quarry_model_sink* get() const { return &table_; }

  /// Ends the step with the plugin's fault, unless it ended.
  void fault(const Error& error) {
    if (std::exchange(step_.ended, true)) return;
    sink_.error({.code = error.code, .message = error.message});
  }

 private:
  static SinkSlot& of(const quarry_model_sink* self) {
    return *static_cast<SinkSlot*>(self->context);
  }
  static quarry_status wanted(bool more) { return more ? QUARRY_OK : QUARRY_CANCELLED; }

  static quarry_status text(const quarry_model_sink* self, quarry_text delta) {
    auto& slot = of(self);
    if (slot.step_.ended) return QUARRY_CANCELLED;
    const auto whole = slot.step_.text.take(view(delta));
    return wanted(whole.empty() || slot.sink_.text(whole));
  }
  static quarry_status reasoning(const quarry_model_sink* self, quarry_text delta) {
    auto& slot = of(self);
    if (slot.step_.ended) return QUARRY_CANCELLED;
    const auto whole = slot.step_.reasoning.take(view(delta));
    return wanted(whole.empty() || slot.sink_.reasoning(whole));
  }
  static quarry_status tool_call(const quarry_model_sink* self, std::uint32_t index, quarry_text id,
                                 quarry_text name, quarry_text arguments) {
    auto& slot = of(self);
    if (slot.step_.ended) return QUARRY_CANCELLED;
    if (index >= kMaxToolCalls) {
      slot.fault({Code::kInternal, "the provider made too many tool calls in one step"});
      return QUARRY_CANCELLED;
    }
    return wanted(slot.sink_.tool_call(index, view(id), view(name), view(arguments)));
  }
  static quarry_status usage(const quarry_model_sink* self, const quarry_usage* said) {
    auto& slot = of(self);
    if (slot.step_.ended || said == nullptr || said->struct_size < sizeof(quarry_usage)) {
      return wanted(!slot.step_.ended);
    }
    return wanted(slot.sink_.usage({.input = said->input_tokens,
                                    .output = said->output_tokens,
                                    .reasoning = said->reasoning_tokens,
                                    .cache_read = said->cache_read_tokens,
                                    .cache_write = said->cache_write_tokens}));
  }
  static quarry_status keep(const quarry_model_sink* self, quarry_text json) {
    auto& slot = of(self);
    if (slot.step_.ended) return QUARRY_CANCELLED;
    if (json.size > kMaxKept || !parse_json(view(json))) {
      slot.fault({Code::kInternal, "the provider asked to keep what is no JSON of at most 1 MiB"});
      return QUARRY_CANCELLED;
    }
    return wanted(slot.sink_.keep(view(json)));
  }
  static void finish(const quarry_model_sink* self, quarry_finish reason) {
    auto& slot = of(self);
    if (std::exchange(slot.step_.ended, true)) return;
    const bool known = reason >= QUARRY_FINISH_STOP && reason <= QUARRY_FINISH_CONTENT_FILTER;
    slot.sink_.finish(known ? static_cast<Finish>(reason) : Finish::kStop);
  }
  static void error(const quarry_model_sink* self, const quarry_model_error* said) {
    auto& slot = of(self);
    if (said == nullptr || said->struct_size < sizeof(quarry_model_error)) {
      slot.fault({Code::kInternal, "the provider failed without an error"});
      return;
    }
    if (std::exchange(slot.step_.ended, true)) return;
    const bool known = said->status > QUARRY_OK && said->status <= QUARRY_INTERNAL;
    slot.sink_.error({.code = known ? static_cast<Code>(said->status) : Code::kInternal,
                      .http_status = said->http_status,
                      .retry_after_ms = said->retry_after_ms,
                      .message = to_utf8(view(said->message).substr(0, 16384))});
  }

  Step& step_;
  ModelSink& sink_;
  quarry_model_sink table_;
};

Error no_end() {
  return {Code::kInternal, "the provider ended without a finish or an error"};
}

class ExchangeAdapter final : public ModelExchange {
 public:
  ExchangeAdapter(std::shared_ptr<Instance> instance, const quarry_model_v1& table,
                  quarry_exchange* exchange)
      : instance_(std::move(instance)), table_(table), exchange_(exchange) {}
  ~ExchangeAdapter() override { table_.destroy_exchange(exchange_); }

  Result<HttpRequest> request() override {
    const auto* said = table_.request(exchange_);
    if (said == nullptr || said->struct_size < sizeof(quarry_http_request) ||
        said->header_count > kMaxHeaders || said->method.size == 0) {
      return instance_->blame(Error(Code::kInternal, "the provider asks for no HTTP request"));
    }
    const auto url = view(said->url);
    if (!url.starts_with("https://") && !url.starts_with("http://")) {
      return instance_->blame(Error(Code::kInternal, "the provider's URL is not http or https"));
    }
    HttpRequest request{.method = std::string(view(said->method)),
                        .url = std::string(url),
                        .headers = {},
                        .body = std::string(view(said->body))};
    for (std::uint32_t i = 0; i < said->header_count; ++i) {
      const auto& header = *said->headers[i];
      request.headers.push_back({std::string(view(header.name)), std::string(view(header.value)),
                                 std::string(view(header.secret))});
    }
    return request;
  }

  void head(int status, std::span<const HttpHeader> headers, ModelSink& sink) override {
    std::vector<quarry_header> lent;
    lent.reserve(headers.size());
    for (const auto& header : headers) {
      lent.push_back(
          {sizeof(quarry_header), text_of(header.name), text_of(header.value), {nullptr, 0}});
    }
    std::vector<const quarry_header*> pointers;
    for (const auto& header : lent) pointers.push_back(&header);
    const SinkSlot slot(step_, sink);
    table_.head(exchange_, status, static_cast<std::uint32_t>(pointers.size()), pointers.data(),
                slot.get());
  }

  void data(std::string_view bytes, ModelSink& sink) override {
    const SinkSlot slot(step_, sink);
    table_.data(exchange_, text_of(bytes), slot.get());
  }

  void end(bool complete, ModelSink& sink) override {
    SinkSlot slot(step_, sink);
    table_.end(exchange_, complete ? QUARRY_END_COMPLETE : QUARRY_END_CUT, slot.get());
    slot.fault(no_end());
  }

 private:
  std::shared_ptr<Instance> instance_;
  const quarry_model_v1& table_;
  quarry_exchange* exchange_;
  Step step_;
};

class ModelAdapter final : public ModelProvider {
 public:
  explicit ModelAdapter(std::shared_ptr<Instance> instance)
      : instance_(std::move(instance)),
        table_(*static_cast<const quarry_model_v1*>(instance_->table())) {}

  Status read_description() {
    ReplySlot slot;
    table_.describe(instance_->get(), slot.reply());
    const auto said = json_object(slot.take());
    if (!said) return instance_->blame(said.error());
    description_ = {.title = string_member(*said, "title"),
                    .schema = schema_member(*said),
                    .needs = strings_member(*said, "needs"),
                    .local = bool_member(*said, "local")};
    return {};
  }

  [[nodiscard]] const ModelDescription& describe() const override { return description_; }
  [[nodiscard]] Form form() const override {
    return table_.generate == nullptr ? Form::kExchange : Form::kGenerate;
  }

  void generate(const Call& call, std::string_view chat_request, ModelSink& sink) override {
    const auto turn = instance_->turn();
    Step step;
    SinkSlot slot(step, sink);
    if (table_.generate == nullptr) {
      slot.fault({Code::kUnsupported, "this provider is asked over HTTP"});
      return;
    }
    const CallSlot wanted(call);
    table_.generate(instance_->get(), wanted.get(), text_of(chat_request), slot.get());
    const auto state = wanted.get()->state(wanted.get());
    if (state == QUARRY_OK) {
      slot.fault(no_end());
    } else {
      slot.fault({static_cast<Code>(state), "the call was over before the answer"});
    }
  }

  Result<std::unique_ptr<ModelExchange>> begin(std::string_view chat_request) override {
    if (table_.generate != nullptr) {
      return Error(Code::kUnsupported, "this provider computes its answers itself");
    }
    ReplySlot slot;
    quarry_exchange* exchange = nullptr;
    table_.begin(instance_->get(), text_of(chat_request), &exchange, slot.reply());
    auto outcome = slot.take();
    if (outcome && exchange != nullptr) {
      return std::unique_ptr<ModelExchange>(
          std::make_unique<ExchangeAdapter>(instance_, table_, exchange));
    }
    if (exchange != nullptr) table_.destroy_exchange(exchange);
    return instance_->blame(outcome ? Error(Code::kInternal, "the provider began no exchange")
                                    : std::move(outcome.error()));
  }

  Result<std::vector<ModelInfo>> models(const Call& call) override {
    if (table_.struct_size < sizeof(quarry_model_v1) || table_.models == nullptr) {
      return Error(Code::kUnsupported, "this provider has no list of models");
    }
    const auto turn = instance_->turn();
    ReplySlot slot;
    const CallSlot wanted(call);
    table_.models(instance_->get(), wanted.get(), slot.reply());
    const auto said = json_object(slot.take());
    if (!said) return instance_->blame(said.error());
    std::vector<ModelInfo> models;
    const auto list = said->find("models");
    if (list == said->end() || !list->is_array()) return models;
    for (const Json& model : *list) {
      if (!model.is_object() || string_member(model, "id").empty()) continue;
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
