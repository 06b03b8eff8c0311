#include "resource-archive/url.h"

#include <gtest/gtest.h>

namespace quarry::resource_archive {

namespace {

TEST(ArchiveName, KnowsExtensionsInAnyCase) {
  EXPECT_EQ(without_extension("x-1.2.tar.gz"), "x-1.2");
  EXPECT_EQ(without_extension("X.ZIP"), "X");
  EXPECT_EQ(without_extension("x.tbz2"), "x");
  EXPECT_FALSE(without_extension(".zip"));
  EXPECT_FALSE(without_extension("x.html"));
}

}  // namespace

}  // namespace quarry::resource_archive
