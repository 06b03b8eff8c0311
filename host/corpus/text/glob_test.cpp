#include "corpus/text/glob.h"

#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

using ::testing::HasSubstr;

bool fits(std::string_view pattern, std::string_view path,
          Glob::Dialect dialect = Glob::Dialect::kTool) {
  const auto glob = Glob::compile(pattern, dialect);
  EXPECT_TRUE(glob) << pattern << ": " << glob.error().message;
  return glob && glob->matches(path);
}

std::string refusal(std::string_view pattern) {
  const auto glob = Glob::compile(pattern);
  if (glob) return "accepted";
  EXPECT_EQ(glob.error().code, Code::kInvalidArgument);
  return glob.error().message;
}

TEST(Glob, WithoutASlashIsLookedForAtEveryDepth) {
  EXPECT_TRUE(fits("*.md", "README.md"));
  EXPECT_TRUE(fits("*.md", "docs/deep/a.md"));
  EXPECT_FALSE(fits("*.md", "README.md.txt"));
  EXPECT_FALSE(fits("*.md", "a.md/file"));
  EXPECT_TRUE(fits("Makefile", "x/Makefile"));
}

TEST(Glob, WithASlashStartsAtTheRoot) {
  EXPECT_TRUE(fits("src/*.c", "src/a.c"));
  EXPECT_FALSE(fits("src/*.c", "x/src/a.c"));
  EXPECT_FALSE(fits("src/*.c", "src/x/a.c")) << "* stays within one name";
  EXPECT_TRUE(fits("/*.md", "README.md"));
  EXPECT_FALSE(fits("/*.md", "docs/a.md"));
  EXPECT_TRUE(fits("src//./a", "src/a"));
}

TEST(Glob, DoubleStarFitsAnyNumberOfDirectories) {
  EXPECT_TRUE(fits("**/*.md", "README.md")) << "also none";
  EXPECT_TRUE(fits("**/*.md", "a/b/c.md"));
  EXPECT_TRUE(fits("src/**/test/*.c", "src/test/a.c"));
  EXPECT_TRUE(fits("src/**/test/*.c", "src/x/y/test/a.c"));
  EXPECT_FALSE(fits("src/**/test/*.c", "src/x/test/y/a.c"));
  EXPECT_TRUE(fits("a/**/b/**/c", "a/b/x/b/c"));
  EXPECT_TRUE(fits("**/b/**", "a/b/c/d"));
  EXPECT_FALSE(fits("a/**", "a")) << "only what lies below";
  EXPECT_TRUE(fits("a/**", "a/b/c"));
  EXPECT_TRUE(fits("**", "a/b"));
  EXPECT_TRUE(fits("**/a/*/b", "a/a/a/b"));
}

TEST(Glob, DoubleStarBesideOtherCharactersIsAStar) {
  EXPECT_TRUE(fits("a**b/c", "axxb/c"));
  EXPECT_FALSE(fits("a**b/c", "ax/xb/c"));
}

TEST(Glob, KnowsWhetherADirectoryAboveCanMatter) {
  const auto may_name = [](std::string_view pattern, std::string_view directory) {
    return Glob::compile(pattern)->may_name(directory);
  };
  EXPECT_TRUE(may_name("tree/src/*.c", "tree"));
  EXPECT_TRUE(may_name("*/a.c", "tree"));
  EXPECT_TRUE(may_name("**/b/*.c", "a/b"));
  EXPECT_TRUE(may_name("{x,tree}/a", "tree"));
  EXPECT_FALSE(may_name("src/*.c", "tree"));
  EXPECT_FALSE(may_name("**/src/**", "tree"));
  EXPECT_FALSE(may_name("tree", "tree")) << "the last component fits what lies below";
  EXPECT_FALSE(may_name("**", "tree"));
}

/// Both forms of a path must give the same result.
TEST(Glob, TakesAPathWholeOrSplit) {
  for (const char* pattern :
       {"*.c", "**", "a/**/c", "**/b/*", "*/b*", "[ab]/?", "{a,b/}c", "a*/b/c"}) {
    const auto glob = *Glob::compile(pattern);
    for (const char* path : {"a", "a.c", "a/b.c", "a/b/c", "b/c", "c", "ab/b/c", "a/x/y/c", "bc"}) {
      EXPECT_EQ(glob.matches(path), glob.matches(split(path, '/'))) << pattern << " of " << path;
    }
  }
}

TEST(Glob, QuestionMarkFitsOneCharacter) {
  EXPECT_TRUE(fits("?.c", "é.c"));
  EXPECT_FALSE(fits("?.c", "é.c", Glob::Dialect::kGit)) << "git counts bytes";
  EXPECT_TRUE(fits("??.c", "é.c", Glob::Dialect::kGit));
  EXPECT_FALSE(fits("a?b", "ab"));
  EXPECT_FALSE(fits("a?b/x", "a/b/x"));
}

TEST(Glob, KnowsClasses) {
  EXPECT_TRUE(fits("[a-c]x", "bx"));
  EXPECT_FALSE(fits("[a-c]x", "dx"));
  EXPECT_TRUE(fits("[!a-c]x", "dx"));
  EXPECT_TRUE(fits("[^a-c]x", "dx"));
  EXPECT_TRUE(fits("[]x]", "]"));
  EXPECT_TRUE(fits("[!]]", "x"));
  EXPECT_TRUE(fits("[a-]", "-"));
  EXPECT_TRUE(fits("[\\]]", "]"));
  EXPECT_TRUE(fits("[[:digit:][:upper:]]", "7"));
  EXPECT_TRUE(fits("[[:digit:][:upper:]]", "Q"));
  EXPECT_FALSE(fits("[[:digit:]]", "q"));
}

TEST(Glob, KnowsAlternatives) {
  EXPECT_TRUE(fits("*.{ts,tsx}", "a/b.tsx"));
  EXPECT_FALSE(fits("*.{ts,tsx}", "a/b.js"));
  EXPECT_TRUE(fits("{src,lib/{a,b}}/*.c", "lib/b/x.c"));
  EXPECT_TRUE(fits("a{,b}", "a"));
  EXPECT_TRUE(fits("\\{a,b\\}", "{a,b}"));
  EXPECT_TRUE(fits("[{]a", "{a")) << "a brace in a class is literal";
  EXPECT_TRUE(fits("{a,b}", "{a,b}", Glob::Dialect::kGit)) << "git has none";
  EXPECT_TRUE(fits("a}b", "a}b"));
}

TEST(Glob, TakesEscapedCharactersLiterally) {
  EXPECT_TRUE(fits("\\*", "*"));
  EXPECT_FALSE(fits("\\*", "x"));
  EXPECT_TRUE(fits("app/\\[slug\\]/*", "app/[slug]/page.ts"));
}

TEST(Glob, SaysWhatIsWrongWithAPattern) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("/"), HasSubstr("empty"));
  EXPECT_THAT(refusal("a[b"), HasSubstr("[ without its ]"));
  EXPECT_THAT(refusal("[[:nope:]]"), HasSubstr("[ without its ]"));
  EXPECT_THAT(refusal("a{b,c"), HasSubstr("{ without its }"));
  EXPECT_THAT(refusal("a\\"), HasSubstr("ends with \\"));
  EXPECT_THAT(refusal(std::string(5000, 'a')), HasSubstr("4096"));
  EXPECT_THAT(refusal("{1,2,3}{1,2,3}{1,2,3}{1,2,3}{1,2,3}{1,2,3}"), HasSubstr("more than 256"));
}

TEST(Glob, TakesNoLongerForAnEvilPattern) {
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a";
  std::string depths;
  for (int i = 0; i < 200; ++i) depths += "**/a/";
  std::string path;
  for (int i = 0; i < 1000; ++i) path += "a/";
  EXPECT_FALSE(fits(stars + "b", std::string(4000, 'a')));
  EXPECT_FALSE(fits(depths + "b", path + "c"));
}

// What follows a brace was once read again for each of its alternatives, a brace at a time.
TEST(Glob, TakesNoLongerForManyBraces) {
  const std::string all = "{,}{,}{,}{,}{,}{,}{,}{,}";  // 256 times nothing
  std::string groups;
  for (int i = 0; i < 1'300; ++i) groups += "{a}";
  EXPECT_TRUE(fits(all + groups, std::string(1'300, 'a')));
  EXPECT_TRUE(fits(all + std::string(1'900, '{') + "a" + std::string(1'900, '}'), "a"));
  EXPECT_THAT(refusal(all + std::string(4'000, '[')), HasSubstr("[ without its ]"));
  EXPECT_THAT(refusal(all + std::string(4'000, '{')), HasSubstr("{ without its }"));
  EXPECT_THAT(refusal(all + "{a,b}"), HasSubstr("more than 256"));
}

}  // namespace
}  // namespace quarry::corpus
