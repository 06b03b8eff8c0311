#include "resource-git/refs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::ElementsAre;

const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kC(40, 'c');

std::string line(const std::string& text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::size_t size = text.size() + 4;
  return std::string("00") + kHex[size >> 4 & 15] + kHex[size & 15] + text;
}

std::string version2() {
  return line("# service=git-upload-pack\n") + "0000" + line("version 2\n") +
         line("agent=git/2.39\n") + line("ls-refs=unborn\n") +
         line("fetch=shallow wait-for-done filter\n") + line("object-format=sha1\n") + "0000";
}
std::string version0() {
  return line("# service=git-upload-pack\n") + "0000" +
         line(kA + " HEAD" + std::string(1, '\0') + "shallow symref=HEAD:refs/heads/trunk x\n") +
         line(kA + " refs/heads/trunk\n") + line(kB + " refs/tags/v1\n") +
         line(kC + " refs/tags/v1^{}\n") + "0000";
}

TEST(GitAdvertisement, TellsWhatAServerOffers) {
  std::string error;
  const auto said = parse_advertisement(version2(), error);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->version, 2);
  EXPECT_TRUE(said->offers("fetch", "filter"));
  EXPECT_TRUE(said->offers("ls-refs", "unborn"));
  EXPECT_TRUE(said->offers("object-format", "sha1"));
  EXPECT_FALSE(said->offers("object-format", "sha256"));
  EXPECT_FALSE(said->offers("fetch", "filt"));
}

TEST(GitAdvertisement, OfAnOldServerHasTheRefs) {
  std::string error;
  const auto said = parse_advertisement(version0(), error);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->version, 0);
  const auto head = find_ref(said->refs, "");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->ref, "refs/heads/trunk");
  EXPECT_EQ(find_ref(said->refs, "v1")->commit, kC);
}

TEST(GitAdvertisement, OfAnEmptyRepositoryHasNoRefs) {
  std::string error;
  const std::string nothing(40, '0');
  const auto said = parse_advertisement(
      line("# service=git-upload-pack\n") + "0000" +
          line(nothing + " capabilities^{}" + std::string(1, '\0') + "shallow\n") + "0000",
      error);
  ASSERT_TRUE(said);
  EXPECT_TRUE(said->refs.empty());
}

TEST(GitAdvertisement, IsNoWebPage) {
  std::string error;
  for (const char* page :
       {"", "<!doctype html><html>", "0000x", "00zz", "0003", "hello, world", "0009nope\n"}) {
    EXPECT_FALSE(parse_advertisement(page, error)) << page;
  }
  EXPECT_FALSE(parse_advertisement(line("ERR access denied\n"), error));
  EXPECT_EQ(error, "access denied");
}

TEST(GitAdvertisement, CutAnywhereIsNoneOrLess) {
  for (const std::string& whole : {version0(), version2()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      std::string error;
      const auto said = parse_advertisement(whole.substr(0, size), error);
      EXPECT_LE(said ? said->refs.size() : 0, 3u);
    }
  }
}

TEST(GitRefs, AreAskedForByPrefix) {
  EXPECT_EQ(ls_refs_request({"refs/heads/x"}, true),
            "0014command=ls-refs\n00010009peel\n000csymrefs\n000bunborn\n001cref-prefix "
            "refs/heads/x\n0000");
  EXPECT_THAT(wanted_prefixes(""), ElementsAre("HEAD"));
  EXPECT_THAT(wanted_prefixes("x"), ElementsAre("refs/heads/x", "refs/tags/x"));
  EXPECT_THAT(wanted_prefixes("refs/pull/1/head"), ElementsAre("refs/pull/1/head"));
}

TEST(GitRefs, AreRead) {
  std::string error;
  const auto refs = parse_ls_refs(line(kA + " HEAD symref-target:refs/heads/main\n") +
                                      line(kB + " refs/tags/v1 peeled:" + kC + "\n") + "0000",
                                  error);
  ASSERT_TRUE(refs);
  EXPECT_EQ(find_ref(*refs, "")->ref, "refs/heads/main");
  EXPECT_EQ(find_ref(*refs, "v1")->commit, kC);
  EXPECT_TRUE(parse_ls_refs("0000", error)->empty());
  EXPECT_FALSE(parse_ls_refs("", error));
  EXPECT_FALSE(parse_ls_refs("<html>", error));
}

TEST(GitRefs, OfABranchWithoutCommitLeadNowhere) {
  std::string error;
  const auto refs =
      parse_ls_refs(line("unborn HEAD symref-target:refs/heads/main\n") + "0000", error);
  ASSERT_TRUE(refs);
  EXPECT_FALSE(find_ref(*refs, ""));
}

TEST(GitRefs, PreferABranchToATagAndTheNameToItsLikes) {
  const Refs refs = {
      {"refs/tags/x", kA, "", ""}, {"refs/heads/x2", kB, "", ""}, {"refs/heads/x", kC, "", ""}};
  EXPECT_EQ(find_ref(refs, "x")->commit, kC);
  EXPECT_FALSE(find_ref(refs, "y"));
}

TEST(GitRefs, OfLsRemoteAreRead) {
  const Refs refs = parse_ls_remote("ref: refs/heads/main\tHEAD\n" + kA + "\tHEAD\n" + kA +
                                    "\trefs/heads/main\n" + kB + "\trefs/tags/v1\n" + kC +
                                    "\trefs/tags/v1^{}\nwarning: noise\n");
  EXPECT_EQ(find_ref(refs, "")->ref, "refs/heads/main");
  EXPECT_EQ(find_ref(refs, "v1")->commit, kC);
}

TEST(GitRefs, OfManyCommitsWithTheSameFirstDigitsAreEachCountedOnce) {
  constexpr std::size_t kCount = 100'000;
  Refs refs;
  for (std::size_t i = 0; i < 2 * kCount; ++i) {
    std::string digits = std::to_string(i / 2);
    digits.insert(0, 33 - digits.size(), '0');
    refs.push_back({"refs/pull/" + std::to_string(i) + "/head", "abcdef0" + digits, "", ""});
  }
  EXPECT_THAT(commits_beginning_with(refs, "ABCDEF0"), ::testing::SizeIs(kCount));
  EXPECT_THAT(commits_beginning_with(refs, "abcdef0" + std::string(33, '0')),
              ElementsAre("abcdef0" + std::string(33, '0')));
}

TEST(GitRefs, OfASimilarNameAreNearest) {
  const Refs refs = {{"HEAD", kA, "", ""},
                     {"refs/heads/main", kA, "", ""},
                     {"refs/heads/feature/login", kA, "", ""},
                     {"refs/tags/mian", kA, "", ""},
                     {"refs/pull/1/head", kA, "", ""}};
  EXPECT_THAT(nearest(refs, "mian2", 2), ElementsAre("mian", "main"));
  EXPECT_THAT(nearest(refs, "feature", 1), ElementsAre("feature/login"));
  EXPECT_EQ(short_name("refs/heads/feature/x"), "feature/x");
}

}  // namespace
}  // namespace quarry::resource_git
