#include "model-openai/model_list.h"

#include "model-openai/model_names.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::openai {
namespace {

using Json = nlohmann::json;

Json models_of(const char* response, std::string_view usual = "") {
  return Json::parse(model_list(Json::parse(response), usual))["models"];
}

TEST(ModelList, HasTheUsualFirstAndThoseLastThatDoNotAnswer) {
  EXPECT_EQ(
      models_of(R"({"object":"list","data":[{"id":"text-embedding-3-small"},{"id":"whisper-1"},
                          {"id":"gpt-5.4"},{"id":"o3"},{"id":"gpt-5.4-mini"}]})",
                "gpt-5.4-mini"),
      Json::parse(R"([{"id":"gpt-5.4-mini"},{"id":"gpt-5.4"},{"id":"o3"},
                            {"id":"text-embedding-3-small"},{"id":"whisper-1"}])"));
}

TEST(ModelList, SaysHowMuchContextEachHasInEveryDialect) {
  EXPECT_EQ(models_of(R"({"data":[{"id":"router","context_length":400000},
                          {"id":"vllm","max_model_len":32768},
                          {"id":"groq","context_window":131072},
                          {"id":"mistral","max_context_length":128000},
                          {"id":"llama","meta":{"n_ctx_train":4096}},
                          {"id":"openai","context_length":0}]})"),
            Json::parse(R"([{"id":"router","contextTokens":400000},
                            {"id":"vllm","contextTokens":32768},
                            {"id":"groq","contextTokens":131072},
                            {"id":"mistral","contextTokens":128000},
                            {"id":"llama","contextTokens":4096},{"id":"openai"}])"));
}

TEST(ModelList, SaysWhichCannotCallToolsWhereTheServerDoes) {
  EXPECT_EQ(models_of(R"({"data":[{"id":"a","supported_parameters":["seed","tools"]},
                          {"id":"b","supported_parameters":["seed"]},
                          {"id":"c","capabilities":{"function_calling":true}},
                          {"id":"d","capabilities":{"function_calling":false}},
                          {"id":"e","supported_parameters":null,"capabilities":[]},
                          {"id":"f"}]})"),
            Json::parse(R"([{"id":"a"},{"id":"b","tools":false},{"id":"c"},
                            {"id":"d","tools":false},{"id":"e"},{"id":"f"}])"));
}

// helixml/helix#386: Together sends the bare list.
TEST(ModelList, MayComeWithoutAnObjectAroundIt) {
  EXPECT_EQ(models_of(R"([{"id":"a","context_length":4096},{"id":"b"}])"),
            Json::parse(R"([{"id":"a","contextTokens":4096},{"id":"b"}])"));
}

TEST(ModelList, OfAnotherShapeIsEmpty) {
  for (const char* response : {"[]", "{}", R"({"data":7})", R"({"data":[7,{"id":8},{"id":""}]})"}) {
    EXPECT_TRUE(models_of(response).empty()) << response;
  }
}

TEST(ModelNames, TellWhoMadeTheModel) {
  EXPECT_TRUE(is_of_openai("gpt-5"));
  EXPECT_TRUE(is_of_openai("chatgpt-4o-latest"));
  EXPECT_TRUE(is_of_openai("codex-mini-latest"));
  EXPECT_FALSE(is_of_openai("gpt-oss-120b"));
  EXPECT_FALSE(is_of_openai("olmo-3"));
  EXPECT_FALSE(is_of_openai("o"));
}

}  // namespace
}  // namespace quarry::openai
