#include "model-gemini/model_list.h"

#include <gtest/gtest.h>

namespace quarry::gemini {
namespace {

using Json = nlohmann::json;

TEST(ModelList, HoldsTheModelsThatCanAnswer) {
  Json models = Json::array();
  add_models(Json::parse(R"({"models":[
      {"name":"models/embedding-001","inputTokenLimit":2048,"supportedGenerationMethods":["embedContent"]},
      {"name":"models/gemini-2.5-pro","inputTokenLimit":1048576,
       "supportedGenerationMethods":["countTokens","generateContent"]},
      {"name":"models/no-methods"},{"supportedGenerationMethods":["generateContent"]},7]})"),
             models);
  add_models(Json::parse(R"({"models":[{"name":"models/gemini-flash-latest",
      "supportedGenerationMethods":["generateContent"]}]})"),
             models);
  add_models(Json::parse(R"({"models":"none"})"), models);
  add_models(Json::parse("[]"), models);
  EXPECT_EQ(models, Json::parse(R"([{"id":"gemini-2.5-pro","contextTokens":1048576},
                                    {"id":"gemini-flash-latest"}])"));
}

TEST(ModelList, BeginsWithTheDefaultWhenItIsThere) {
  Json models = Json::parse(R"([{"id":"a"},{"id":"b"},{"id":"c"}])");
  put_first("c", models);
  EXPECT_EQ(models, Json::parse(R"([{"id":"c"},{"id":"a"},{"id":"b"}])"));
  put_first("z", models);
  EXPECT_EQ(models.size(), 3u);
}

}  // namespace
}  // namespace quarry::gemini
