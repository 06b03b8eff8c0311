#include "resource-git/tree_reader.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resource_git {
namespace {

using ::testing::ElementsAre;
using namespace std::string_literals;

const std::string kId(40, 'a');

/// Kind, size and path of a listing's entries; "…" when it was rejected.
std::vector<std::string> listed(const std::vector<std::string_view>& pieces) {
  std::vector<std::string> out;
  TreeReader reader([&](const TreeEntry& entry) {
    out.push_back(std::to_string(static_cast<int>(entry.kind)) + " " + std::to_string(entry.size) +
                  " " + entry.path);
    return true;
  });
  for (const auto piece : pieces) {
    if (!reader.take(piece)) out.emplace_back("…");
  }
  return out;
}
std::vector<std::string> blobs(const std::vector<std::string_view>& pieces) {
  std::vector<std::string> out;
  BlobReader reader([&](std::string_view bytes) {
    out.emplace_back(bytes);
    return true;
  });
  for (const auto piece : pieces) {
    if (!reader.take(piece)) out.emplace_back("…");
  }
  return out;
}

const std::string kListing = "040000 tree " + kId + "       -\tdocs\0"s + "100644 blob " + kId +
                             "      12\tdocs/a \n\xff.md\0"s + "100755 blob " + kId +
                             " 123456789\trun\0"s + "120000 blob " + kId + "       3\tlink\0"s +
                             "160000 commit " + kId + "       -\tvendor/x\0"s + "100644 blob " +
                             kId + "\twithout size\0"s;

TEST(GitTree, IsTheSameCutAnywhere) {
  for (std::size_t cut = 0; cut <= kListing.size(); ++cut) {
    const std::string_view whole = kListing;
    EXPECT_THAT(listed({whole.substr(0, cut), whole.substr(cut)}),
                ElementsAre("3 0 docs", "0 12 docs/a \n\xff.md", "0 123456789 run", "1 3 link",
                            "2 0 vendor/x", "0 0 without size"));
  }
}

TEST(GitTree, RefusesWhatIsNoListing) {
  EXPECT_THAT(listed({"hello\0"s}), ElementsAre("…"));
  EXPECT_THAT(listed({"100644 blob " + kId + " BAD\tx\0"s}), ElementsAre("…"));
  EXPECT_THAT(listed({"100644 tag " + kId + "\tx\0"s}), ElementsAre("…"));
  EXPECT_THAT(listed({std::string(2 << 20, 'x')}), ElementsAre("…"));
}

TEST(GitTree, EndsWhenNobodyWantsMore) {
  TreeReader reader([](const TreeEntry&) { return false; });
  EXPECT_FALSE(reader.take(kListing));
}

TEST(GitBlobs, AreTheSameCutAnywhere) {
  const std::string whole =
      kId + " blob 5\nhello\n" + kId + " blob 0\n\n" + kId + " blob 3\n\n\0\n\n"s;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const std::string_view text = whole;
    EXPECT_THAT(blobs({text.substr(0, cut), text.substr(cut)}),
                ElementsAre("hello", "", "\n\0\n"s));
  }
  std::vector<std::string_view> bytes;
  for (const char& c : whole) bytes.emplace_back(&c, 1);
  EXPECT_THAT(blobs(bytes), ElementsAre("hello", "", "\n\0\n"s));
}

TEST(GitBlobs, RefuseAMissingObjectAndGarbage) {
  EXPECT_THAT(blobs({kId + " missing\n"}), ElementsAre("…"));
  EXPECT_THAT(blobs({kId + " tree 3\nabc\n"}), ElementsAre("…"));
  EXPECT_THAT(blobs({kId + " blob 2\nabc\n"}), ElementsAre("…"));
  EXPECT_THAT(blobs({kId + " blob x\n"}), ElementsAre("…"));
  EXPECT_THAT(blobs({std::string(1000, 'x')}), ElementsAre("…"));
}

TEST(GitPath, IsFitWhenAnyFileSystemWouldBeSafe) {
  for (const std::string& path :
       {"a"s, "a/b c/d.md"s, "..."s, "a/..b"s, ".github/x"s, ".gitignore"s, std::string(300, 'n'),
        "new\nline"s, "\xff\xfe"s}) {
    EXPECT_TRUE(is_fit(path)) << path;
  }
  std::string deep = "a";
  for (int i = 0; i < 64; ++i) deep += "/a";
  for (const std::string& path :
       {""s, "/a"s, "a/"s, "a//b"s, "../a"s, "a/.."s, "./a"s, ".git/config"s, "a/.GiT/hooks/x"s,
        std::string(1025, 'n'), deep}) {
    EXPECT_FALSE(is_fit(path)) << path;
  }
}

TEST(GitLfs, PointerIsKnownByItsFirstLine) {
  std::uint64_t size = 0;
  EXPECT_TRUE(is_lfs_pointer(
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", size));
  EXPECT_EQ(size, 12345u);
  EXPECT_FALSE(is_lfs_pointer("version https://git-lfs.github.com/spec/v1\n", size));
  EXPECT_FALSE(is_lfs_pointer("see version https://git-lfs.github.com/spec/v1\nsize 1\n", size));
}

}  // namespace
}  // namespace quarry::resource_git
