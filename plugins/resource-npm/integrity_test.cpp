#include "resource-npm/integrity.h"

#include "resource-npm/testing/registry_host.h"

#include <gtest/gtest.h>

namespace quarry::resource_npm {
namespace {

// Hashes of the three bytes "abc" (FIPS 180-4, appendix).
constexpr const char* kSha1 = "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=";
constexpr const char* kSha256 = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
constexpr const char* kSha384 =
    "sha384-ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP/W+2AhgcroefMI1i67KE0yCWn";
constexpr const char* kSha512 =
    "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/"
    "uu9RU1EI2Q86A4qmslPpUyknw==";

std::string integrity_text(const std::string& text) {
  const auto integrity = Integrity::parse(text);
  return integrity ? integrity->text() : "none";
}

TEST(Integrity, IsItsStrongestAlgorithmAlone) {
  const std::string weak = kSha1, middle = kSha256, strong = kSha512;
  EXPECT_EQ(integrity_text(weak), weak);
  EXPECT_EQ(integrity_text(weak + " " + strong + "\t" + middle), strong);
  EXPECT_EQ(integrity_text(weak + "  " + middle + "\n"), middle);
  EXPECT_FALSE(Integrity::parse(weak + " " + strong)->admits(weak));
}

TEST(Integrity, OfSeveralHashesIsMetByOne) {
  const std::string other = testing::sha512_of("other");
  const auto both = Integrity::parse(std::string(kSha512) + "?opt " + other);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->admits(kSha512));
  EXPECT_TRUE(both->admits(other));
  EXPECT_FALSE(both->admits(testing::sha512_of("third")));
  EXPECT_TRUE(both->agrees_with(*Integrity::parse(other)));
  EXPECT_FALSE(Integrity::parse(kSha512)->agrees_with(*Integrity::parse(other)));
  EXPECT_FALSE(Integrity::parse(kSha512)->agrees_with(*Integrity::parse(kSha1)));
}

TEST(Integrity, OfAnythingElseIsNone) {
  for (const char* text :
       {"", "sha512-", "sha512-abc", "md5-kAFQmDzST7DWlj99KOF/cg==", "abc",
        "sha1-3a81oZNherrMQXNJriBBMRLm", "SHA1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", "sha512-!!!!"}) {
    EXPECT_EQ(integrity_text(text), "none") << text;
  }
}

TEST(Integrity, ComesFromAShasumOfOldPackages) {
  const auto old = Integrity::of_shasum("a9993e364706816aba3e25717850c26c9cd0d89d");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->text(), kSha1);
  EXPECT_TRUE(Integrity::of_shasum("A9993E364706816ABA3E25717850C26C9CD0D89D"));
  EXPECT_FALSE(Integrity::of_shasum("a9993e36"));
  EXPECT_FALSE(Integrity::of_shasum("g9993e364706816aba3e25717850c26c9cd0d89d"));
}

}  // namespace
}  // namespace quarry::resource_npm
