#include "resource-npm/registry_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string told(const Asked& asked, int status, const std::string& body = {},
                 std::vector<HttpHeader> headers = {}) {
  const Failure failure = refused(asked, {status, std::move(headers), body});
  return std::to_string(failure.status) + ": " + failure.message + " | " + failure.hint;
}

Asked about(const std::string& package, bool with_credentials = false) {
  return {package, "https://r.example/npm/", package, with_credentials, {}};
}

TEST(RegistryFailure, OfAMissingPackageDependsOnWhetherItMayBePrivate) {
  EXPECT_EQ(
      told(about("nope"), 404, R"({"error":"Not found"})"),
      "2: https://r.example/npm/ does not have nope: HTTP 404, \"Not found\" | Check the spelling "
      "of the name.");
  EXPECT_THAT(told(about("@a/b"), 404),
              AllOf(StartsWith("2: "), HasSubstr("or does not show it"),
                    HasSubstr("if it is private"), HasSubstr("\"//r.example/npm/:_authToken=…\"")));
  EXPECT_THAT(told(about("@a/b", true), 404), HasSubstr("that the token may read it"));
  EXPECT_THAT(told(about("gone"), 410), StartsWith("2: "));
}

TEST(RegistryFailure, OfAMissingTokenIsNotThatOfAWrongOne) {
  EXPECT_THAT(told(about("a"), 401), AllOf(StartsWith("4: "), HasSubstr("requires credentials for"),
                                           HasSubstr("token = { env")));
  EXPECT_THAT(told(about("a", true), 401),
              AllOf(StartsWith("4: "), HasSubstr("does not accept the token")));
  EXPECT_THAT(told(about("a"), 403), AllOf(StartsWith("3: "), HasSubstr("does not give a")));
  EXPECT_THAT(told(about("a", true), 403),
              AllOf(StartsWith("3: "), HasSubstr("to the owner of this token")));
}

// npm/npm#12021, npm/cli#4572, npm/registry-issue-archive#277
TEST(RegistryFailure, OfAnUnpublishedPackageSaysSo) {
  constexpr auto kTombstone =
      R"({"name":"gone","time":{"0.0.1":"2016-01-16","unpublished":{"versions":["0.0.1"]}}})";
  EXPECT_THAT(told(about("gone"), 404, kTombstone),
              AllOf(StartsWith("2: "), HasSubstr("it was unpublished")));
  EXPECT_THAT(told(about("gone"), 404, R"({"time":{"1.0.0":"2016"}})"), HasSubstr("spelling"));
}

TEST(RegistryFailure, NamesAVariableThatIsNotSet) {
  Asked asked = about("a");
  asked.missing_variable = "NPM_TOKEN";
  EXPECT_THAT(told(asked, 401), HasSubstr("needs the variable NPM_TOKEN"));
}

TEST(RegistryFailure, OfARateLimitSaysWhenToTryAgain) {
  EXPECT_THAT(told(about("a"), 429), AllOf(StartsWith("5: "), HasSubstr("Try again later")));
  EXPECT_THAT(told(about("a"), 429, "", {{"Retry-After", "30", {}}}),
              HasSubstr("Try again in 30 seconds."));
  EXPECT_THAT(told(about("a"), 429, "", {{"retry-after", "Sat, 21 Nov 2026 12:00:00 GMT", {}}}),
              HasSubstr("after Sat, 21 Nov 2026 12:00:00 GMT."));
}

TEST(RegistryFailure, OfTheRegistryItselfMayPass) {
  EXPECT_THAT(told(about("a"), 503, "try\n  later"),
              AllOf(StartsWith("5: "), HasSubstr("HTTP 503, \"try later\"")));
  EXPECT_THAT(told(about("a"), 418), AllOf(StartsWith("9: "), HasSubstr("URL of an npm registry")));
}

TEST(RegistryFailure, TellsTheRegistrysOwnWordsIfTheyAreForReading) {
  EXPECT_THAT(told(about("a"), 404, R"({"message":"gone, sorry"})"), HasSubstr("\"gone, sorry\""));
  EXPECT_THAT(told(about("a"), 404, "<html><h1>404</h1></html>"), Not(HasSubstr("html")));
  EXPECT_LT(told(about("a"), 404, std::string(10'000, 'x')).size(), 600u);
}

TEST(RegistryFailure, OfTheConnectionSaysWhatItWasFor) {
  const Failure failure = not_reached(
      about("a"), {QUARRY_UNAVAILABLE, "the name r could not be resolved", "spell", {}});
  EXPECT_EQ(failure.message,
            "the registry could not be asked for a: the name r could not be "
            "resolved");
  EXPECT_EQ(failure.hint, "spell");
  EXPECT_EQ(not_reached(about("a"), {QUARRY_CANCELLED, "cancelled", {}, {}}).message, "cancelled");
}

TEST(RegistryFailure, OfAHostThatNoFieldNamesSaysWhichFieldCan) {
  const auto refused_for = [](const std::string& details) {
    return not_reached(about("the tarball of a 1.0.0"),
                       {QUARRY_PERMISSION_DENIED, "not listed", "ask", details});
  };
  const Failure elsewhere =
      refused_for(R"({"host":"cdn.example","redirect":true,"refusedBy":"manifest"})");
  EXPECT_EQ(elsewhere.status, QUARRY_PERMISSION_DENIED);
  EXPECT_THAT(elsewhere.details, HasSubstr("\"/tarballs\""));
  EXPECT_THAT(elsewhere.message,
              AllOf(HasSubstr("does not name cdn.example"), HasSubstr("https://r.example/npm/"),
                    HasSubstr("the tarball of a 1.0.0")));
  EXPECT_THAT(elsewhere.hint, HasSubstr("tarballs = [\"cdn.example\"]"));
  const Failure registry =
      refused_for(R"({"host":"r.example","redirect":false,"refusedBy":"manifest"})");
  EXPECT_THAT(registry.details, HasSubstr("\"/registry\""));
  EXPECT_THAT(registry.hint, HasSubstr("registry = \"https://r.example/npm/\""));
  const Failure near =
      refused_for(R"({"host":"cdn.example","redirect":true,"refusedBy":"network"})");
  EXPECT_THAT(near.message, HasSubstr("not listed"));
  EXPECT_EQ(near.hint, "ask");
}

}  // namespace
}  // namespace quarry::resource_npm
