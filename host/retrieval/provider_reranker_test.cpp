#include "retrieval/provider_reranker.h"

#include "base/testing/fake_clock.h"
#include "retrieval/testing/line_providers.h"
#include "services/testing/scripted_server.h"

#include <gmock/gmock.h>

namespace quarry::retrieval {
namespace {

using services::testing::ClientHost;
using services::testing::ok;
using services::testing::Peer;
using services::testing::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ScoringProvider = testing::LineProvider<plugins::RerankSink>;
using Documents = std::vector<std::string_view>;

class ProviderReranker : public ::testing::Test {
 protected:
  /// The result of scoring `documents` when the server's responses are `bodies`, in order.
  Result<std::vector<double>> score(std::vector<std::string> bodies, const Documents& documents,
                                    std::string_view query = "q") {
    ScriptedServer server([&](Peer& peer) {
      for (const auto& body : bodies) {
        const auto request = peer.request();
        if (!request) return;
        requests_.push_back(*request);
        peer.write(ok(body));
      }
    });
    const auto made = make_reranker(
        std::make_shared<ScoringProvider>(server.url(), 2),
        {.id = "work",
         .component = "cohere",
         .model = "m",
         .services = {.http = host_.client(), .clock = clock_, .secret = {}},
         .spent = [this](const plugins::Usage& usage, bool) { tokens_ += usage.input; }});
    return made->score(query, documents, {});
  }

  ClientHost host_;
  FakeClock clock_;
  std::vector<std::string> requests_;
  std::int64_t tokens_ = 0;
};

TEST_F(ProviderReranker, GivesAScoreADocumentInTheirOrder) {
  const auto scores = score({"1 -2\n0 0.5\nusage 3", "0 7\nusage 4"}, {"a", "b", "c"});
  ASSERT_TRUE(scores) << scores.error().message;
  EXPECT_THAT(*scores, ElementsAre(0.5, -2, 7));
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_THAT(requests_[0], HasSubstr(R"({"model":"m","query":"q","documents":["a","b"]})"));
  EXPECT_THAT(requests_[1], HasSubstr(R"("documents":["c"])"));
  EXPECT_EQ(tokens_, 7);
}

TEST_F(ProviderReranker, RefusesAResponseThatIsNotAScoreForEachDocument) {
  const std::pair<const char*, const char*> wrongs[] = {
      {"0 1", "the response has 1 scores for 2 documents"},
      {"0 1\n1 1\n2 1", "the response has a score with the index 2, and the request 2 documents"},
      {"0 1\n0 1", "the response has two scores with the index 0"},
      {"0 1\n1 nan", "the score with the index 1 is not finite"}};
  for (const auto& [body, message] : wrongs) {
    const auto scores = score({body}, {"a", "b"});
    ASSERT_FALSE(scores) << body;
    EXPECT_EQ(scores.error().code, Code::kDataLoss);
    EXPECT_EQ(scores.error().message, std::string("the provider of work/m: ") + message);
  }
}

TEST_F(ProviderReranker, ScoresNoEmptyText) {
  EXPECT_EQ(score({}, {"a", ""}).error().message, "document 1 to score is empty");
  EXPECT_EQ(score({}, {"a"}, "").error().message, "the query to score is empty");
  EXPECT_TRUE(requests_.empty());
}

TEST_F(ProviderReranker, ScoresNoDocumentsAtAll) {
  const auto scores = score({}, {});
  ASSERT_TRUE(scores);
  EXPECT_TRUE(scores->empty());
}

}  // namespace
}  // namespace quarry::retrieval
