// Model providers and a price catalogue: "echo" repeats its request, "exchange" asks a server, and
// both crash where their request says so, or do what fault.h has, as in "generate:hang".
#include "fault.h"

#include <quarry/model.h>
#include <quarry/plugin.hpp>
#include <quarry/pricing.h>

#include <csignal>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

bool has(quarry_text text, const char* part) {
  return quarry::as_view(text).find(part) != std::string_view::npos;
}

void crash_if(bool asked) {
  if (asked) std::raise(SIGILL);  // which no sanitizer handles
}

void act(const char* function, quarry_text text) {
  if (has(text, (std::string(function) + ":throw").c_str())) throw 7;
  fault_at(function, text.data, text.size);
}

void answer(const quarry_reply* reply, std::string_view json) {
  reply->value(reply, quarry::as_text(json));
}

void describe(void*, const quarry_call*, const quarry_reply* reply) {
  answer(reply, R"({"title":"Echo","schema":{},"local":true})");
}

/// "count=N" deltas of the request, and one of everything else.
void generate(void*, const quarry_call*, quarry_text request, const quarry_model_sink* sink) {
  act("generate", request);
  const std::string text(quarry::as_view(request));
  const auto at = text.find("count=");
  const int count = at == text.npos ? 1 : std::stoi(text.substr(at + 6));
  for (int i = 0; i < count; ++i) {
    if (sink->text(sink, request) != QUARRY_OK) return;
  }
  crash_if(has(request, "crash"));
  if (has(request, "endless")) return;
  sink->reasoning(sink, quarry::as_text("thought"));
  sink->tool_call(sink, 1, quarry::as_text("id"), quarry::as_text("grep"), quarry::as_text("{}"));
  const quarry_usage usage{sizeof usage, 0, 1, 2, 3, 4, 5};
  sink->usage(sink, has(request, "no usage") ? nullptr : &usage);
  sink->keep(sink, quarry::as_text("{\"kept\":1}"));
  sink->finish(sink, QUARRY_FINISH_LENGTH);
}

void models(void*, const quarry_call*, const quarry_reply* reply) {
  answer(reply, R"({"models":[{"id":"m","contextTokens":9}]})");
}

struct Exchange {
  std::string chat_request;
  int requests = 0;
  std::string url;
  quarry_header header{};
  const quarry_header* headers[1]{};
  quarry_http_request request{};
};

Exchange& of(quarry_exchange* exchange) {
  return *reinterpret_cast<Exchange*>(exchange);
}

void begin(void*, const quarry_call*, quarry_text request, quarry_exchange** exchange,
           const quarry_reply* reply) {
  act("begin", request);
  if (has(request, "refused")) {
    const quarry_failure failure{sizeof failure,
                                 QUARRY_INVALID_ARGUMENT,
                                 quarry::as_text("refused on purpose"),
                                 {nullptr, 0},
                                 {nullptr, 0}};
    return reply->failure(reply, &failure);
  }
  *exchange = reinterpret_cast<quarry_exchange*>(
      new Exchange{.chat_request = std::string(quarry::as_view(request)), .url = {}});
  answer(reply, "{}");
}

const quarry_http_request* request_of(quarry_exchange* exchange) {
  Exchange& mine = of(exchange);
  act("request", quarry::as_text(mine.chat_request));
  if (mine.chat_request == "none") return nullptr;
  mine.url = "https://example.org/" + std::to_string(++mine.requests);
  mine.header = {sizeof mine.header, quarry::as_text("Authorization"), quarry::as_text("Bearer "),
                 quarry::as_text("model.key")};
  mine.headers[0] = &mine.header;
  mine.request = {sizeof mine.request,
                  1,
                  quarry::as_text("POST"),
                  quarry::as_text(mine.url),
                  mine.headers,
                  quarry::as_text(mine.chat_request),
                  0,
                  -1,
                  0};
  return &mine.request;
}

void head(quarry_exchange*, int32_t status, uint32_t count, const quarry_header* const* headers,
          const quarry_model_sink* sink) {
  std::string text = std::to_string(status);
  for (uint32_t i = 0; i < count; ++i) text += quarry::as_view(headers[i]->value);
  sink->text(sink, quarry::as_text(text));
}

void data(quarry_exchange*, quarry_text bytes, const quarry_model_sink* sink) {
  crash_if(has(bytes, "crash"));
  while (has(bytes, "hang")) ::pause();
  sink->text(sink, bytes);
}

void end(quarry_exchange*, quarry_end reason, const quarry_model_sink* sink) {
  if (reason == QUARRY_END_COMPLETE) return sink->finish(sink, QUARRY_FINISH_STOP);
  const quarry_model_error error{sizeof error, QUARRY_UNAVAILABLE, 503, 250,
                                 quarry::as_text("cut")};
  sink->error(sink, &error);
}

void rates(void*, const quarry_call*, quarry_text provider, quarry_text model,
           const quarry_reply* reply) {
  crash_if(has(model, "crash"));
  act("rates", model);
  answer(reply, has(provider, "known") ? R"({"source":"here","input":"1.5"})" : "null");
}

void refresh(void*, const quarry_call*, const quarry_reply* reply) {
  answer(reply, R"({"changed":true,"nextMs":1000})");
}

void create(const quarry_host*, const quarry_call*, quarry_text configuration, void** instance,
            const quarry_reply* reply) {
  act("create", configuration);
  *instance = nullptr;
  answer(reply, "{}");
}
void destroy(void*) {}

constexpr quarry_model_v1 kEcho{.struct_size = sizeof(quarry_model_v1),
                                .describe = describe,
                                .generate = generate,
                                .begin = nullptr,
                                .request = nullptr,
                                .head = nullptr,
                                .data = nullptr,
                                .end = nullptr,
                                .destroy_exchange = nullptr,
                                .models = models};
constexpr quarry_model_v1 kExchange{
    .struct_size = sizeof(quarry_model_v1),
    .describe = describe,
    .generate = nullptr,
    .begin = begin,
    .request = request_of,
    .head = head,
    .data = data,
    .end = end,
    .destroy_exchange = [](quarry_exchange* exchange) { delete &of(exchange); },
    .models = nullptr};
constexpr quarry_pricing_v1 kPrices{
    .struct_size = sizeof(quarry_pricing_v1), .rates = rates, .refresh = refresh};

constexpr quarry_component component(const char* kind, const char* name, const void* table) {
  return {sizeof(quarry_component), 0, kind, name, table, create, destroy};
}
constexpr quarry_component kComponents[] = {component(QUARRY_MODEL, "echo", &kEcho),
                                            component(QUARRY_MODEL, "exchange", &kExchange),
                                            component(QUARRY_PRICING, "prices", &kPrices)};

}  // namespace

QUARRY_PLUGIN("org.example.models", "1.0.0", kComponents[0], kComponents[1], kComponents[2])
