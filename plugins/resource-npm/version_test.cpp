#include "resource-npm/version.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

std::string version_text(std::string_view text) {
  const auto version = Version::parse(text);
  return version ? version->text() : "none";
}

TEST(Version, IsReadAndWritten) {
  for (const char* text : {"0.0.0", "1.2.3", "10.20.30", "1.0.0-alpha", "1.0.0-alpha.1",
                           "1.0.0-0.3.7", "1.0.0-x-y-z.-", "9007199254740991.0.0"}) {
    EXPECT_EQ(version_text(text), text);
  }
  EXPECT_EQ(version_text(" v1.2.3 "), "1.2.3");
  EXPECT_EQ(version_text("1.2.3+build.7"), "1.2.3");
  EXPECT_EQ(version_text("1.2.3-rc.1+001"), "1.2.3-rc.1");
}

TEST(Version, IsNothingElse) {
  for (const char* text : {"", "1", "1.2", "1.2.x", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-a..b",
                           "1.2.3-01", "1.2.3+", "1.2.3 4", "=1.2.3", "vv1.2.3", "1.2.-3", "a.b.c",
                           "9007199254740992.0.0", "1.2.3-b\xc3\xa4"}) {
    EXPECT_EQ(version_text(text), "none") << text;
  }
  EXPECT_EQ(version_text("1.2.3-" + std::string(251, 'a')), "none");
}

TEST(Version, AreInTheOrderOfTheSpecification) {
  const std::vector<std::string> ordered = {"0.0.1",       "0.1.0",         "1.0.0-0",
                                            "1.0.0-1",     "1.0.0-2",       "1.0.0-10",
                                            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
                                            "1.0.0-beta",  "1.0.0-beta.2",  "1.0.0-beta.11",
                                            "1.0.0-rc.1",  "1.0.0",         "1.0.1",
                                            "1.2.0",       "1.10.0",        "2.0.0-a",
                                            "2.0.0"};
  std::vector<Version> versions;
  for (const std::string& text : ordered) versions.push_back(*Version::parse(text));
  std::ranges::shuffle(versions, std::mt19937(7));
  std::ranges::sort(versions);
  std::vector<std::string> sorted;
  for (const Version& version : versions) sorted.push_back(version.text());
  EXPECT_EQ(sorted, ordered);
}

TEST(Version, ComparesLongNumbersExactly) {
  EXPECT_LT(*Version::parse("1.0.0-9007199254740993"), *Version::parse("1.0.0-9007199254740994"));
  EXPECT_EQ(*Version::parse("1.0.0+a"), *Version::parse("1.0.0+b"));
}

}  // namespace
}  // namespace quarry::resource_npm
