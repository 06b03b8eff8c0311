#include "resource-npm/package_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

using ::testing::HasSubstr;

TEST(PackageName, TakesWhatTheRegistryHolds) {
  for (const char* name : {"react", "lodash.get", "JSONStream", "@types/node", "@a-b/c_d", "a",
                           "0x", "node-fetch", "semver-5.x", "weird~name", "@Scope/Package"}) {
    EXPECT_EQ(reason_against_name(name), "") << name;
  }
  EXPECT_EQ(reason_against_name(std::string(214, 'a')), "");
}

TEST(PackageName, SaysWhatIsWrong) {
  EXPECT_EQ(reason_against_name(""), "it is empty");
  EXPECT_EQ(reason_against_name(std::string(215, 'a')), "it is longer than 214 characters");
  EXPECT_EQ(reason_against_name(".bin"), "it begins with \".\"");
  EXPECT_EQ(reason_against_name("_x"), "it begins with \"_\"");
  EXPECT_EQ(reason_against_name("--registry"), "it begins with \"-\"");
  EXPECT_EQ(reason_against_name("a b"), "it holds white space");
  EXPECT_EQ(reason_against_name(std::string_view("a\0b", 3)), "it holds white space");
  EXPECT_EQ(reason_against_name("a/b"), "it holds \"/\"");
  EXPECT_EQ(reason_against_name("a?b"), "it holds \"?\"");
  EXPECT_EQ(reason_against_name("a%2fb"), "it holds \"%\"");
  EXPECT_EQ(reason_against_name("r\xc3\xa9"), "it holds something other than ASCII");
  EXPECT_EQ(reason_against_name("node_modules"), "npm reserves that name");
}

TEST(PackageName, ChecksBothPartsOfAScopedOne) {
  EXPECT_EQ(reason_against_name("@types"), "a scope needs a package after it");
  EXPECT_EQ(reason_against_name("@/node"), "the scope is empty");
  EXPECT_EQ(reason_against_name("@types/"), "the part after the scope is empty");
  EXPECT_EQ(reason_against_name("@../node"), "the scope begins with \".\"");
  EXPECT_EQ(reason_against_name("@a/../b"), "the part after the scope begins with \".\"");
  EXPECT_THAT(reason_against_name("@a/b/c"), HasSubstr("\"/\""));
}

TEST(PackageName, HasAScopeAndAPlaceInUrls) {
  EXPECT_EQ(scope_of("@types/node"), "@types");
  EXPECT_EQ(scope_of("react"), "");
  EXPECT_EQ(name_in_url("@types/node"), "@types%2fnode");
  EXPECT_EQ(name_in_url("react"), "react");
}

}  // namespace
}  // namespace quarry::resource_npm
