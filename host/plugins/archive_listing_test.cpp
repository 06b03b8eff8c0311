#include "plugins/archive_listing.h"

#include "plugins/plugin_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

using ::testing::HasSubstr;

/// A line as tar prints it.
std::string listed(const std::string& name, const std::string& mode = "-rw-r--r--",
                   std::uint64_t size = 12) {
  return mode + " 0/0      " + std::to_string(size) + " 2026-11-23 10:00 " + name + "\n";
}

/// The refusal of a list; "none" if it is accepted.
std::string refusal_of(const std::string& text) {
  ArchiveListing listing;
  const auto read = listing.read(text);
  const auto end = read ? listing.end() : read;
  return end ? "none" : end.error().message;
}

TEST(ArchiveListing, FindsTheManifestAtTheTopOrInOneFolder) {
  for (const std::string prefix : {"", "./", "hello/", "./hello/", "-x/"}) {
    ArchiveListing listing;
    const auto folder = prefix.empty() ? "" : listed(prefix, "drwxr-xr-x", 0);
    ASSERT_TRUE(
        listing.read(folder + listed(prefix + "plugin.toml") + listed(prefix + "hello.so")));
    const auto manifest = listing.manifest();
    ASSERT_TRUE(manifest) << manifest.error().message;
    EXPECT_EQ(*manifest, prefix + "plugin.toml");
    EXPECT_TRUE(listing.has(prefix + "hello.so"));
    EXPECT_FALSE(listing.has(prefix + "other.so"));
  }
}

TEST(ArchiveListing, ReadsLinesThatAreCutAnywhere) {
  const auto text = listed("plugin.toml") + listed("a name with blanks");
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ArchiveListing listing;
    ASSERT_TRUE(listing.read(text.substr(0, cut)));
    ASSERT_TRUE(listing.read(text.substr(cut)));
    EXPECT_TRUE(listing.end());
    EXPECT_TRUE(listing.has("a name with blanks"));
  }
}

TEST(ArchiveListing, NeedsOneManifest) {
  ArchiveListing none;
  ASSERT_TRUE(none.read(listed("a/b/plugin.toml") + listed("other.toml")));
  EXPECT_THAT(none.manifest().error().message, HasSubstr("has no plugin.toml"));
  ArchiveListing two;
  ASSERT_TRUE(two.read(listed("plugin.toml") + listed("a/plugin.toml")));
  EXPECT_THAT(two.manifest().error().message, HasSubstr("has 2 files plugin.toml"));
}

TEST(ArchiveListing, RefusesNamesThatLeaveTheArchive) {
  for (const auto* name : {"/etc/passwd", "../x", "a/../x", "..", "./../x", "/"}) {
    EXPECT_NE(refusal_of(listed(name)), "none") << name;
  }
  EXPECT_EQ(refusal_of(listed("a..b/..c")), "none");
}

TEST(ArchiveListing, RefusesEverythingButFilesAndDirectories) {
  const std::pair<const char*, const char*> kinds[] = {
      {"l", "a symbolic link"}, {"h", "a hard link"},  {"b", "a device"},
      {"c", "a device"},        {"p", "a named pipe"}, {"s", "no regular file"},
      {"M", "no regular file"}};
  for (const auto& [type, words] : kinds) {
    EXPECT_THAT(refusal_of(listed("x", type + std::string("rwxrwxrwx"))), HasSubstr(words));
  }
}

TEST(ArchiveListing, RefusesWhatIsTooLargeTogetherOrAlone) {
  EXPECT_THAT(refusal_of(listed("x", "-rw-r--r--", 10ull << 30)), HasSubstr("has more than"));
  const auto half = listed("a", "-rw-r--r--", kMaxFile) + listed("b", "-rw-r--r--", kMaxFile);
  EXPECT_EQ(refusal_of(half), "none");
  EXPECT_THAT(refusal_of(half + listed("c")), HasSubstr("members have more than"));
}

TEST(ArchiveListing, RefusesThousandsOfMembersAndTheSameTwice) {
  std::string text;
  for (std::size_t i = 0; i < ArchiveListing::kMostMembers; ++i) text += listed(std::to_string(i));
  EXPECT_EQ(refusal_of(text), "none");
  EXPECT_THAT(refusal_of(text + listed("more")), HasSubstr("more than 256 members"));
  EXPECT_THAT(refusal_of(listed("x") + listed("./x")), HasSubstr("is there twice"));
}

TEST(ArchiveListing, RefusesEscapedAndLongNames) {
  EXPECT_THAT(refusal_of(listed("a\\nb")), HasSubstr("unusual character"));
  ArchiveListing listing;
  const std::string endless(ArchiveListing::kLongestLine + 1, 'x');
  EXPECT_FALSE(listing.read(endless)) << "before the line ends";
}

TEST(ArchiveListing, TakesBlanksBeforeANameAsPartOfIt) {
  ArchiveListing listing;
  ASSERT_TRUE(listing.read(listed("  plugin.toml")));
  EXPECT_TRUE(listing.has("  plugin.toml"));
  EXPECT_FALSE(listing.manifest());
}

TEST(ArchiveListing, RefusesTimesOfAnotherLengthBehindWhichTarPadsNames) {
  for (const auto* time : {"12345-01-01 00:00", "2026-11-23 10:00:00", "2026-11-23 10:00:00.5"}) {
    EXPECT_THAT(refusal_of("-rw-r--r-- 0/0 1 " + std::string(time) + " plugin.toml\n"),
                HasSubstr("cannot be read"));
  }
}

TEST(ArchiveListing, RefusesLinesThatItCannotRead) {
  for (const auto* line :
       {"x\n", "\n", "-rw-r--r-- 0/0 12 name\n", "-rw-r--r-- 0/0 8,1 2026-11-23 10:00 x\n",
        "-rw-r--r-- 0/0 12 2026-11-23 10:00\n", "-rw-r--r-- 0/0 12 -1 name of\n"}) {
    EXPECT_NE(refusal_of(line), "none") << line;
  }
  EXPECT_THAT(refusal_of("-rw-r--r-- 0/0 12"), HasSubstr("cut off"));
}

}  // namespace
}  // namespace quarry::plugins
