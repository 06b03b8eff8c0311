#include "model-ollama/options.h"

#include <gtest/gtest.h>

namespace quarry::ollama {
namespace {

using Json = nlohmann::json;

TEST(Options, AreReadFromTheConfiguration) {
  const auto options = Options::read(Json::parse(
      R"({"num_ctx":65536,"think":"low","keep_alive":-1,"temperature":0.5,"body":{"format":"json"}})"));
  ASSERT_TRUE(options) << options.failure().message;
  EXPECT_EQ(options->context_tokens, 65536);
  EXPECT_EQ(options->think, "low");
  EXPECT_EQ(options->keep_alive, -1);
  EXPECT_EQ(options->request.temperature, 0.5);
}

TEST(Options, NeedNotBeThere) {
  const auto options = Options::read(Json::object());
  ASSERT_TRUE(options);
  EXPECT_EQ(options->context_tokens, 0);
  EXPECT_TRUE(options->think.is_null());
  EXPECT_TRUE(options->keep_alive.is_null());
}

TEST(Options, NameWhatIsWrong) {
  for (const char* name : {"num_ctx", "think", "keep_alive", "temperature", "num_gpu"}) {
    const auto options = Options::read({{name, Json::array()}});
    ASSERT_FALSE(options) << name;
    EXPECT_EQ(options.failure().status, QUARRY_INVALID_ARGUMENT);
    EXPECT_TRUE(options.failure().message.starts_with(name)) << options.failure().message;
  }
  EXPECT_FALSE(Options::read({{"num_ctx", 0}}));
}

TEST(Options, StandInTheSchema) {
  const Json properties = schema()["properties"];
  for (const char* name : {"base_url", "api_key", "num_ctx", "think", "keep_alive", "body"}) {
    EXPECT_TRUE(properties.contains(name)) << name;
  }
}

}  // namespace
}  // namespace quarry::ollama
