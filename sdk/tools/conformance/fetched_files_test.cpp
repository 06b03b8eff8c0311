#include "conformance/fetched_files.h"

#include "base/file.h"

#include <fstream>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::conformance {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TrialFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string sizes() const {
    std::string out;
    for (const auto& [path, file] : tree_.files()) {
      out += path + ":" + std::to_string(file.bytes) + " ";
    }
    return out;
  }

  const fs::path root_ = test_directory();
  FetchedFiles tree_{{.scratch = root_ / "scratch", .to = root_ / "to"}};
};

TEST_F(TrialFiles, AreCountedAndWritten) {
  ASSERT_TRUE(tree_.add_file("b/c.txt", "hello"));
  ASSERT_TRUE(tree_.add_described("a.md", "hi", {.permalink = "https://a", .title = "A"}));
  ASSERT_TRUE(tree_.add_file("b/c.txt", "again!"));
  EXPECT_EQ(sizes(), "a.md:2 b/c.txt:6 ");
  EXPECT_EQ(*read_file(root_ / "to/b/c.txt"), "again!");
  EXPECT_EQ(tree_.files().at("a.md").facts.permalink, "https://a");
  EXPECT_EQ(tree_.files().at("a.md").facts.title, "A");
}

TEST_F(TrialFiles, NeverLeaveTheirDirectory) {
  for (const auto* path : {"../x", "/etc/x", "a/../../x", "", "."}) {
    const auto added = tree_.add_file(path, "x");
    ASSERT_FALSE(added) << path;
    EXPECT_THAT(added.error().message, HasSubstr("the plugin adds a file")) << path;
  }
  EXPECT_FALSE(fs::exists(root_ / "x"));
  EXPECT_EQ(sizes(), "");
}

TEST_F(TrialFiles, ThatCollideAreAFailureThatNamesThem) {
  ASSERT_TRUE(tree_.add_file("a", "x"));
  const auto below = tree_.add_file("a/b", "x");
  ASSERT_FALSE(below);
  EXPECT_THAT(below.error().message, HasSubstr("to/a"));
  EXPECT_FALSE(below.error().hint.empty());
}

TEST_F(TrialFiles, OfADirectoryAreReadWithoutItsLinks) {
  fs::create_directories(root_ / "from/d");
  std::ofstream(root_ / "from/d/file") << "12345";
  fs::create_symlink("/etc/passwd", root_ / "from/link");
  ASSERT_TRUE(tree_.add_directory(root_ / "from"));
  EXPECT_EQ(sizes(), "d/file:5 link:0 ");
  EXPECT_EQ(tree_.files().at("link").left_out, "a link");
  EXPECT_FALSE(fs::exists(root_ / "to/link"));
  EXPECT_FALSE(tree_.add_directory(root_ / "nowhere"));
  EXPECT_FALSE(tree_.add_directory("from")) << "it is not absolute";
}

TEST_F(TrialFiles, AreNotWrittenWithoutADirectory) {
  FetchedFiles counted({.scratch = root_ / "scratch"});
  ASSERT_TRUE(counted.add_file("a", "x"));
  EXPECT_EQ(counted.files().size(), 1u);
  EXPECT_FALSE(fs::exists(root_ / "to"));
}

TEST_F(TrialFiles, DifferWithTheirBytes) {
  FetchedFiles other({.scratch = root_ / "scratch", .most = 2});
  ASSERT_TRUE(tree_.add_file("a", "x"));
  ASSERT_TRUE(other.add_file("a", "y"));
  EXPECT_NE(tree_.files(), other.files());
  ASSERT_TRUE(other.add_link("b"));
  EXPECT_EQ(other.add_file("c", "z").error().code, Code::kResourceExhausted);
}

TEST_F(TrialFiles, HaveOneScratchDirectory) {
  const auto scratch = tree_.scratch();
  ASSERT_TRUE(scratch);
  EXPECT_TRUE(fs::is_directory(*scratch));
  EXPECT_EQ(*tree_.scratch(), *scratch);
  EXPECT_FALSE(*tree_.keep_file("a")) << "there is no last snapshot";
  ASSERT_TRUE(tree_.use_in_place("/srv"));
  EXPECT_EQ(tree_.in_place(), "/srv");
  EXPECT_FALSE(tree_.use_in_place("srv"));
}

}  // namespace
}  // namespace quarry::conformance
