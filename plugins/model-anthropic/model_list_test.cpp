#include "model-anthropic/model_list.h"

#include <gtest/gtest.h>

namespace quarry::anthropic {
namespace {

using Json = nlohmann::json;

TEST(ModelList, BeginsWithTheDefaultAndKnowsHowMuchFits) {
  EXPECT_EQ(models_of(Json::parse(R"({"data":[
      {"type":"model","id":"claude-opus-9","max_input_tokens":1000000,"max_tokens":64000},
      {"type":"model","id":"claude-haiku-4-5-20251001","max_input_tokens":200000},
      {"type":"model","id":"claude-old","max_input_tokens":0},{"id":7},"x"],
      "has_more":false})"),
                      "claude-haiku-4-5"),
            Json::parse(R"({"models":[
      {"id":"claude-haiku-4-5-20251001","contextTokens":200000},
      {"id":"claude-opus-9","contextTokens":1000000},
      {"id":"claude-old"}]})"));
}

TEST(ModelList, IsEmptyForAnotherAnswer) {
  const Json none = {{"models", Json::array()}};
  for (const char* other : {"{}", "[]", "7", R"({"data":"x"})", R"({"data":null})"}) {
    EXPECT_EQ(models_of(Json::parse(other), "m"), none) << other;
  }
}

}  // namespace
}  // namespace quarry::anthropic
