#include "model-openai/options.h"

#include <gtest/gtest.h>

namespace quarry::openai {
namespace {

using Json = nlohmann::json;

TEST(Options, TakeTheUsualApiUnlessOneIsNamed) {
  EXPECT_EQ(Options::read(Json::object(), Api::kResponses)->api, Api::kResponses);
  EXPECT_EQ(Options::read({{"api", "chat"}}, Api::kResponses)->api, Api::kChat);
  EXPECT_EQ(Options::read({{"api", "responses"}}, Api::kChat)->api, Api::kResponses);
}

TEST(Options, NameTheMemberThatIsWrong) {
  const std::pair<Json, const char*> wrongs[] = {
      {{{"api", "completions"}}, "api must be \"chat\" or \"responses\""},
      {{{"api", nullptr}}, "api must be \"chat\" or \"responses\""},
      {{{"reasoning_effort", 3}}, "reasoning_effort must be a word"},
      {{{"temperature", "hot"}}, "temperature must be a number"},
      {{{"tempreature", 1}}, "tempreature is not known"}};
  for (const auto& [members, words] : wrongs) {
    const auto options = Options::read(members, Api::kChat);
    ASSERT_FALSE(options) << members;
    EXPECT_EQ(options.failure().status, QUARRY_INVALID_ARGUMENT);
    EXPECT_EQ(options.failure().message.find(words), 0u) << options.failure().message;
  }
}

TEST(Options, StandInTheSchemaThatRefusesOthers) {
  const Json rules = schema();
  EXPECT_EQ(rules["additionalProperties"], false);
  for (const char* name : {"base_url", "api_key", "api", "reasoning_effort", "temperature",
                           "max_output_tokens", "headers", "body"}) {
    EXPECT_FALSE(rules["properties"][name]["description"].get<std::string>().empty()) << name;
  }
  EXPECT_EQ(rules["properties"].size(), 8u);
}

}  // namespace
}  // namespace quarry::openai
