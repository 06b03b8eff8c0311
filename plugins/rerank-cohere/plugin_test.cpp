#include <quarry/draft/testing.hpp>

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace quarry::rerank_cohere {
namespace {

using Json = nlohmann::json;
using quarry::testing::Component;
using quarry::testing::Reply;
using Provider = Component<quarry_rerank_v1>;

constexpr const char* kRequest = R"({"model":"m","query":"q","documents":["a","b"]})";

struct CoherePlugin : ::testing::Test {
  CoherePlugin() { ::unsetenv("CO_API_URL"); }
  static Provider make(std::string_view configuration = "{}") {
    return {quarry_plugin_entry_v1, QUARRY_RERANK, "cohere", configuration};
  }
  static Json describe(std::string_view configuration = "{}") {
    const auto provider = make(configuration);
    Reply reply;
    provider->describe(provider.instance(), nullptr, reply.get());
    return Json::parse(reply.value());
  }
};

TEST_F(CoherePlugin, IsCohereOrAnyOtherServer) {
  const Json said = describe();
  EXPECT_EQ(said["endpoint"], "https://api.cohere.com/v2");
  EXPECT_EQ(said["needs"], Json({"CO_API_KEY"}));
  EXPECT_EQ(said["vendor"], "cohere");
  EXPECT_EQ(said["maxDocuments"], 100);
  const Json other = describe(R"({"base_url":"http://127.0.0.1:8080/v1","batch":10})");
  EXPECT_EQ(other["needs"], Json::array());
  EXPECT_FALSE(other.contains("vendor"));
  EXPECT_EQ(other["maxDocuments"], 10);
}

TEST_F(CoherePlugin, AsksForTheScoreOfEveryDocument) {
  const auto provider = make();
  const HttpRequest sent = quarry::testing::StartedRerank(provider, kRequest).request();
  EXPECT_EQ(sent.url, "https://api.cohere.com/v2/rerank");
  EXPECT_EQ(sent.headers.at(0).secret, "CO_API_KEY");
  EXPECT_EQ(Json::parse(sent.body),
            Json({{"model", "m"}, {"query", "q"}, {"documents", {"a", "b"}}, {"top_n", 2}}));
}

TEST_F(CoherePlugin, RefusesOptionsAndRequestsThatMeanNothing) {
  for (const char* wrong : {R"({"batch":0})", R"({"batch":1001})", R"({"batch":"x"})",
                            R"({"top":1})", R"({"base_url":7})"}) {
    quarry::testing::FakeHost host;
    Reply refused;
    void* instance = nullptr;
    quarry_plugin_entry_v1.components[0]->create(host.get(), nullptr, as_text(wrong), &instance,
                                                 refused.get());
    EXPECT_EQ(refused.failure().status, QUARRY_INVALID_ARGUMENT) << wrong;
  }
  const auto provider = make();
  for (const char* wrong :
       {"[]", R"({"model":"m","query":"q"})", R"({"model":"m","query":"q","documents":[]})",
        R"({"query":"q","documents":["a"]})"}) {
    Reply refused;
    quarry_exchange* exchange = nullptr;
    provider->begin(provider.instance(), nullptr, as_text(wrong), &exchange, refused.get());
    EXPECT_EQ(refused.failure().status, QUARRY_INVALID_ARGUMENT) << wrong;
  }
}

TEST_F(CoherePlugin, ReadsAResponseHoweverItIsCut) {
  const auto said = quarry::testing::rerank_cut_everywhere(
      make(), kRequest,
      R"({"results":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":-2}]})");
  ASSERT_EQ(said.scores.size(), 2u);
  EXPECT_EQ(said.scores[1], std::pair(0u, -2.0));
  EXPECT_EQ(said.finishes, 1);
}

TEST_F(CoherePlugin, ReportsErrors) {
  const auto said = quarry::testing::respond_to<quarry::testing::StartedRerank>(
      make(), kRequest, {.status = 401, .pieces = {R"({"message":"invalid api token"})"}});
  EXPECT_EQ(said.errors.at(0), "invalid api token");
  EXPECT_EQ(said.refusals.at(0).status, QUARRY_UNAUTHENTICATED);
}

}  // namespace
}  // namespace quarry::rerank_cohere
