#include "plugins/adapters.h"
#include "plugins/testing/hanging.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Hanging& hung_draft(quarry_exchange* exchange) {
  return *reinterpret_cast<Hanging*>(exchange);
}

void give_one(const quarry_embedding_sink* sink) {
  constexpr float kValue = 1;
  sink->vector(sink, 0, &kValue, 1);
}
void give_one(const quarry_rerank_sink* sink) {
  sink->score(sink, 0, 1);
}

/// A provider of a draft kind whose exchange is its instance.
template <class Table, class CSink>
constexpr Table hanging_draft() {
  return {.struct_size = sizeof(Table),
          .describe = [](void*, const quarry_call*,
                         const quarry_reply* reply) { say(reply, R"({"title":"T"})"); },
          .begin =
              [](void* self, const quarry_call*, quarry_text, quarry_exchange** exchange,
                 const quarry_reply* reply) {
                Hanging::of(self).hang_in("begin");
                *exchange = reinterpret_cast<quarry_exchange*>(&Hanging::of(self));
                say(reply, "{}");
              },
          .request = [](quarry_exchange*) -> const quarry_http_request* { return nullptr; },
          .head = [](quarry_exchange*, std::int32_t, std::uint32_t, const quarry_header* const*,
                     const CSink*) {},
          .data =
              [](quarry_exchange* exchange, quarry_text, const CSink* sink) {
                hung_draft(exchange).hang_in("data");
                give_one(sink);
              },
          .end =
              [](quarry_exchange* exchange, quarry_end, const CSink* sink) {
                hung_draft(exchange).hang_in("end");
                sink->finish(sink);
              },
          .destroy_exchange = [](quarry_exchange*) {}};
}

constexpr auto kHungEmbedding = hanging_draft<quarry_embedding_v1, quarry_embedding_sink>();
constexpr auto kHungRerank = hanging_draft<quarry_rerank_v1, quarry_rerank_sink>();
constexpr quarry_component kHungEncoder = hanging_component(QUARRY_EMBEDDING, &kHungEmbedding);
constexpr quarry_component kHungReranker = hanging_component(QUARRY_RERANK, &kHungRerank);

template <class Sink>
struct HungEvents : Sink {
  bool usage(const Usage&) override { return true; }
  void finish() override { events.emplace_back("finish"); }
  void error(const ModelError& error) override { events.push_back("error " + error.message); }
  std::vector<std::string> events;
};
struct HungVectors final : HungEvents<EmbeddingSink> {
  bool vector(std::uint32_t, std::span<const float>) override {
    return events.emplace_back("output"), true;
  }
};
struct HungScores final : HungEvents<RerankSink> {
  bool score(std::uint32_t, double) override { return events.emplace_back("output"), true; }
};

class HungDrafts : public HungPlugin, public ::testing::WithParamInterface<const char*> {
 protected:
  HungDrafts() : HungPlugin(false) {}

  template <class Provider, class Events>
  void run(Provider& provider, Events& sink) {
    auto exchange = provider.begin("{}");
    if (!exchange) return sink.error({.message = exchange.error().message});
    (*exchange)->data("a", sink);
    (*exchange)->end(true, sink);
  }
  /// A request that hangs ends with one error, and nothing comes of it after it has returned.
  template <class Provider, class Events>
  void expect_one_error(Provider& provider, Events& sink) {
    hanging_.hangs = GetParam();
    end_hung_calls(hanging_);
    run(provider, sink);
    ASSERT_FALSE(sink.events.empty());
    EXPECT_THAT(sink.events.back(),
                AllOf(HasSubstr("error plugin org.example.scripted did not return from"),
                      HasSubstr(GetParam())));
    EXPECT_THAT(sink.events, ::testing::Contains(HasSubstr("error")).Times(1));
    const auto told = sink.events;
    release();
    EXPECT_EQ(sink.events, told);
  }
};

TEST_P(HungDrafts, OfAnEncoderEndTheirRequest) {
  HungVectors sink;
  expect_one_error(*adapt_embedding(instance(kHungEncoder).value()).value(), sink);
}

TEST_P(HungDrafts, OfARerankerEndTheirRequest) {
  HungScores sink;
  expect_one_error(*adapt_rerank(instance(kHungReranker).value()).value(), sink);
}

INSTANTIATE_TEST_SUITE_P(Functions, HungDrafts, ::testing::Values("begin", "data", "end"));

TEST_P(HungDrafts, ThatReturnGiveTheirOutput) {
  HungVectors vectors;
  run(*adapt_embedding(instance(kHungEncoder).value()).value(), vectors);
  EXPECT_THAT(vectors.events, ElementsAre("output", "finish"));
  HungScores scores;
  run(*adapt_rerank(instance(kHungReranker).value()).value(), scores);
  EXPECT_THAT(scores.events, ElementsAre("output", "finish"));
}

}  // namespace
}  // namespace quarry::plugins
