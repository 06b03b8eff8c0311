#include "package_source/left_out.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

TEST(Shown, IsShortAndPrintable) {
  EXPECT_EQ(shown("a\x1b[31m\xff\xc3\xa9"), "a?[31m?\xc3\xa9");
  EXPECT_LE(shown(std::string(5000, 'x')).size(), 84u);
}

TEST(LeftOut, IsToldWithItsNumberAndTheFirstName) {
  LeftOut left;
  left.add("a");
  EXPECT_EQ(left.note("file was left out", "files were left out"),
            "1 file was left out, such as a.");
  left.add("b");
  EXPECT_EQ(left.note_of_links(), "2 symbolic links are listed, and not followed, such as a.");
}

}  // namespace
}  // namespace quarry::package_source
