#include "model-ollama/model_list.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::ollama {
namespace {

using Json = nlohmann::json;

TEST(ModelList, HoldsTheNamesAsTheyStand) {
  const auto models = models_of(Json::parse(
      R"({"models":[{"name":"qwen3:8b","model":"qwen3:8b"},{"name":""},7,{"name":"gemma3"}]})"));
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].id, "qwen3:8b");
  EXPECT_EQ(models[1].id, "gemma3");
  EXPECT_TRUE(models_of(Json::parse("[]")).empty());
  EXPECT_TRUE(models_of(Json::parse(R"({"models":null})")).empty());
}

TEST(ModelList, LearnsWhatAModelCanDo) {
  Model qwen{.id = "qwen3:8b"};
  describe(qwen, Json::parse(R"({"capabilities":["completion","tools","thinking"],"model_info":{
      "general.architecture":"qwen3","qwen3.context_length":40960,"other.context_length":1}})"));
  EXPECT_EQ(qwen.context_tokens, 40960);
  EXPECT_TRUE(qwen.answers);
  EXPECT_EQ(qwen.calls_tools, true);
  Model embedding{.id = "nomic"};
  describe(embedding, Json::parse(R"({"capabilities":["embedding"]})"));
  EXPECT_FALSE(embedding.answers);
  EXPECT_EQ(embedding.calls_tools, false);
  Model old{.id = "old"};
  describe(old, Json::parse(R"({"details":{}})"));
  EXPECT_TRUE(old.answers) << "an old server lists no capabilities";
  EXPECT_EQ(old.calls_tools, std::nullopt);
}

TEST(ModelList, BeginsWithModelsThatCallToolsAndKnowsTheLoadedContext) {
  const std::vector<Model> models = {{.id = "plain", .context_tokens = 8192, .calls_tools = false},
                                     {.id = "embedding", .answers = false},
                                     {.id = "tools", .context_tokens = 131072, .calls_tools = true},
                                     {.id = "unknown"}};
  EXPECT_EQ(Json::parse(list_of(models, 32768)), Json::parse(R"({"models":[
      {"id":"tools","contextTokens":32768},{"id":"plain","contextTokens":8192,"tools":false},
      {"id":"unknown","contextTokens":32768}]})"));
  EXPECT_EQ(Json::parse(list_of(models, 0)), Json::parse(R"({"models":[
      {"id":"tools","contextTokens":131072},{"id":"plain","contextTokens":8192,"tools":false},
      {"id":"unknown"}]})"));
}

}  // namespace
}  // namespace quarry::ollama
