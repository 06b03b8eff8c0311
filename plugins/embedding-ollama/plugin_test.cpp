#include <quarry/draft/testing.hpp>

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace quarry::embedding_ollama {
namespace {

using Json = nlohmann::json;
using quarry::testing::Component;
using quarry::testing::Reply;
using Provider = Component<quarry_embedding_v1>;

constexpr const char* kRequest = R"({"model":"nomic-embed-text","kind":"query","texts":["a"]})";

struct OllamaEmbedding : ::testing::Test {
  OllamaEmbedding() { ::unsetenv("OLLAMA_HOST"); }
  static Provider make(std::string_view configuration = "{}") {
    return {quarry_plugin_entry_v1, QUARRY_EMBEDDING, "ollama", configuration};
  }
  static Json describe(std::string_view configuration = "{}") {
    const auto provider = make(configuration);
    Reply reply;
    provider->describe(provider.instance(), nullptr, reply.get());
    return Json::parse(reply.value());
  }
};

TEST_F(OllamaEmbedding, IsOnThisMachineAndCostsNothing) {
  const Json said = describe();
  EXPECT_EQ(said["endpoint"], "http://127.0.0.1:11434");
  EXPECT_EQ(said["local"], true);
  EXPECT_EQ(said["needs"], Json::array());
  ::setenv("OLLAMA_HOST", "gpu:99", 1);
  EXPECT_EQ(describe()["endpoint"], "http://gpu:99");
}

TEST_F(OllamaEmbedding, NeedsAKeyInTheCloud) {
  const Json said = describe(R"({"base_url":"https://ollama.com"})");
  EXPECT_EQ(said["needs"], Json({"OLLAMA_API_KEY"}));
  EXPECT_EQ(said["local"], false);
  EXPECT_EQ(said["vendor"], "ollama-cloud");
}

TEST_F(OllamaEmbedding, AsksForTheTextsWithTheirPrefix) {
  const auto provider = make(R"({"query_prefix":"search_query: ","dimensions":128})");
  const HttpRequest sent = quarry::testing::StartedEmbedding(provider, kRequest).request();
  EXPECT_EQ(sent.url, "http://127.0.0.1:11434/api/embed");
  EXPECT_EQ(
      Json::parse(sent.body),
      Json({{"model", "nomic-embed-text"}, {"input", {"search_query: a"}}, {"dimensions", 128}}));
}

TEST_F(OllamaEmbedding, ReadsAResponseHoweverItIsCut) {
  const auto said = quarry::testing::embed_cut_everywhere(
      make(), kRequest, R"({"embeddings":[[0.25,-1]],"prompt_eval_count":3})");
  ASSERT_EQ(said.vectors.size(), 1u);
  EXPECT_EQ(said.vectors[0].second, (std::vector<float>{0.25F, -1}));
  EXPECT_EQ(said.input_tokens, 3);
}

TEST_F(OllamaEmbedding, TellsThatTheModelIsMissing) {
  const auto said = quarry::testing::respond_to<quarry::testing::StartedEmbedding>(
      make(), kRequest, {.status = 404, .pieces = {R"({"error":"model \"m\" not found"})"}});
  EXPECT_EQ(said.errors.at(0), "model \"m\" not found");
  EXPECT_EQ(said.refusals.at(0).status, QUARRY_NOT_FOUND);
}

}  // namespace
}  // namespace quarry::embedding_ollama
