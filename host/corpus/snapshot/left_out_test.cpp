#include "corpus/snapshot/left_out.h"

#include "corpus/segment/testing/directory_fixture.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class LeftOut : public DirectoryFixture {
 protected:
  std::vector<IgnoredBy> left_out() {
    const auto found = left_out_of(root_, {}, {});
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(std::vector<IgnoredBy>());
  }
  std::vector<std::string> rules() {
    std::vector<std::string> out;
    for (const IgnoredBy& by : left_out()) out.push_back(by.rule);
    return out;
  }
  void touch(const fs::path& path) const { write(root_ / path, "x\n"); }
};

TEST_F(LeftOut, IsNothingWithoutRules) {
  touch("a.md");
  touch("src/a.c");
  EXPECT_THAT(left_out(), IsEmpty());
}

TEST_F(LeftOut, NamesEachRuleWithItsFileAndLine) {
  write(root_ / ".ignore", "# ours\n*.log\n/out\n");
  for (int i = 0; i < 7; ++i) touch("logs/" + std::to_string(i) + ".log");
  touch("out/deep/a.c");
  touch("src/a.c");
  const auto found = left_out();
  EXPECT_THAT(rules(), ElementsAre("\"*.log\" in .ignore:2", "\"/out\" in .ignore:3"));
  EXPECT_EQ(found[0].entries, 7u);
  EXPECT_EQ(found[0].directories, 0u);
  EXPECT_EQ(found[0].examples.size(), kMostExamples);
  EXPECT_TRUE(found[0].examples[0].starts_with("logs/")) << found[0].examples[0];
  EXPECT_EQ(found[1].entries, 1u) << "what is in a directory is not counted";
  EXPECT_EQ(found[1].directories, 1u);
  EXPECT_THAT(found[1].examples, ElementsAre("out/"));
}

TEST_F(LeftOut, NamesTheRulesOfTheHost) {
  touch("node_modules/a/index.js");
  touch("src/node_modules/b/index.js");
  touch(".env");
  touch("cache/CACHEDIR.TAG");
  touch("a.md");
  std::map<std::string, std::vector<std::string>> found;
  for (const IgnoredBy& by : left_out()) found[by.rule] = by.examples;
  EXPECT_THAT(found["directories of dependencies and builds"],
              ::testing::IsSupersetOf({"node_modules/", "src/node_modules/"}));
  EXPECT_THAT(found["files that may hold secrets"], UnorderedElementsAre(".env"));
}

TEST_F(LeftOut, FollowsNoLinkAndCanBeCancelled) {
  write(root_ / ".ignore", "*.log\n");
  fs::create_directory_symlink(root_, root_ / "again");
  touch("a.log");
  EXPECT_THAT(rules(), ElementsAre("\"*.log\" in .ignore:1"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(left_out_of(root_, {}, stop.get_token()).error().code, Code::kCancelled);
  EXPECT_FALSE(left_out_of(root_ / "missing", {}, {}));
}

}  // namespace
}  // namespace quarry::corpus
