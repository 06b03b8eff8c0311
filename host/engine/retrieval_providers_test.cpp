#include "engine/retrieval_providers.h"

#include "engine/current_state.h"
#include "engine/load_plugins.h"
#include "engine/testing/engine_fixture.h"
#include "services/testing/scripted_server.h"

#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <gmock/gmock.h>

// Encoders and rerankers from the configuration to a server, with the plugins of this build.

namespace quarry::engine {
namespace {

using corpus::TextKind;
using services::testing::ok;
using services::testing::Peer;
using services::testing::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Texts = std::vector<std::string_view>;

constexpr const char* kVectors =
    R"({"data":[{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":1000}})";

/// A server that gives the same answer to every request.
struct OneAnswer {
  explicit OneAnswer(std::string body)
      : server([this, body = std::move(body)](Peer& peer) {
          while (const auto request = peer.request()) {
            {
              const std::lock_guard lock(mutex);
              requests.push_back(*request);
            }
            peer.write(ok(body));
          }
        }) {}
  std::mutex mutex;
  std::vector<std::string> requests;
  ScriptedServer server;
};

class RetrievalProvidersTest : public testing::EngineTest {
 protected:
  ~RetrievalProvidersTest() override {
    if (!host_) return;
    host_->workers.shutdown();
    history_.reset();
    work_.reset();
    host_->io.stop();
    loop_.join();
    state_.reset();
    host_.reset();
  }

  Status begin(const std::string& text) {
    write("quarry.toml", text);
    auto config = config::load(options_.config);
    if (!config) return std::move(config).error();
    host_ = HostServices::create(*config, options_).value();
    work_.emplace(boost::asio::make_work_guard(host_->io));
    loop_ = std::jthread([this] { host_->io.run(); });
    history_.emplace(
        QuestionHistory::Parts{root / "history.db", host_->io, host_->workers, host_->clock,
                               [](std::string_view said) { return std::string(said); },
                               [](std::string said) { return said; }, [](const Error&) {}});
    host_->retrieval_expenses.use(*history_);
    state_.emplace(options_, *host_);
    auto registry = load_plugins(*config, options_, *host_, Loading::kAtOnce);
    return state_->begin(std::move(*config), *registry);
  }
  std::string complaint(const std::string& text) {
    const Status begun = begin(text);
    EXPECT_FALSE(begun);
    return begun ? "" : begun.error().message;
  }
  const RetrievalProviders& made() { return state_->now()->retrieval; }
  Result<std::vector<float>> encode() {
    return made().encoder->encode(Texts{"a"}, TextKind::kPassage, {});
  }
  history::Usage usage() {
    return history_->settled().usage(history::Time(), history::By::kModel).value();
  }

  Options options_ = options();
  HostServicesPointer host_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::jthread loop_;
  std::optional<QuestionHistory> history_;
  std::optional<CurrentState> state_;
};

std::string embedding(const std::string& url, const std::string& more = {}) {
  return "[search]\nembedding = \"work/org/m\"\n[embedding.work]\nprovider = \"openai\"\n"
         "base_url = \"" +
         url + "\"\n" + more;
}

TEST_F(RetrievalProvidersTest, AreNoneWithoutAConfiguration) {
  ASSERT_TRUE(begin(""));
  EXPECT_EQ(made().encoder, nullptr);
  EXPECT_EQ(made().reranker, nullptr);
  EXPECT_TRUE(state_->now()->plugins->names("quarry.embedding.draft/1").empty())
      << "their plugins are not loaded";
}

TEST_F(RetrievalProvidersTest, EncodeByTheServerOfTheirTableWithItsKey) {
  OneAnswer server(kVectors);
  ::setenv("WORK_KEY", test_key().c_str(), 1);
  ASSERT_TRUE(begin(embedding(server.server.url("/v1"),
                              "query_prefix = \"query: \"\napi_key = { env = \"WORK_KEY\" }\n")));
  EXPECT_EQ(made().encoder->identity(), R"(openai/org/m {"query_prefix":"query: "})");
  const auto rows = made().encoder->encode(Texts{"a"}, TextKind::kQuery, {});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_THAT(*rows, ElementsAre(1, 2));
  ASSERT_EQ(server.requests.size(), 1u);
  EXPECT_TRUE(server.requests[0].starts_with("POST /v1/embeddings"));
  EXPECT_THAT(server.requests[0], HasSubstr("authorization: Bearer " + test_key()));
  EXPECT_THAT(server.requests[0], HasSubstr(R"({"input":["query: a"],"model":"org/m"})"));
  EXPECT_TRUE(made().costs);
}

TEST_F(RetrievalProvidersTest, ScoreByTheServerOfTheTableOfTheirComponent) {
  OneAnswer server(R"({"results":[{"index":1,"relevance_score":0.5},
                                  {"index":0,"relevance_score":2}]})");
  ASSERT_TRUE(begin("[search]\nrerank = \"cohere/m\"\n[rerank.cohere]\nbase_url = \"" +
                    server.server.url("/v1") + "\"\n"));
  const auto scores = made().reranker->score("q", Texts{"a", "b"}, {});
  ASSERT_TRUE(scores) << scores.error().message;
  EXPECT_THAT(*scores, ElementsAre(2, 0.5));
  EXPECT_TRUE(server.requests.at(0).starts_with("POST /v1/rerank"));
}

TEST_F(RetrievalProvidersTest, ThatNoPluginOffersAreRefusedAtTheirPlace) {
  EXPECT_THAT(complaint("[search]\nembedding = \"opnai/m\"\n"),
              HasSubstr("quarry.toml:2:1: \"embedding\" names the embedding provider \"opnai\", "
                        "which no plugin offers; did you mean \"openai\"?"));
}

TEST_F(RetrievalProvidersTest, OfATableThatNamesNoComponentAreRefusedAtTheirPlace) {
  EXPECT_THAT(complaint("[search]\nrerank = \"work/m\"\n[rerank.work]\nprovider = \"coheer\"\n"),
              HasSubstr("quarry.toml:4:1: \"provider\" names the rerank provider \"coheer\""));
}

TEST_F(RetrievalProvidersTest, RefuseWrongOptionsAtTheirPlace) {
  EXPECT_THAT(complaint("[search]\nembedding = \"ollama/m\"\n[embedding.ollama]\nbatches = 3\n"),
              HasSubstr("quarry.toml:4:1: \"batches\" is not known"));
}

TEST_F(RetrievalProvidersTest, AreInTheLedgerWithTheirCost) {
  OneAnswer server(kVectors);
  ASSERT_TRUE(begin(
      embedding(server.server.url("/v1"), "[pricing.static.\"work/org/m\"]\ninput = \"0.02\"\n")));
  ASSERT_TRUE(encode());
  ASSERT_TRUE(encode());
  const auto said = usage();
  ASSERT_EQ(said.rows.size(), 1u);
  EXPECT_EQ(said.rows[0].key, "work/org/m");
  EXPECT_EQ(said.rows[0].sums.calls, 2);
  EXPECT_EQ(said.rows[0].sums.input, 2000);
  EXPECT_EQ(said.rows[0].sums.cost.nanos, 40'000);
  EXPECT_EQ(said.total.questions, 0);
}

TEST_F(RetrievalProvidersTest, SpendNoMoreThanTheMonthlyBudget) {
  OneAnswer server(kVectors);
  ASSERT_TRUE(begin(
      "[model]\nmonthly_budget_usd = \"0.00003\"\n" +
      embedding(server.server.url("/v1"), "[pricing.static.\"work/org/m\"]\ninput = \"0.02\"\n")));
  ASSERT_TRUE(encode());
  ASSERT_TRUE(encode());
  const auto third = encode();
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().tag, "RateLimitError");
  EXPECT_EQ(server.requests.size(), 2u);
}

TEST_F(RetrievalProvidersTest, OfUnknownPriceAreNotAskedWithinABudget) {
  OneAnswer server(kVectors);
  ASSERT_TRUE(begin("[model]\nmonthly_budget_usd = \"1\"\n" + embedding(server.server.url("/v1"))));
  const auto refused = encode();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the input price of work/org/m is unknown"));
  EXPECT_TRUE(server.requests.empty());
}

TEST_F(RetrievalProvidersTest, AreLoadedByAReloadThatBeginsToNameThem) {
  OneAnswer server(kVectors);
  ASSERT_TRUE(begin(""));
  write("quarry.toml", embedding(server.server.url("/v1")));
  const Status done = ConfigurationEdit(*state_).reload();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*encode(), ElementsAre(1, 2));
}

TEST_F(RetrievalProvidersTest, AreMadeAnewByAReload) {
  OneAnswer before(kVectors);
  OneAnswer after(R"({"data":[{"index":0,"embedding":[3,4,5]}]})");
  ASSERT_TRUE(begin(embedding(before.server.url("/v1"))));
  const auto held = made().encoder;
  ASSERT_TRUE(encode());
  write("quarry.toml", embedding(after.server.url("/v1"), "dimensions = 3\n"));
  ASSERT_TRUE(ConfigurationEdit(*state_).reload());
  EXPECT_THAT(*encode(), ElementsAre(3, 4, 5));
  EXPECT_NE(made().encoder->identity(), held->identity());
  EXPECT_TRUE(held->encode(Texts{"a"}, TextKind::kPassage, {})) << "what runs keeps its own";
  EXPECT_EQ(before.requests.size(), 2u);
}

}  // namespace
}  // namespace quarry::engine
