#include "engine/params.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kNumber =
    R"({"type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "integer"}}})";

std::vector<std::string> fields(const Error& error) {
  std::vector<std::string> out;
  for (const FieldError& detail : error.details) out.push_back(detail.field);
  return out;
}

TEST(Params, AreCheckedByTheSchemaOfTheirRule) {
  const ParamsCheck check(
      {kNumber, PrincipalMember::kNone, "the number is not valid", "ThisError"});
  EXPECT_EQ((*check.read(R"({"n": 1, "other": 2})"))["n"], 1);
  EXPECT_EQ(*check.read("{}"), Json::object());
  EXPECT_EQ(*check.read(" {} "), Json::object());
  const auto wrong = check.read(R"({"n": "a", "m": "b"})");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, StartsWith("the number is not valid: "));
  EXPECT_EQ(wrong.error().tag, "ThisError");
  EXPECT_THAT(fields(wrong.error()), ElementsAre("/m", "/n"));
}

TEST(Params, ThatAreNoJsonAreARequestError) {
  const ParamsCheck check(
      {kNumber, PrincipalMember::kNone, "the number is not valid", "ThisError"});
  for (const char* text : {"", "{", "nonsense"}) {
    const auto wrong = check.read(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_EQ(wrong.error().tag, "RequestError");
    EXPECT_THAT(wrong.error().message, HasSubstr("the body: not valid JSON"));
  }
}

TEST(Params, OfAMethodThatHasNoneAreIgnored) {
  const ParamsCheck check({});
  EXPECT_EQ(*check.read("nonsense"), Json::object());
  EXPECT_EQ(*check.read(R"({"n": 1})"), Json::object());
}

TEST(Params, NameAPrincipalWhereTheRuleSaysSo) {
  const ParamsCheck none({kNumber});
  const ParamsCheck optional({kNumber, PrincipalMember::kOptional});
  const ParamsCheck required({kNumber, PrincipalMember::kRequired});
  const char* whole = R"({"principal": {"token": "t", "project": null}})";
  for (const ParamsCheck* check : {&none, &optional, &required}) EXPECT_TRUE(check->read(whole));
  EXPECT_TRUE(optional.read("{}"));
  EXPECT_THAT(fields(required.read("{}").error()), ElementsAre("/principal"));
  // A principal that is none must not become the owner.
  for (const char* text :
       {R"({"principal": null})", R"({"principal": "t"})", R"({"principal": {}})",
        R"({"principal": {"token": ""}})", R"({"princip\u0061l": null})"}) {
    EXPECT_TRUE(none.read(text)) << text;
    EXPECT_FALSE(optional.read(text)) << text;
    EXPECT_FALSE(required.read(text)) << text;
  }
}

TEST(Params, WithNothingGivenAreStillRequired) {
  const ParamsCheck check({R"({"type": "object", "required": ["n"]})"});
  EXPECT_THAT(fields(check.read("{}").error()), ElementsAre("/n"));
}

}  // namespace
}  // namespace quarry::engine
