#include "conformance/steps.h"

#include "plugins/compose.h"

#include <quarry/outcome.hpp>

#include <algorithm>
#include <random>
#include <utility>

namespace quarry::conformance {

using plugins::compose;

/// The tables between host and plugin: an instance and an exchange of the host's side are Wrapped
/// ones, which hold the plugin's.
struct RecordedModel::Recorder {
  struct Instance {
    Recorder* recorder;
    void* inner;
  };
  struct Exchange {
    Recorder* recorder;
    quarry_exchange* inner;
  };

  const quarry_component* original = nullptr;
  const quarry_model_v1* inner = nullptr;
  quarry_model_v1 table{};
  quarry_component component{};
  StepRecord record;
  int allowed = -1;  ///< deltas until the sink refuses more; -1 = all

  void prepare(const quarry_component& said);
};

namespace {

using Recorder = RecordedModel::Recorder;

/// Records what a plugin passes to a sink, and passes it on.
class RecordingSink {
 public:
  RecordingSink(Recorder& recorder, const quarry_model_sink* inner)
      : record_(recorder.record),
        allowed_(recorder.allowed),
        inner_(inner),
        table_{sizeof table_, this, text, reasoning, tool_call, usage, keep, finish, error} {}

  [[nodiscard]] const quarry_model_sink* get() const { return &table_; }

 private:
  static RecordingSink& of(const quarry_model_sink* self) {
    auto& sink = *static_cast<RecordingSink*>(self->context);
    if (std::this_thread::get_id() != sink.caller_) sink.record_.other_thread = true;
    return sink;
  }
  /// The answer to one more delta.
  quarry_status delta(quarry_status status) {
    if (record_.refused) ++record_.after_refusal;
    if (allowed_ > 0) --allowed_;
    if (allowed_ == 0) record_.refused = true;
    return record_.refused ? QUARRY_CANCELLED : status;
  }
  static quarry_status text(const quarry_model_sink* self, quarry_text said) {
    auto& sink = of(self);
    sink.record_.text += as_view(said);
    return sink.delta(sink.inner_->text(sink.inner_, said));
  }
  static quarry_status reasoning(const quarry_model_sink* self, quarry_text said) {
    auto& sink = of(self);
    sink.record_.reasoning += as_view(said);
    return sink.delta(sink.inner_->reasoning(sink.inner_, said));
  }
  static quarry_status tool_call(const quarry_model_sink* self, std::uint32_t index, quarry_text id,
                                 quarry_text name, quarry_text arguments) {
    auto& sink = of(self);
    sink.record_.calls[index] += compose("{}{}{}", as_view(id), as_view(name), as_view(arguments));
    return sink.delta(sink.inner_->tool_call(sink.inner_, index, id, name, arguments));
  }
  static quarry_status usage(const quarry_model_sink* self, const quarry_usage* said) {
    auto& sink = of(self);
    if (said != nullptr) {
      sink.record_.usage = compose("{} {}", said->input_tokens, said->output_tokens);
    }
    return sink.inner_->usage(sink.inner_, said);
  }
  static quarry_status keep(const quarry_model_sink* self, quarry_text json) {
    auto& sink = of(self);
    sink.record_.kept.emplace_back(as_view(json));
    return sink.inner_->keep(sink.inner_, json);
  }
  static void finish(const quarry_model_sink* self, quarry_finish reason) {
    auto& sink = of(self);
    if (sink.record_.ends++ == 0) sink.record_.last = compose("finish {}", reason);
    sink.inner_->finish(sink.inner_, reason);
  }
  static void error(const quarry_model_sink* self, const quarry_model_error* said) {
    auto& sink = of(self);
    if (sink.record_.ends++ == 0 && said != nullptr) {
      sink.record_.last = compose("error {} {}", said->status, as_view(said->message));
      sink.record_.http_status = said->http_status;
      sink.record_.failed = true;
    }
    sink.inner_->error(sink.inner_, said);
  }

  StepRecord& record_;
  int& allowed_;
  const quarry_model_sink* inner_;
  const std::thread::id caller_ = std::this_thread::get_id();
  const quarry_model_sink table_;
};

Recorder::Instance& instance_of(void* instance) {
  return *static_cast<Recorder::Instance*>(instance);
}

Recorder::Exchange& exchange_of(quarry_exchange* exchange) {
  return *reinterpret_cast<Recorder::Exchange*>(exchange);
}

void generate(void* instance, const quarry_call* call, quarry_text chat_request,
              const quarry_model_sink* sink) {
  auto& [recorder, inner] = instance_of(instance);
  const RecordingSink recording(*recorder, sink);
  recorder->inner->generate(inner, call, chat_request, recording.get());
}

void begin(void* instance, const quarry_call* call, quarry_text chat_request,
           quarry_exchange** exchange, const quarry_reply* reply) {
  auto& [recorder, inner] = instance_of(instance);
  quarry_exchange* begun = nullptr;
  recorder->inner->begin(inner, call, chat_request, &begun, reply);
  if (begun == nullptr) return;
  *exchange = reinterpret_cast<quarry_exchange*>(new Recorder::Exchange{recorder, begun});
}

const quarry_http_request* request(quarry_exchange* exchange) {
  auto& [recorder, inner] = exchange_of(exchange);
  return recorder->inner->request(inner);
}

void head(quarry_exchange* exchange, std::int32_t status, std::uint32_t count,
          const quarry_header* const* headers, const quarry_model_sink* sink) {
  auto& [recorder, inner] = exchange_of(exchange);
  const RecordingSink recording(*recorder, sink);
  recorder->inner->head(inner, status, count, headers, recording.get());
}

void data(quarry_exchange* exchange, quarry_text bytes, const quarry_model_sink* sink) {
  auto& [recorder, inner] = exchange_of(exchange);
  const RecordingSink recording(*recorder, sink);
  recorder->inner->data(inner, bytes, recording.get());
}

void end(quarry_exchange* exchange, quarry_end reason, const quarry_model_sink* sink) {
  auto& [recorder, inner] = exchange_of(exchange);
  const RecordingSink recording(*recorder, sink);
  recorder->inner->end(inner, reason, recording.get());
}

void destroy_exchange(quarry_exchange* exchange) {
  const std::unique_ptr<Recorder::Exchange> mine(&exchange_of(exchange));
  mine->recorder->inner->destroy_exchange(mine->inner);
}

/// Makes wrapped instances of a module's component.
class RecordingModule final : public plugins::Module {
 public:
  RecordingModule(std::shared_ptr<plugins::Module> inner, Recorder& recorder)
      : inner_(std::move(inner)), recorder_(recorder) {}
  [[nodiscard]] const plugins::Manifest& manifest() const override { return inner_->manifest(); }
  [[nodiscard]] const quarry_entry& entry() const override { return inner_->entry(); }
  Status open(const quarry_host&) override { return {}; }  // it is open
  void create(const quarry_component&, const quarry_host& host, const quarry_call* call,
              quarry_text configuration, void** instance, const quarry_reply* reply) override {
    auto wrapped = std::make_unique<Recorder::Instance>(&recorder_, nullptr);
    recorder_.original->create(&host, call, configuration, &wrapped->inner, reply);
    *instance = wrapped.release();
  }

 private:
  std::shared_ptr<plugins::Module> inner_;
  Recorder& recorder_;
};

std::string events(std::string_view first, std::string_view second) {
  return compose("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", first, second);
}

std::string printable_bytes(std::uint64_t seed) {
  constexpr std::string_view kPieces[] = {"{",    "}",    "\"", ":",     "data: ", "\n",   "\r\n",
                                          "é",    "語",   "7",  "event", "[",      "]",    ",",
                                          "🪨", "null", "\\", "text",  "end",    "end\n"};
  std::mt19937_64 random(seed);
  std::string out;
  for (int i = 0; i < 300; ++i) out += kPieces[random() % std::size(kPieces)];
  return out;
}

}  // namespace

void RecordedModel::Recorder::prepare(const quarry_component& said) {
  original = &said;
  inner = static_cast<const quarry_model_v1*>(said.table);
  table = {};
  std::copy_n(static_cast<const char*>(said.table),
              std::min<std::size_t>(inner->struct_size, sizeof table),
              reinterpret_cast<char*>(&table));
  table.struct_size =
      static_cast<std::uint32_t>(std::min<std::size_t>(inner->struct_size, sizeof table));
  table.describe = [](void* instance, const quarry_call* call, const quarry_reply* reply) {
    auto& [recorder, mine] = instance_of(instance);
    recorder->inner->describe(mine, call, reply);
  };
  if (inner->generate != nullptr) {
    table.generate = generate;
  } else {
    table.begin = begin;
    table.request = request;
    table.head = head;
    table.data = data;
    table.end = end;
    table.destroy_exchange = destroy_exchange;
  }
  if (QUARRY_HAS(inner, models) && inner->models != nullptr) {
    table.models = [](void* instance, const quarry_call* call, const quarry_reply* reply) {
      auto& [recorder, mine] = instance_of(instance);
      recorder->inner->models(mine, call, reply);
    };
  }
  component = said;
  component.table = &table;
  component.destroy = [](void* instance) {
    const std::unique_ptr<Instance> mine(&instance_of(instance));
    mine->recorder->original->destroy(mine->inner);
  };
}

std::string StepRecord::summary() const {
  std::string out =
      compose("text \"{}\", reasoning \"{}\", usage {}, {}", text, reasoning, usage, last);
  for (const auto& [index, call] : calls) out += compose(", call {} {}", index, call);
  for (const auto& each : kept) out += ", kept " + each;
  return out;
}

RecordedModel::RecordedModel() : recorder_(std::make_unique<Recorder>()) {}
RecordedModel::~RecordedModel() = default;

Result<std::unique_ptr<RecordedModel>> RecordedModel::make(Trial& trial, Generation& generation,
                                                           const quarry_component& component) {
  std::unique_ptr<RecordedModel> model(new RecordedModel());
  model->recorder_->prepare(component);
  const auto configuration = trial.configuration(component);
  if (!configuration) return Error(Code::kNotFound, "it has no configuration to try");
  auto module = std::make_shared<RecordingModule>(generation.module, *model->recorder_);
  auto instance = plugins::Instance::create(std::move(module), model->recorder_->component,
                                            *generation.host.get(), *configuration);
  if (!instance) return std::move(instance.error());
  auto provider = plugins::adapt_model(std::move(*instance));
  if (!provider) return std::move(provider.error());
  model->provider_ = std::move(*provider);
  return model;
}

StepRecord RecordedModel::take() {
  recorder_->allowed = -1;
  return std::exchange(recorder_->record, {});
}

void RecordedModel::refuse_after(int deltas) {
  recorder_->allowed = deltas;
}

std::vector<CannedResponse> canned_responses(std::uint64_t seed) {
  return {
      {"chat completions", 200, "text/event-stream",
       events(
           R"({"choices":[{"delta":{"role":"assistant","content":"Grüße, 語 🪨"}}]})",
           R"({"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":4}})")},
      {"messages", 200, "text/event-stream",
       "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
       "{\"type\":\"text_delta\",\"text\":\"Grüße, 語 🪨\"}}\n\nevent: message_stop\ndata: "
       "{\"type\":\"message_stop\"}\n\n"},
      {"generated content", 200, "text/event-stream",
       "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Grüße, 語 🪨\"}]},"
       "\"finishReason\":\"STOP\"}]}\r\n\r\n"},
      {"lines of JSON", 200, "application/x-ndjson",
       "{\"message\":{\"role\":\"assistant\",\"content\":\"Grüße, 語 🪨\"},\"done\":false}\n"
       "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n"},
      {"lines of words", 200, "text/plain", "text \"Grüße, 語 🪨\"\ntokens 9 4\nend\n"},
      {"an HTML page", 200, "text/html", "<!doctype html><title>Grüße</title>\n"},
      {"an empty body", 200, "text/event-stream", ""},
      {"bytes by the seed", 200, "text/event-stream", printable_bytes(seed)},
  };
}

std::vector<std::string> chat_requests() {
  return {
      R"({"model":"example","system":"Answer briefly.","messages":[{"role":"user","text":"Where are dates parsed?"}],"tools":[],"maxOutputTokens":1000,"toolsAllowed":false})",
      R"({"model":"example","system":"","messages":[{"role":"user","text":"Grüße 🪨?"},{"role":"assistant","text":"","reasoning":"I look.","toolCalls":[{"id":"call-1","name":"grep","arguments":{"pattern":"date"}}]},{"role":"tool","toolCallId":"call-1","name":"grep","text":"dates.cpp:1: parse_date","failed":false}],"tools":[{"name":"grep","description":"Searches.","parameters":{"type":"object","properties":{"pattern":{"type":"string"}},"required":["pattern"]}}],"maxOutputTokens":8192,"toolsAllowed":true,"options":{}})"};
}

void respond(Trial& trial, const Made& made, plugins::ModelExchange& exchange,
             const CannedResponse& response, const std::vector<std::size_t>& cuts,
             plugins::ModelSink& sink, bool complete) {
  const std::vector<services::HttpHeader> headers{{"content-type", std::string(response.type), ""}};
  trial.at(made, "head", response.name);
  exchange.head(response.status, headers, sink);
  trial.at(made, "data", response.name);
  const std::string_view body = response.body;
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    exchange.data(body.substr(from, cut - from), sink);
    from = cut;
  }
  if (from < body.size()) exchange.data(body.substr(from), sink);
  trial.at(made, "end", response.name);
  exchange.end(complete, sink);
}

Result<StepRecord> exchange_step(Trial& trial, const Made& made, RecordedModel& model,
                                 const CannedResponse& response,
                                 const std::vector<std::size_t>& cuts, bool complete) {
  IgnoringSink sink;
  trial.at(made, "begin");
  auto exchange = model.provider().begin(chat_requests().front());
  if (!exchange) return std::move(exchange.error());
  trial.at(made, "request");
  if (const auto request = (*exchange)->request(); !request) return request.error();
  respond(trial, made, **exchange, response, cuts, sink, complete);
  trial.at(made, "destroy_exchange");
  exchange->reset();
  return model.take();
}

StepRecord generate_step(Trial& trial, const Made& made, RecordedModel& model,
                         const std::string& chat_request) {
  IgnoringSink sink;
  trial.at(made, "generate");
  model.provider().generate({}, chat_request, sink);
  return model.take();
}

Verdict for_each_recorded(Trial& trial,
                          const std::function<Verdict(const Made&, RecordedModel&)>& check) {
  return for_each(trial, QUARRY_MODEL, [&](Generation& generation, const Made& made) {
    trial.at(made, "create");
    auto model = RecordedModel::make(trial, generation, *made.component);
    return model ? check(made, *model->release()) : judge(model.error());
  });
}

void use_model(Trial& trial, const Made& made) {
  trial.at(made, "describe");
  const auto provider = plugins::adapt_model(made.instance);
  if (!provider) return;
  IgnoringSink sink;
  if ((*provider)->form() == plugins::ModelProvider::Form::kGenerate) {
    trial.at(made, "generate");
    return (*provider)->generate({}, chat_requests().front(), sink);
  }
  trial.at(made, "begin");
  const auto exchange = (*provider)->begin(chat_requests().front());
  if (!exchange) return;
  trial.at(made, "request");
  static_cast<void>((*exchange)->request());
  respond(trial, made, **exchange, canned_responses(1).front(), {}, sink);
}

}  // namespace quarry::conformance
