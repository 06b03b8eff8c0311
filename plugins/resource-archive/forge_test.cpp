#include "resource-archive/forge.h"

#include <string>

#include <gtest/gtest.h>

namespace quarry::resource_archive {

namespace {

const std::string kCommit(40, 'c');

/// The template of the pages, or that of one file; "none" without pages.
std::string page(const std::string& url, std::size_t strip = 1, const std::string& token = {}) {
  Source source;
  source.url = *Url::parse(url);
  source.strip = strip;
  source.token = token;
  const auto pages = pages_of(source, kCommit);
  if (!pages) return "none";
  return pages->each ? pages->page_of("r-1/a b/c.md") : pages->all();
}

TEST(Pages, AreThoseOfTheForge) {
  EXPECT_EQ(page("https://codeload.github.com/o/r/tar.gz/refs/tags/1"),
            "https://github.com/o/r/blob/" + kCommit + "/{path}#L{start}-L{end}");
  EXPECT_EQ(page("https://gitlab.example.org/g/s/r/-/archive/1/r-1.zip"),
            "https://gitlab.example.org/g/s/r/-/blob/" + kCommit + "/{path}#L{start}-{end}");
  EXPECT_EQ(page("https://codeberg.org/o/r/archive/1.tar.gz"),
            "https://codeberg.org/o/r/src/commit/" + kCommit + "/{path}#L{start}-L{end}");
}

TEST(Pages, OfOneFileAreWithoutTheFolderOfTheArchive) {
  EXPECT_EQ(page("https://github.com/o/r/archive/1.zip", 0),
            "https://github.com/o/r/blob/" + kCommit + "/a%20b/c.md#L{start}-L{end}");
}

TEST(Pages, AreNoneWhereTheyWouldBeWrong) {
  EXPECT_EQ(page("https://example.org/o/r/archive/1.zip"), "none");
  EXPECT_EQ(page("https://github.com/o/r/archive/1.zip", 2), "none");
  EXPECT_EQ(page("https://github.com/o/r/archive/1.zip", 1, "t"), "none") << "a private page";
  EXPECT_EQ(page("https://github.com/x.zip"), "none");
}

}  // namespace

}  // namespace quarry::resource_archive
