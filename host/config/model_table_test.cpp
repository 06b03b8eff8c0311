#include "config/config.h"
#include "config/testing/config_fixture.h"

#include <gmock/gmock.h>

namespace quarry::config {
namespace {

using ::testing::HasSubstr;

class ModelTable : public InDirectory {
 protected:
  Sources sources() { return trusting_sources(); }
  Config read(const std::string& text) {
    write("project/quarry.toml", text);
    auto config = load(sources());
    EXPECT_TRUE(config) << config.error().message;
    return config ? std::move(*config) : Config{};
  }
  std::string complaint(const std::string& text) {
    write("project/quarry.toml", text);
    const auto config = load(sources());
    return config ? "" : config.error().message;
  }
};

TEST_F(ModelTable, ATableWithAProviderIsAnInstance) {
  const Config config = read(
      "[model]\nprovider = \"work\"\nidle_seconds = 7\n"
      "fallback = [\"openai/org/gpt\", \"extractive\"]\n"
      "[model.headers]\nx = \"1\"\n"
      "[model.work]\nprovider = \"openai\"\nname = \"m\"\nbase_url = \"http://w\"\n"
      "api_key = { env = \"WORK_KEY\" }\n");
  EXPECT_EQ(config.model.provider, "work");
  EXPECT_EQ(config.model.idle.count(), 7);
  EXPECT_EQ(config.model.fallback.size(), 2u);
  EXPECT_EQ(config.model.options.json, R"({"headers":{"x":"1"}})");
  ASSERT_EQ(config.model.instances.size(), 1u);
  const ModelInstance& work = config.model.instances.at("work");
  EXPECT_EQ(work.provider, "openai");
  EXPECT_EQ(work.name, "m");
  EXPECT_EQ(work.options.json, R"({"api_key":"model.work.api_key","base_url":"http://w"})");
  EXPECT_EQ(config.secrets.at("model.work.api_key").what, std::vector<std::string>{"WORK_KEY"});
  EXPECT_THAT(work.options.places.at("/base_url").text(), ::testing::EndsWith("quarry.toml:10:1"));
  EXPECT_THAT(config.model.options.places.at("/fallback/1").text(),
              ::testing::EndsWith("quarry.toml:4:31"));
}

TEST_F(ModelTable, AnInstanceMayHaveTheNameOfAProvider) {
  const Config config = read("[model.openai]\nprovider = \"openai\"\n");
  EXPECT_EQ(config.model.provider, "auto");
  EXPECT_TRUE(config.model.instances.contains("openai"));
}

TEST_F(ModelTable, MistakesInInstancesAreToldAtTheirPlaces) {
  EXPECT_THAT(complaint("[model.Work]\nprovider = \"openai\"\n"),
              HasSubstr(":1:8: \"model/Work\" must be named with lower-case letters"));
  const std::string once = complaint("[model.Work]\nprovider = \"openai\"\n");
  EXPECT_EQ(once.find("must be named"), once.rfind("must be named"));
  EXPECT_THAT(complaint("[model.auto]\nprovider = \"openai\"\n"), HasSubstr("not \"auto\""));
  EXPECT_THAT(complaint("[model.work]\nprovider = 7\n"),
              HasSubstr(":2:1: \"model/work/provider\" must be a string"));
  EXPECT_THAT(complaint("[model.work]\nprovider = \"a\"\nname = \"\"\n"),
              HasSubstr(":3:1: \"model/work/name\" must be a string that is not empty"));
  EXPECT_THAT(complaint("[model]\nfallback = [\"/gpt\"]\n"), HasSubstr("must be \"<provider>\""));
  const std::string plain = complaint("[model.w]\nprovider = \"a\"\napi_key = \"sk-canary\"\n");
  EXPECT_THAT(plain, HasSubstr(":3:1: \"api_key\" must be a reference"));
  EXPECT_THAT(plain, ::testing::Not(HasSubstr("canary")));
}

TEST_F(ModelTable, MistakesInInstancesThatSeveralLayersMakeAreToldToo) {
  write("user/quarry.toml", "[model.work]\nprovider = \"openai\"\n");
  EXPECT_THAT(complaint("[model.work]\nname = 7\n"),
              HasSubstr(":2:1: \"model/work/name\" must be a string that is not empty"));
  write("project/quarry.toml", "");
  Sources from = sources();
  from.flags = {{"model.work.name", "7"}};
  const auto config = load(from);
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message, HasSubstr("flag model.work.name: \"model/work/name\" must"));
}

TEST_F(ModelTable, OptionsBelongToTheProviderTheyStandWith) {
  write("user/quarry.toml",
        "[model]\nprovider = \"openai\"\nname = \"gpt\"\nbase_url = \"http://x\"\n"
        "api_key = { env = \"K\" }\nmax_steps = 3\n[model.work]\nprovider = \"openai\"\n");
  const Config other = read("[model]\nprovider = \"gemini\"\n");
  EXPECT_EQ(other.model.name, "");
  EXPECT_EQ(other.model.options.json, "{}");
  EXPECT_TRUE(other.secrets.empty());
  EXPECT_EQ(other.model.max_steps, 3u);
  EXPECT_TRUE(other.model.instances.contains("work"));
  const Config same = read("[model]\nprovider = \"openai\"\nname = \"o\"\n");
  EXPECT_EQ(same.model.name, "o");
  EXPECT_THAT(same.model.options.json, HasSubstr("http://x"));
}

TEST_F(ModelTable, VariablesAndFlagsAreOneLayerEach) {
  write("user/quarry.toml", "[model]\nprovider = \"gemini\"\ntemperature = 1\n");
  Sources from = sources();
  from.environment = {{"QUARRY_MODEL_BASE_URL", "http://e"}, {"QUARRY_MODEL_PROVIDER", "openai"}};
  EXPECT_EQ(load(from)->model.options.json, R"({"base_url":"http://e"})");
  from.flags = {{"model.work.base_url", "http://f"}, {"model.work.provider", "openai"}};
  EXPECT_EQ(load(from)->model.instances.at("work").options.json, R"({"base_url":"http://f"})");
  from.flags = {{"model.name", "m"}, {"model.provider", "extractive"}};
  EXPECT_EQ(load(from)->model.options.json, "{}");
  EXPECT_EQ(load(from)->model.name, "m");
}

TEST_F(ModelTable, TablesOfSearchesHaveAProviderOrAreNamedAsIt) {
  const Config config = read(
      "[search]\nembedding = \"work/org/m\"\nrerank = \"cohere/m\"\n"
      "[embedding.work]\nprovider = \"openai\"\napi_key = { env = \"KEY\" }\n"
      "[rerank.cohere]\nbatch = 5\n");
  EXPECT_EQ(config.search.embedding, "work/org/m");
  EXPECT_EQ(config.search.rerank, "cohere/m");
  EXPECT_EQ(config.search.places.at("/rerank").line, 3u);
  const RetrievalProvider& work = config.embeddings.at("work");
  EXPECT_EQ(work.provider, "openai");
  EXPECT_EQ(work.options.json, R"({"api_key":"embedding.work.api_key"})");
  EXPECT_EQ(work.options.places.at("/api_key").line, 6u);
  EXPECT_EQ(config.secrets.at("embedding.work.api_key").what.at(0), "KEY");
  EXPECT_EQ(config.rerankers.at("cohere").provider, "cohere");
  EXPECT_EQ(config.rerankers.at("cohere").options.json, R"({"batch":5})");
}

TEST_F(ModelTable, AModelOfSearchesNamesItsProvider) {
  for (const char* wrong : {"m", "/m", "openai/"}) {
    EXPECT_THAT(complaint("[search]\nembedding = \"" + std::string(wrong) + "\"\n"),
                HasSubstr("must be \"<provider>/<model>\""));
  }
  EXPECT_THAT(complaint("[rerank]\nbatch = 5\n"), HasSubstr("rerank"));
  EXPECT_THAT(complaint("[embedding.work]\napi_key = \"secret\"\n"), HasSubstr("api_key"));
}

}  // namespace
}  // namespace quarry::config
