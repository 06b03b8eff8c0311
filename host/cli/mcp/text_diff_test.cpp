#include "cli/mcp/text_diff.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

TEST(TextDiff, OfTheSameIsNothing) {
  EXPECT_EQ(text_diff("a\n", "a\n", "f"), "");
}

TEST(TextDiff, ShowsAChangeWithThreeLinesAroundIt) {
  EXPECT_EQ(text_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "f"),
            "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(TextDiff, ShowsChangesThatAreFarApartApart) {
  std::string before;
  for (int i = 1; i <= 30; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("28\n"), 3, "");
  after.insert(after.find("3\n"), "new\n");
  EXPECT_EQ(text_diff(before, after, "f"),
            "--- f\n+++ f\n@@ -1,5 +1,6 @@\n 1\n 2\n+new\n 3\n 4\n 5\n"
            "@@ -25,6 +26,5 @@\n 25\n 26\n 27\n-28\n 29\n 30\n");
}

TEST(TextDiff, ShowsChangesThatAreNearTogether) {
  EXPECT_EQ(text_diff("a\n1\n2\n3\n4\nb\n", "A\n1\n2\n3\n4\nB\n", "f"),
            "--- f\n+++ f\n@@ -1,6 +1,6 @@\n-a\n+A\n 1\n 2\n 3\n 4\n-b\n+B\n");
}

TEST(TextDiff, OfANewFileHasNothingBefore) {
  EXPECT_EQ(text_diff("", "a\nb\n", "f"), "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
}

TEST(TextDiff, SaysThatTheLastLineHasNoEnd) {
  EXPECT_EQ(text_diff("a\nb", "a\nb\n", "f"),
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

TEST(TextDiff, OfLargeTextsStaysCheap) {
  std::string before = "x\n";
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  const std::string diff = text_diff(before, after, "f");
  EXPECT_EQ(diff.find("\n+b"), diff.find("\n+b0\n"));
}

}  // namespace
}  // namespace quarry::cli
