// Patches, as dpkg-source and GNU patch apply them.
#include "resource-debian/unpack.h"

#include <gtest/gtest.h>

namespace quarry::resource_debian {
namespace {

class PatchTest : public ::testing::Test {
 protected:
  void add(const std::string& path, std::string_view text, Node::Kind kind = Node::Kind::kFile) {
    nodes_[path] = {kind, spill_.size(), text.size(), true};
    ASSERT_TRUE(spill_.append(text));
  }
  // The failure, or nothing.
  std::string apply(std::string_view patch, bool removes_empty = true) {
    const auto failed = apply_patch(nodes_, spill_, "x.patch", patch, removes_empty);
    return failed ? failed->message : "";
  }
  std::string text(const std::string& path) {
    const auto found = nodes_.find(path);
    return found == nodes_.end() ? "(none)" : spill_.read(found->second).value_or("(unreadable)");
  }

  Nodes nodes_;
  Spill spill_{""};
};

TEST_F(PatchTest, AHunkIsFoundNearItsPlace) {
  add("f", "0\n0\n1\n2\n3\n4\n5\n6\n7\n");
  EXPECT_EQ(apply("text before\n--- a/f\n+++ b/f\n@@ -2,5 +2,5 @@ x\n 2\n 3\n-4\n+four\n 5\n 6\n-- "
                  "\n2.30\n"),
            "");
  EXPECT_EQ(text("f"), "0\n0\n1\n2\n3\nfour\n5\n6\n7\n");
}

TEST_F(PatchTest, ContextMustBeExact) {
  add("f", "1\n2\n3\n");
  EXPECT_NE(apply("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n drei\n"), "");
  EXPECT_EQ(text("f"), "1\n2\n3\n");
}

TEST_F(PatchTest, AHunkWithLessContextAtOneEndIsAtThatEndOfTheFile) {
  add("f", "x\na\nb\n");
  EXPECT_NE(apply("--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n+new\n a\n b\n"), "");
  add("f", "a\nb\nx\n");
  EXPECT_NE(apply("--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n b\n+new\n"), "");
}

TEST_F(PatchTest, FilesAreCreatedAndRemoved) {
  add("old", "1\n");
  EXPECT_EQ(
      apply("--- /dev/null\n+++ b/d/new\n@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n"
            "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"),
      "");
  EXPECT_EQ(text("d/new"), "1\n2");
  EXPECT_EQ(text("old"), "(none)");
}

TEST_F(PatchTest, AFileThatBecomesEmptyIsRemovedWhereAsked) {
  constexpr std::string_view kPatch = "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-1\n";
  add("f", "1\n");
  EXPECT_EQ(apply(kPatch, false), "");
  EXPECT_EQ(text("f"), "");
  add("f", "1\n");
  EXPECT_EQ(apply(kPatch, true), "");
  EXPECT_EQ(text("f"), "(none)");
}

TEST_F(PatchTest, RenamesOfGitAreFollowed) {
  add("a b", "1\n2\n");
  add("c", "3\n");
  EXPECT_EQ(
      apply(
          "diff --git a/a b b/d\nsimilarity index 100%\nrename from a b\nrename to d\n"
          "diff --git a/c b/e\nsimilarity index 50%\nrename from c\nrename to e\n--- a/c\n+++ b/e\n"
          "@@ -1 +1 @@\n-3\n+4\n"),
      "");
  EXPECT_EQ(text("a b"), "(none)");
  EXPECT_EQ(text("d"), "1\n2\n");
  EXPECT_EQ(text("c"), "(none)");
  EXPECT_EQ(text("e"), "4\n");
}

TEST_F(PatchTest, TheFileIsTheOneThatExists) {
  add("x.c", "1\n");
  EXPECT_EQ(apply("--- p/x.c.orig\n+++ p/x.c\n@@ -1 +1 @@\n-1\n+2\n"), "");
  EXPECT_EQ(text("x.c"), "2\n");
}

TEST_F(PatchTest, NamesWithBlanksEndInATab) {
  EXPECT_EQ(apply("--- /dev/null\n+++ b/C API/x.rst\t\n@@ -0,0 +1 @@\n+1\n"), "");
  EXPECT_EQ(text("C API/x.rst"), "1\n");
}

TEST_F(PatchTest, LineEndsOfDosAreKeptOrTakenAway) {
  add("f", "1\r\n2\r\n");
  EXPECT_EQ(apply("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+3\r\n"), "");
  EXPECT_EQ(text("f"), "1\r\n3\r\n");
  add("f", "1\n2\n");
  EXPECT_EQ(apply("--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n 1\r\n-2\r\n+3\r\n"), "");
  EXPECT_EQ(text("f"), "1\n3\n");
}

TEST_F(PatchTest, BlankLinesLostAtTheEndAreContext) {
  add("f", "1\n2\n\n");
  EXPECT_EQ(apply("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n"), "");
  EXPECT_EQ(text("f"), "one\n2\n\n");
}

TEST_F(PatchTest, NothingIsWrittenOutsideOfThePackage) {
  add("link", "/etc", Node::Kind::kLink);
  add("d/f", "1\n");
  const auto refused = [&](std::string_view name) {
    return apply("--- a/" + std::string(name) + "\n+++ b/" + std::string(name) +
                 "\n@@ -0,0 +1 @@\n+x\n");
  };
  EXPECT_EQ(refused("../../etc/passwd"),
            "the patch x.patch changes \"../../etc/passwd\", which is outside of the package");
  EXPECT_EQ(refused("d/../../x"),
            "the patch x.patch changes \"d/../../x\", which is outside of the package");
  EXPECT_EQ(refused("link/passwd"),
            "the patch x.patch changes \"link/passwd\" through \"link\", which is no directory");
  EXPECT_EQ(refused("link"), "the patch x.patch changes \"link\", which is a symbolic link");
  EXPECT_EQ(refused("d"), "the patch x.patch changes \"d\", which is a directory");
  EXPECT_EQ(refused("d/f/g"),
            "the patch x.patch changes \"d/f/g\" through \"d/f\", which is no directory");
  EXPECT_NE(apply("diff --git a/f b/f\nrename from d/f\nrename to ../f\n"), "");
}

TEST_F(PatchTest, WhatDpkgSourceRefusesIsRefused) {
  add("f", "1\n");
  for (const std::string_view bad :
       {"--- a/f\n", "--- a/f\nx\n", "+++ b/f\n", "@@ -1 +1 @@\n", "--- a/f\n+++ b/f\nx\n",
        "--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n", "--- a/f\n+++ b/f\n@@ -1,9 +1 @@\n-1\n+2\n",
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\nx1\n", "--- \"a/f\"\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n",
        "--- a/f.dpkg-orig\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n",
        "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-1\n+2\n",
        "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n",
        "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-1\n+2\n",
        "diff --git a/f b/f\nGIT binary patch\nliteral 0\n"}) {
    EXPECT_NE(apply(bad), "") << bad;
  }
  EXPECT_EQ(text("f"), "1\n");
}

TEST_F(PatchTest, HugeNumbersDoNoHarm) {
  add("f", "1\n");
  EXPECT_NE(apply("--- a/f\n+++ b/f\n@@ -1,999999999999 +1,999999999999 @@\n-1\n+2\n"), "");
  EXPECT_NE(apply("--- a/f\n+++ b/f\n@@ -99999999999999999999 +1 @@\n-1\n+2\n"), "");
  EXPECT_NE(apply("--- a/f\n+++ b/f\n@@ -1000000000000,0 +1 @@\n+2\n"), "");
}

}  // namespace
}  // namespace quarry::resource_debian
