#include <quarry/draft/testing.hpp>

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace quarry::embedding_openai {
namespace {

using Json = nlohmann::json;
using quarry::testing::Component;
using quarry::testing::Reply;
using Provider = Component<quarry_embedding_v1>;

constexpr const char* kQuery = R"({"model":"m","kind":"query","texts":["a","b"]})";
constexpr const char* kPassage = R"({"model":"m","kind":"passage","texts":["a"]})";
constexpr const char* kBody =
    R"({"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[3,4]}],
        "usage":{"prompt_tokens":5}})";

struct OpenAiPlugin : ::testing::Test {
  OpenAiPlugin() { ::unsetenv("OPENAI_BASE_URL"); }
  static Provider make(std::string_view configuration = "{}") {
    return {quarry_plugin_entry_v1, QUARRY_EMBEDDING, "openai", configuration};
  }
  static Json describe(std::string_view configuration = "{}") {
    const auto provider = make(configuration);
    Reply reply;
    provider->describe(provider.instance(), nullptr, reply.get());
    return Json::parse(reply.value());
  }
  static HttpRequest request(std::string_view configuration, std::string_view asked = kQuery) {
    const auto provider = make(configuration);
    return quarry::testing::StartedEmbedding(provider, asked).request();
  }
};

TEST_F(OpenAiPlugin, IsOpenAiWithItsKeyAndItsPrices) {
  const Json said = describe();
  EXPECT_EQ(said["endpoint"], "https://api.openai.com/v1");
  EXPECT_EQ(said["needs"], Json({"OPENAI_API_KEY"}));
  EXPECT_EQ(said["vendor"], "openai");
  EXPECT_EQ(said["variant"], "");
  EXPECT_EQ(said["maxTexts"], 64);
  const HttpRequest sent = request("{}");
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.url, "https://api.openai.com/v1/embeddings");
  EXPECT_EQ(Json::parse(sent.body),
            Json({{"model", "m"}, {"input", {"a", "b"}}, {"encoding_format", "base64"}}));
  EXPECT_EQ(sent.headers.at(0).name, "authorization");
  EXPECT_EQ(sent.headers.at(0).value, "Bearer ");
  EXPECT_EQ(sent.headers.at(0).secret, "OPENAI_API_KEY");
}

TEST_F(OpenAiPlugin, IsAnyOtherServerWithoutThatKey) {
  constexpr const char* kOther = R"({"base_url":"http://127.0.0.1:8080/v1/"})";
  const Json said = describe(kOther);
  EXPECT_EQ(said["needs"], Json::array());
  EXPECT_FALSE(said.contains("vendor"));
  const HttpRequest sent = request(kOther);
  EXPECT_EQ(sent.url, "http://127.0.0.1:8080/v1/embeddings");
  EXPECT_EQ(Json::parse(sent.body), Json({{"model", "m"}, {"input", {"a", "b"}}}));
  EXPECT_EQ(sent.headers.at(0).name, "content-type");
}

TEST_F(OpenAiPlugin, NamesTheOptionsThatChangeVectors) {
  constexpr const char* kOptions =
      R"({"dimensions":256,"batch":8,"query_prefix":"query: ","passage_prefix":"passage: "})";
  const Json said = describe(kOptions);
  EXPECT_EQ(said["variant"],
            R"({"dimensions":256,"passage_prefix":"passage: ","query_prefix":"query: "})");
  EXPECT_EQ(said["maxTexts"], 8);
  EXPECT_EQ(describe(R"({"batch":8})")["variant"], "");
  const Json query = Json::parse(request(kOptions).body);
  EXPECT_EQ(query["dimensions"], 256);
  EXPECT_EQ(query["input"], Json({"query: a", "query: b"}));
  EXPECT_EQ(Json::parse(request(kOptions, kPassage).body)["input"], Json({"passage: a"}));
}

TEST_F(OpenAiPlugin, RefusesOptionsAndRequestsThatMeanNothing) {
  for (const char* wrong :
       {R"({"dimensions":0})", R"({"dimensions":1.5})", R"({"batch":"all"})",
        R"({"query_prefix":7})", R"({"base_url":"here"})", R"({"model":"m"})"}) {
    quarry::testing::FakeHost host;
    Reply refused;
    void* instance = nullptr;
    quarry_plugin_entry_v1.components[0]->create(host.get(), nullptr, as_text(wrong), &instance,
                                                 refused.get());
    EXPECT_EQ(refused.failure().status, QUARRY_INVALID_ARGUMENT) << wrong;
  }
  const auto provider = make();
  for (const char* wrong : {"[]", R"({"texts":["a"]})", R"({"model":"m"})",
                            R"({"model":"m","texts":[]})", R"({"model":"m","texts":[1]})"}) {
    Reply refused;
    quarry_exchange* exchange = nullptr;
    provider->begin(provider.instance(), nullptr, as_text(wrong), &exchange, refused.get());
    EXPECT_EQ(refused.failure().status, QUARRY_INVALID_ARGUMENT) << wrong;
  }
}

TEST_F(OpenAiPlugin, ReadsAResponseHoweverItIsCut) {
  const auto said = quarry::testing::embed_cut_everywhere(make(), kQuery, kBody);
  ASSERT_EQ(said.vectors.size(), 2u);
  EXPECT_EQ(said.vectors[1].second, (std::vector<float>{3, 4}));
  EXPECT_EQ(said.input_tokens, 5);
  EXPECT_EQ(said.finishes, 1);
}

TEST_F(OpenAiPlugin, ReportsEveryOtherResponseAsAnError) {
  const auto respond = [](const quarry::testing::Response& response) {
    return quarry::testing::respond_to<quarry::testing::StartedEmbedding>(make(), kQuery, response);
  };
  const auto quota = respond(
      {.status = 429,
       .headers = {{"Retry-After", "7", {}}},
       .pieces = {R"({"error":{"message":"slow down",)", R"("code":"rate_limit_exceeded"}})"}});
  EXPECT_EQ(quota.errors, std::vector<std::string>{"slow down (rate_limit_exceeded)"});
  EXPECT_EQ(quota.refusals.at(0),
            (quarry::testing::Sink::Refusal{QUARRY_RESOURCE_EXHAUSTED, 429, 7000}));
  const auto cut = respond({.pieces = {R"({"data":[)"}, .end = QUARRY_END_CUT});
  EXPECT_EQ(cut.errors, std::vector<std::string>{"the response broke off"});
  EXPECT_EQ(cut.refusals.at(0).status, QUARRY_UNAVAILABLE);
  const auto page = respond({.pieces = {"<html>"}});
  EXPECT_EQ(page.errors,
            std::vector<std::string>{"the response is not a list of embeddings: <html>"});
  EXPECT_EQ(page.refusals.at(0).status, QUARRY_DATA_LOSS);
  EXPECT_EQ(page.finishes, 0);
  const auto wrapped = respond({.pieces = {R"({"error":{"message":"no such model"}})"}});
  EXPECT_EQ(wrapped.errors.at(0), "the response is not a list of embeddings: no such model");
}

}  // namespace
}  // namespace quarry::embedding_openai
