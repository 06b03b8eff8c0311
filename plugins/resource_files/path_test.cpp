#include "resource_files/path.h"

#include <gtest/gtest.h>

namespace quarry::resource_files {
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

}  // namespace
}  // namespace quarry::resource_files
