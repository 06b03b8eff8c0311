#include "resource-npm/range.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

struct Case {
  const char* range;
  std::vector<const char*> inside;
  std::vector<const char*> outside;
};

void check(const Case& tested) {
  const auto range = Range::parse(tested.range);
  ASSERT_TRUE(range) << tested.range;
  for (const char* version : tested.inside) {
    EXPECT_TRUE(range->contains(*Version::parse(version))) << tested.range << " of " << version;
  }
  for (const char* version : tested.outside) {
    EXPECT_FALSE(range->contains(*Version::parse(version))) << tested.range << " of " << version;
  }
}

TEST(Range, OfACaretKeepsTheLeftmostNumberThatIsNotZero) {
  check({"^1.2.3", {"1.2.3", "1.9.0"}, {"1.2.2", "2.0.0", "2.0.0-0"}});
  check({"^0.2.3", {"0.2.3", "0.2.9"}, {"0.3.0", "0.2.2"}});
  check({"^0.0.3", {"0.0.3"}, {"0.0.4", "0.0.2"}});
  check({"^1.x", {"1.0.0", "1.99.0"}, {"2.0.0", "0.9.9"}});
  check({"^0.0", {"0.0.0", "0.0.9"}, {"0.1.0"}});
  check({"^0", {"0.0.0", "0.9.9"}, {"1.0.0"}});
  check({"^*", {"0.0.0", "9.9.9"}, {"1.0.0-a"}});
}

TEST(Range, OfATildeKeepsMajorAndMinor) {
  check({"~1.2.3", {"1.2.3", "1.2.9"}, {"1.3.0", "1.2.2"}});
  check({"~1.2", {"1.2.0", "1.2.9"}, {"1.3.0"}});
  check({"~1", {"1.0.0", "1.9.9"}, {"2.0.0"}});
  check({"~>2.1", {"2.1.5"}, {"2.2.0"}});
}

TEST(Range, MayLeavePartsOpen) {
  check({"1.x", {"1.0.0", "1.5.3"}, {"2.0.0", "0.9.9"}});
  check({"1.2.*", {"1.2.0"}, {"1.3.0"}});
  check({"*", {"0.0.0", "3.0.0"}, {"3.0.0-beta"}});
  check({"", {"1.0.0"}, {"1.0.0-beta"}});
  check({"2", {"2.1.0"}, {"3.0.0"}});
  check({">1", {"2.0.0"}, {"1.9.9", "1.0.0"}});
  check({">1.2", {"1.3.0"}, {"1.2.9"}});
  check({"<=1.2", {"1.2.9", "0.1.0"}, {"1.3.0", "1.3.0-0"}});
  check({"<2", {"1.9.9"}, {"2.0.0", "2.0.0-alpha"}});
  check({">=1", {"1.0.0", "5.0.0"}, {"0.9.0"}});
  check({"<*", {}, {"0.0.0", "1.0.0"}});
}

TEST(Range, JoinsComparatorsAndAlternatives) {
  check({">=1.2.3 <2", {"1.2.3", "1.9.9"}, {"2.0.0", "1.2.2"}});
  check({">= 1.2.3   < 2", {"1.5.0"}, {"2.0.0"}});
  check({"^1 || ^3", {"1.1.0", "3.1.0"}, {"2.0.0"}});
  check({"1.2.3||2.x", {"1.2.3", "2.9.0"}, {"1.2.4"}});
  check({"=v1.2.3", {"1.2.3"}, {"1.2.4"}});
  check({"> =1.2", {"1.2.0"}, {"1.1.9"}});
}

TEST(Range, OfAHyphenIncludesBothEnds) {
  check({"1.2.3 - 2.3.4", {"1.2.3", "2.3.4"}, {"2.3.5", "1.2.2"}});
  check({"1.2 - 2.3", {"1.2.0", "2.3.9"}, {"2.4.0"}});
  check({"1 - 2", {"2.9.9"}, {"3.0.0"}});
  check({"* - 2.0.0", {"0.1.0", "2.0.0"}, {"2.0.1"}});
  check({"1 - *", {"1.0.0", "9.0.0"}, {"0.1.0"}});
}

TEST(Range, HoldsPrereleasesOnlyOfAReleaseThatItNamesOneOf) {
  check({"^1.2.3-beta.2",
         {"1.2.3-beta.2", "1.2.3-rc", "1.2.3", "1.5.0"},
         {"1.2.3-beta.1", "1.2.4-beta.2", "1.5.0-alpha"}});
  check({">1.2.3-alpha.3", {"1.2.3-alpha.7", "3.4.5"}, {"3.4.5-alpha.9", "1.2.3-alpha.3"}});
  check({"1.x.x-alpha", {"1.0.0"}, {"1.0.0-alpha"}});
  check({"1.0.0-rc.1", {"1.0.0-rc.1"}, {"1.0.0", "1.0.0-rc.2"}});
}

TEST(Range, DropsBuildMetadata) {
  check({"1.2.3+build", {"1.2.3"}, {"1.2.4"}});
  check({">=1.2.3+a.b <2.0.0+c", {"1.9.0"}, {"2.0.0"}});
}

TEST(Range, IsNoOtherText) {
  for (const char* text : {"latest",
                           "1.2.3.4",
                           "^",
                           "~",
                           ">",
                           "01.2.3",
                           "1.2.3-",
                           ">>1",
                           "1.2.3 -2.0.0 x y",
                           "x.1",
                           "1.x.2",
                           "1 | 2",
                           "^1.2.3 and 2",
                           "9007199254740992",
                           "^9007199254740991",
                           "==1.2.3",
                           ">=v=1.2.3",
                           "1.2.3-01",
                           "http://x",
                           "^1..2",
                           "1,2"}) {
    EXPECT_FALSE(Range::parse(text)) << text;
  }
}

TEST(Range, HasALandmark) {
  EXPECT_EQ(Range::parse("^18.2")->landmark()->text(), "18.2.0");
  EXPECT_EQ(Range::parse("<3")->landmark()->text(), "3.0.0-0");
  EXPECT_FALSE(Range::parse("*")->landmark());
}

}  // namespace
}  // namespace quarry::resource_npm
