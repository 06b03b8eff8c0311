#include "plugins/adapters.h"
#include "plugins/testing/scripted.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>

#include <functional>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A scripted provider of a draft kind that is also its only exchange.
template <class CSink>
struct DraftScript {
  std::string description = R"({"title":"Scripted"})";
  std::string request;
  std::function<void(const CSink*)> data;
  std::function<void(quarry_end, const CSink*)> end = [](quarry_end, auto*) {};
  int destroyed = 0;
};

template <class CSink>
DraftScript<CSink>& script_of(quarry_exchange* exchange) {
  return *reinterpret_cast<DraftScript<CSink>*>(exchange);
}

template <class Table, class CSink>
constexpr Table draft_table() {
  using Script = DraftScript<CSink>;
  return {.struct_size = sizeof(Table),
          .describe =
              [](void* self, const quarry_call*, const quarry_reply* reply) {
                say(reply, static_cast<Script*>(self)->description);
              },
          .begin =
              [](void* self, const quarry_call*, quarry_text request, quarry_exchange** exchange,
                 const quarry_reply* reply) {
                static_cast<Script*>(self)->request = as_view(request);
                if (as_view(request) == "refused")
                  return say_failure(reply, QUARRY_INVALID_ARGUMENT, "no such model");
                *exchange = reinterpret_cast<quarry_exchange*>(self);
                say(reply, "{}");
              },
          .request = [](quarry_exchange*) -> const quarry_http_request* { return nullptr; },
          .head = [](quarry_exchange*, std::int32_t, std::uint32_t, const quarry_header* const*,
                     const CSink*) {},
          .data = [](quarry_exchange* exchange, quarry_text,
                     const CSink* sink) { script_of<CSink>(exchange).data(sink); },
          .end = [](quarry_exchange* exchange, quarry_end reason,
                    const CSink* sink) { script_of<CSink>(exchange).end(reason, sink); },
          .destroy_exchange =
              [](quarry_exchange* exchange) { ++script_of<CSink>(exchange).destroyed; }};
}

constexpr auto kEmbeddingTable = draft_table<quarry_embedding_v1, quarry_embedding_sink>();
constexpr auto kRerankTable = draft_table<quarry_rerank_v1, quarry_rerank_sink>();

/// One line per event.
struct VectorEvents final : EmbeddingSink {
  bool vector(std::uint32_t index, std::span<const float> values) override {
    std::string line = "vector " + std::to_string(index);
    for (const float value : values) line += " " + std::to_string(static_cast<int>(value));
    events.push_back(line);
    return wanted;
  }
  bool usage(const Usage& usage) override {
    events.push_back("usage " + std::to_string(usage.input));
    return wanted;
  }
  void finish() override { events.emplace_back("finish"); }
  void error(const ModelError& error) override { events.push_back("error " + error.message); }
  std::vector<std::string> events;
  bool wanted = true;
};

struct ScoreEvents final : RerankSink {
  bool score(std::uint32_t index, double score) override {
    events.push_back("score " + std::to_string(index) + " " + std::to_string(score));
    return true;
  }
  bool usage(const Usage&) override { return true; }
  void finish() override { events.emplace_back("finish"); }
  void error(const ModelError& error) override { events.push_back("error " + error.message); }
  std::vector<std::string> events;
};

class DraftProviders : public ::testing::Test {
 protected:
  Result<std::shared_ptr<EmbeddingProvider>> make() {
    return adapt_embedding(*make_instance(component_, &script_));
  }
  std::vector<std::string> run(std::function<void(const quarry_embedding_sink*)> data) {
    script_.data = std::move(data);
    const auto provider = make().value();
    const auto exchange = provider->begin("{}").value();
    VectorEvents sink;
    sink.wanted = wanted_;
    exchange->data("", sink);
    exchange->end(true, sink);
    return sink.events;
  }

  DraftScript<quarry_embedding_sink> script_;
  bool wanted_ = true;
  quarry_component component_ = scripted_component(QUARRY_EMBEDDING, &kEmbeddingTable);
};

constexpr float kTwo[] = {1, 2};

TEST_F(DraftProviders, DescribeThemselves) {
  EXPECT_EQ((*make())->describe().most_items, 64u);
  script_.description = R"({"title":"T","needs":["KEY"],"local":true,"vendor":"acme",
    "endpoint":"http://127.0.0.1:1","variant":"dimensions=2","maxTexts":7,"schema":{}})";
  const auto provider = make().value();
  const ExchangeDescription& said = provider->describe();
  EXPECT_THAT(said.needs, ElementsAre("KEY"));
  EXPECT_TRUE(said.local);
  EXPECT_EQ(said.vendor + said.endpoint + said.variant, "acmehttp://127.0.0.1:1dimensions=2");
  EXPECT_EQ(said.most_items, 7u);
}

TEST_F(DraftProviders, WithAWrongDescriptionAreNotMade) {
  for (const auto* said : {"{oops", "{}", R"({"title":"T","maxTexts":0})",
                           R"({"title":"T","maxTexts":"many"})", R"({"title":"T","variant":7})"}) {
    script_.description = said;
    EXPECT_THAT(fault(make()), HasSubstr("the plugin's reply")) << said;
  }
  script_.description = R"({"title":"T","schema":{"allOf":[]}})";
  EXPECT_THAT(fault(make()), HasSubstr("at /allOf is not supported"));
}

TEST_F(DraftProviders, GiveVectorsAndUsage) {
  EXPECT_THAT(run([](auto* sink) {
                EXPECT_EQ(sink->vector(sink, 1, kTwo, 2), QUARRY_OK);
                const quarry_usage usage{sizeof usage, 0, 9, -1, -1, -1, -1};
                sink->usage(sink, &usage);
                sink->finish(sink);
                sink->finish(sink);
                EXPECT_EQ(sink->vector(sink, 2, kTwo, 2), QUARRY_CANCELLED);
                EXPECT_EQ(sink->usage(sink, &usage), QUARRY_CANCELLED);
              }),
              ElementsAre("vector 1 1 2", "usage 9", "finish"));
  EXPECT_EQ(script_.destroyed, 1);
}

TEST_F(DraftProviders, HearThatNoMoreIsWanted) {
  wanted_ = false;
  run([](auto* sink) { EXPECT_EQ(sink->vector(sink, 0, kTwo, 2), QUARRY_CANCELLED); });
}

TEST_F(DraftProviders, ThatGiveWhatIsNoVectorFailTheRequest) {
  using Wrong = std::function<void(const quarry_embedding_sink*)>;
  const quarry_usage short_usage{8, 0, 1, 1, 1, 1, 1};
  const std::pair<const char*, Wrong> wrongs[] = {
      {"a vector of 0 values", [](auto* sink) { sink->vector(sink, 0, nullptr, 2); }},
      {"a vector of 0 values", [](auto* sink) { sink->vector(sink, 0, kTwo, 0); }},
      {"a vector of 16385 values", [](auto* sink) { sink->vector(sink, 0, kTwo, 16385); }},
      {"usage without its counts", [&](auto* sink) { sink->usage(sink, &short_usage); }},
      {"failed without an error", [](auto* sink) { sink->error(sink, nullptr); }},
      {"ended without a finish", [](auto*) {}}};
  for (const auto& [words, wrong] : wrongs) {
    const auto events = run(wrong);
    ASSERT_EQ(events.size(), 1u) << words;
    EXPECT_THAT(events.front(), HasSubstr("error scripted (org.example.scripted): the provider "));
    EXPECT_THAT(events.front(), HasSubstr(words));
  }
}

TEST_F(DraftProviders, PassOnTheErrorOfAServer) {
  EXPECT_THAT(run([](auto* sink) {
                const quarry_model_error error{sizeof error, QUARRY_RESOURCE_EXHAUSTED, 429, 10,
                                               as_text("slow down")};
                sink->error(sink, &error);
              }),
              ElementsAre("error slow down"));
}

TEST_F(DraftProviders, RefuseARequest) {
  const auto provider = make().value();
  EXPECT_EQ(provider->begin("refused").error().code, Code::kInvalidArgument);
  EXPECT_THAT(fault(provider->begin("{}").value()->request()), HasSubstr("it gave none"));
}

TEST(RerankProviders, GiveScores) {
  DraftScript<quarry_rerank_sink> script;
  script.description = R"({"title":"T","maxDocuments":5})";
  script.data = [](auto* sink) {
    EXPECT_EQ(sink->score(sink, 3, 0.5), QUARRY_OK);
    sink->finish(sink);
    EXPECT_EQ(sink->score(sink, 4, 0.5), QUARRY_CANCELLED);
  };
  const quarry_component component = scripted_component(QUARRY_RERANK, &kRerankTable);
  const auto provider = adapt_rerank(*make_instance(component, &script)).value();
  EXPECT_EQ(provider->describe().most_items, 5u);
  const auto exchange = provider->begin("{}").value();
  ScoreEvents sink;
  exchange->data("", sink);
  exchange->end(true, sink);
  EXPECT_THAT(sink.events, ElementsAre("score 3 0.500000", "finish"));
}

TEST(RerankProviders, DescribeThemselvesByTheirSchema) {
  DraftScript<quarry_rerank_sink> script;
  script.description = R"({"title":"T","maxDocuments":-1})";
  const quarry_component component = scripted_component(QUARRY_RERANK, &kRerankTable);
  EXPECT_THAT(fault(adapt_rerank(*make_instance(component, &script))),
              HasSubstr("rerank.description"));
}

}  // namespace
}  // namespace quarry::plugins
