#include "package_source/path.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

TEST(PlainPath, HasNeitherEmptyPartsNorDots) {
  const std::pair<const char*, const char*> cases[] = {
      {"a/b", "a/b"},     {"./a//b/", "a/b"}, {"/a", "a"}, {"a/./b/.", "a/b"},      {"...", "..."},
      {"a/..b", "a/..b"}, {"", ""},           {"./", ""},  {"a\\..\\b", "a\\..\\b"}};
  for (const auto& [path, plain] : cases) EXPECT_EQ(plain_path(path), plain) << path;
}

TEST(PlainPath, IsNoneForWhatCouldLeadOut) {
  for (const std::string_view path : {"..", "a/..", "../a", "a/../b", "/../a", "./.."}) {
    EXPECT_EQ(plain_path(path), std::nullopt) << path;
  }
}

TEST(WithoutComponents, LeavesTheRest) {
  EXPECT_EQ(without_components("a/b/c", 0), "a/b/c");
  EXPECT_EQ(without_components("a/b/c", 1), "b/c");
  EXPECT_EQ(without_components("a", 1), "");
  EXPECT_EQ(without_components("a/b", 5), "");
}

TEST(IsBeneath, HoldsForAFolderAndWhatItHas) {
  EXPECT_TRUE(is_beneath("docs/a", "docs"));
  EXPECT_TRUE(is_beneath("docs", "docs"));
  EXPECT_FALSE(is_beneath("docs2/a", "docs"));
  EXPECT_TRUE(is_beneath("x", ""));
}

TEST(FitsTree, SoFarAsEveryHostKeepsThePath) {
  EXPECT_TRUE(fits_tree(std::string(1024, 'x')));
  EXPECT_FALSE(fits_tree(std::string(1025, 'x')));
  std::string deep = "x";
  for (int level = 1; level < 64; ++level) deep += "/x";
  EXPECT_TRUE(fits_tree(deep));
  EXPECT_FALSE(fits_tree(deep + "/x"));
  EXPECT_TRUE(fits_tree("top/" + deep, 1));
  EXPECT_TRUE(fits_tree("top/" + std::string(1024, 'x'), 1));
  EXPECT_FALSE(fits_tree("top/" + std::string(1025, 'x'), 1));
  EXPECT_FALSE(fits_tree(std::string(5000, 'x') + "/x", 1));
}

}  // namespace
}  // namespace quarry::package_source
