#include "resource-pypi/pep440.h"

#include <algorithm>
#include <array>
#include <random>

#include <gtest/gtest.h>

namespace quarry::resource_pypi {
namespace {

Version version_of(std::string_view text) {
  const auto read = Version::parse(text);
  EXPECT_TRUE(read) << text;
  return read.value_or(Version{});
}

bool does_match(std::string_view specifier, std::string_view text) {
  const auto read = Specifier::parse(specifier);
  EXPECT_TRUE(read) << specifier;
  return read && read->matches(version_of(text));
}

TEST(Versions, AreNormalised) {
  const std::array<std::array<std::string_view, 2>, 22> spellings{
      {{"1.0", "1.0"},
       {" v1.0 ", "1.0"},
       {"1.0ALPHA", "1.0a0"},
       {"1.0-beta.2", "1.0b2"},
       {"1.0c3", "1.0rc3"},
       {"1.0.preview_1", "1.0rc1"},
       {"1.0-1", "1.0.post1"},
       {"1.0r4", "1.0.post4"},
       {"1.0.rev", "1.0.post0"},
       {"1.0.DEV5", "1.0.dev5"},
       {"1.0dev", "1.0.dev0"},
       {"01.002", "1.2"},
       {"2!1", "2!1"},
       {"0!1.0", "1.0"},
       {"1.0+Ubuntu-1_2", "1.0+ubuntu.1.2"},
       {"1.0+001", "1.0+1"},
       {"1a1.post2.dev3", "1a1.post2.dev3"},
       {"1.0_post_1", "1.0.post1"},
       {"1.0.a.1", "1.0a1"},
       {"1.0-rc-1", "1.0rc1"},
       {"99999999999999999999999.1", "99999999999999999999999.1"},
       {"1.0pre", "1.0rc0"}}};
  for (const auto& [written, normal] : spellings) EXPECT_EQ(version_of(written).text(), normal);
}

TEST(Versions, OtherTextsAreNone) {
  for (const std::string_view text : {"",
                                      " ",
                                      "1.",
                                      ".1",
                                      "1..2",
                                      "a",
                                      "1.0+",
                                      "1.0+a..b",
                                      "1.0+a!",
                                      "1!",
                                      "!1",
                                      "1.0a1b2",
                                      "1.0--1",
                                      "french toast",
                                      "1.0-",
                                      "1.0 1",
                                      "1.0.dev1.post1",
                                      "1.0\n2",
                                      "v",
                                      "1.0+\xc3\xbc"}) {
    EXPECT_FALSE(Version::parse(text)) << text;
  }
  EXPECT_FALSE(Version::parse(std::string(10'000, '1')));
}

TEST(Versions, AreOrderedAsInPep440) {
  const std::vector<std::string_view> order{
      "1.dev0",        "1.0.dev456",    "1.0a1",
      "1.0a2.dev456",  "1.0a12.dev456", "1.0a12",
      "1.0b1.dev456",  "1.0b2",         "1.0b2.post345.dev456",
      "1.0b2.post345", "1.0rc1.dev456", "1.0rc1",
      "1.0",           "1.0+abc.5",     "1.0+abc.7",
      "1.0+5",         "1.0+5.0",       "1.0.post456.dev34",
      "1.0.post456",   "1.0.15",        "1.1.dev1",
      "1.9",           "1.10",          "1!0.1"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      EXPECT_EQ(version_of(order[i]) < version_of(order[k]), i < k) << order[i] << " " << order[k];
    }
  }
  EXPECT_EQ(version_of("1.0.0"), version_of("1"));
  EXPECT_LT(version_of("9999999999999999999"), version_of("10000000000000000000"));
}

TEST(Specifiers, Match) {
  for (const auto& [specifier, text] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"", "1"},
                                                                  {"1.0", "1.0.0"},
                                                                  {"==1.0", "1.0+local"},
                                                                  {"==1.0+local", "1.0+local"},
                                                                  {"==1.*", "1.9"},
                                                                  {"==1.0.*", "1"},
                                                                  {"==1.0.*", "1.0rc1"},
                                                                  {"!=1.*", "2.0"},
                                                                  {"~=2.2", "2.9"},
                                                                  {"~=1.4.5", "1.4.9"},
                                                                  {"~=2.2.post3", "2.3"},
                                                                  {"~=1!1.0", "1!1.5"},
                                                                  {">=1.0", "1.0+x"},
                                                                  {"<=1.0", "1.0+x"},
                                                                  {">1.7", "1.7.1"},
                                                                  {">1.7.post1", "1.7.post2"},
                                                                  {"<1.0rc1", "1.0b1"},
                                                                  {"<1.0", "0.9"},
                                                                  {"===1.0", "1.0"},
                                                                  {" >= 1 , < 2 ,", "1.5"},
                                                                  {"==1.0.post1", "1.0-1"},
                                                                  {"==1.0a1.*", "1.0a1.post2"}}) {
    EXPECT_TRUE(does_match(specifier, text)) << specifier << " " << text;
  }
}

TEST(Specifiers, DoNotMatch) {
  for (const auto& [specifier, text] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"==1.0", "1.0.1"},
                                                                  {"==1.0+a", "1.0"},
                                                                  {"==1.*", "10.0"},
                                                                  {"==1.*", "1!1.0"},
                                                                  {"!=1.*", "1.0rc1"},
                                                                  {"~=2.2", "3.0"},
                                                                  {"~=2.2", "2.1"},
                                                                  {"~=1.4.5", "1.5"},
                                                                  {">1.7", "1.7.0.post1"},
                                                                  {">1.7", "1.7+local"},
                                                                  {"<1.0", "1.0rc1"},
                                                                  {"<1.0", "1.0.dev1"},
                                                                  {"===1.0", "1.0.0"},
                                                                  {">=1,<2", "2"},
                                                                  {"!=1.0", "1.0+local"},
                                                                  {"==2.0b1", "2.0b2"}}) {
    EXPECT_FALSE(does_match(specifier, text)) << specifier << " " << text;
  }
}

TEST(Specifiers, FaultsAreNamed) {
  for (const std::string_view text :
       {">>1", "=1", "~=1", "==1.*.*", ">=1.*", ">=1+local", "==1.dev1.*", "==1+a.*", "1 2",
        "==", "===", "latest", ">=1;python_version>'3'", "=== a b"}) {
    std::string fault;
    EXPECT_FALSE(Specifier::parse(std::string(">=0,") + std::string(text), &fault)) << text;
    EXPECT_EQ(fault, text);
  }
}

TEST(Specifiers, HaveOneText) {
  const auto text = [](std::string_view written) { return Specifier::parse(written)->text(); };
  EXPECT_EQ(text(">= 2.28 , <3"), text("<3,>=2.28,<3"));
  EXPECT_EQ(text("2.31"), "==2.31");
  EXPECT_EQ(text("== 1.0RC1.*"), "==1.0rc1.*");
}

TEST(Specifiers, SayWhatTheyAdmit) {
  EXPECT_TRUE(Specifier::parse(">=2.0a1")->admits_prereleases());
  EXPECT_TRUE(Specifier::parse("==2.0.dev1")->admits_prereleases());
  EXPECT_FALSE(Specifier::parse("<2.0rc1,!=1a1,>1b1")->admits_prereleases());
  EXPECT_TRUE(Specifier::parse("==1.0,<2")->is_pinned());
  EXPECT_TRUE(Specifier::parse("===1.0")->is_pinned());
  EXPECT_FALSE(Specifier::parse("==1.*")->is_pinned());
}

TEST(Specifiers, AnyBytesAreReadWithoutHarm) {
  std::mt19937 random(7);
  const std::string alphabet = "0123456789.*!=<>~,+-_abcrdevpost \x80\xff";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t i = random() % 24; i > 0; --i) text += alphabet[random() % alphabet.size()];
    if (const auto read = Version::parse(text)) {
      EXPECT_EQ(Version::parse(read->text()), read) << text;
    }
    if (const auto read = Specifier::parse(text)) {
      const auto again = Specifier::parse(read->text());
      ASSERT_TRUE(again) << text;
      EXPECT_EQ(again->text(), read->text());
    }
  }
}

}  // namespace
}  // namespace quarry::resource_pypi
