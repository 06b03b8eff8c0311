#include "corpus/tools/tool_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

using ::testing::HasSubstr;

std::uint32_t number(std::string_view value, std::string& message) {
  const Json json = Json::parse(R"({"n":)" + std::string(value) + "}");
  ToolArguments arguments(json, {"n"});
  const std::uint32_t read = arguments.number("n", 7, 1, 100);
  const auto error = arguments.error();
  message = error ? error->message : "";
  return read;
}

TEST(ToolArguments, AreReadByType) {
  const Json json = Json::parse(R"({"path":"a/b","limit":5,"ignore_case":true,"include":null})");
  ToolArguments arguments(json, {"path", "limit", "ignore_case", "include"});
  EXPECT_EQ(arguments.required_text("path"), "a/b");
  EXPECT_EQ(arguments.number("limit", 1, 1, 10), 5u);
  EXPECT_TRUE(arguments.flag("ignore_case"));
  EXPECT_EQ(arguments.text("include"), "") << "null is left out";
  EXPECT_FALSE(arguments.error());
}

TEST(ToolArguments, TellAboutEveryWrongFieldAtOnce) {
  const Json json = Json::parse(R"({"patern":"x","limit":"many","flag":1})");
  ToolArguments arguments(json, {"pattern", "limit", "flag"});
  EXPECT_EQ(arguments.required_text("pattern"), "");
  EXPECT_EQ(arguments.number("limit", 3, 1, 10), 3u);
  EXPECT_FALSE(arguments.flag("flag"));
  const auto error = arguments.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::kInvalidArgument);
  ASSERT_EQ(error->details.size(), 4u);
  EXPECT_EQ(error->details[0].field, "/patern");
  EXPECT_THAT(error->message,
              HasSubstr("patern: there is no such argument; did you mean \"pattern\""));
  EXPECT_THAT(error->message, HasSubstr("pattern: is required"));
  EXPECT_THAT(error->message, HasSubstr("limit: must be a whole number from 1 to 10"));
  EXPECT_THAT(error->message, HasSubstr("flag: must be true or false"));
}

TEST(ToolArguments, TakeWholeNumbersWithinTheirRange) {
  std::string message;
  EXPECT_EQ(number("10.0", message), 10u);
  EXPECT_EQ(message, "");
  for (const char* bad : {"0", "101", "1.5", "-1", "1e300", "true", "\"5\""}) {
    EXPECT_EQ(number(bad, message), 7u) << bad;
    EXPECT_THAT(message, HasSubstr("n: must be a whole number from 1 to 100")) << bad;
  }
}

TEST(ToolArguments, MustBeAnObject) {
  for (const char* bad : {"[]", "null", "\"x\"", "3"}) {
    const Json json = Json::parse(bad);
    ToolArguments arguments(json, {"path"});
    EXPECT_EQ(arguments.text("path"), "");
    EXPECT_THAT(arguments.error()->message, HasSubstr("must be one JSON object")) << bad;
  }
}

}  // namespace
}  // namespace quarry::corpus
