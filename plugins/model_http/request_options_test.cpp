#include "model_http/request_options.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

std::string refused(Json members) {
  const auto options = RequestOptions::take(members);
  return options ? "accepted" : options.failure().message + " " + options.failure().details;
}

TEST(RequestOptions, TakeTheirMembersAndLeaveTheOthers) {
  Json members = {{"temperature", 0.5},
                  {"max_output_tokens", 100},
                  {"headers", {{"x-team", "docs"}}},
                  {"body", {{"seed", 7}}},
                  {"thinking", "low"}};
  const auto options = RequestOptions::take(members);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->temperature, 0.5);
  EXPECT_EQ(options->max_output_tokens, 100);
  ASSERT_EQ(options->headers.size(), 1u);
  EXPECT_EQ(options->headers[0].name, "x-team");
  EXPECT_EQ(options->headers[0].value, "docs");
  EXPECT_EQ(members, Json({{"thinking", "low"}}));
  EXPECT_EQ(unknown_member(members)->message, "thinking is not known to this provider");
}

TEST(RequestOptions, AreNoneByDefault) {
  Json members = Json::object();
  const auto options = RequestOptions::take(members);
  ASSERT_TRUE(options);
  EXPECT_FALSE(options->temperature);
  EXPECT_EQ(options->max_output_tokens, 0);
  EXPECT_TRUE(options->headers.empty());
  EXPECT_FALSE(unknown_member(members));
}

TEST(RequestOptions, AddReplaceAndRemoveMembersOfTheRequest) {
  Json members = {{"body", {{"a", nullptr}, {"b", {{"c", 2}}}, {"d", 3}}}};
  const auto options = RequestOptions::take(members);
  Json request = {{"a", 1}, {"b", {{"c", 1}, {"e", 5}}}};
  options->merge_into(request);
  EXPECT_EQ(request, Json({{"b", {{"c", 2}, {"e", 5}}}, {"d", 3}}));
}

TEST(RequestOptions, NameTheMemberThatIsWrong) {
  EXPECT_THAT(refused({{"temperature", 2.5}}), HasSubstr(R"("field":"/temperature")"));
  EXPECT_THAT(refused({{"temperature", "hot"}}), HasSubstr("a number from 0 to 2"));
  EXPECT_THAT(refused({{"max_output_tokens", 0}}), HasSubstr("at least 1"));
  EXPECT_THAT(refused({{"max_output_tokens", 1.5}}), HasSubstr("at least 1"));
  EXPECT_THAT(refused({{"body", "x"}}), HasSubstr("body must be a table"));
  EXPECT_THAT(refused({{"headers", Json::array()}}), HasSubstr("a table of strings"));
  EXPECT_THAT(refused({{"headers", {{"a b", "x"}}}}), HasSubstr("no name of a header"));
  EXPECT_THAT(refused({{"headers", {{"X-Api-Key", "sk-1"}}}}), HasSubstr("api_key"));
  EXPECT_THAT(refused({{"headers", {{"x-team", "a\r\nb: c"}}}}), HasSubstr("one line"));
  EXPECT_THAT(refused({{"headers", {{"x-team", 7}}}}), HasSubstr("one line"));
}

}  // namespace
}  // namespace quarry::model_http
