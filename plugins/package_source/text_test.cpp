#include "package_source/text.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

TEST(Lower, ChangesLettersOfAsciiAlone) {
  EXPECT_EQ(lower("README-2.Md"), "readme-2.md");
  EXPECT_EQ(lower("\xc3\x84@[`{"), "\xc3\x84@[`{");
}

TEST(Trimmed, LosesWhiteSpaceAtItsEnds) {
  EXPECT_EQ(trimmed(" \t\r\n\v\fa b\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed("a\xc2\xa0"), "a\xc2\xa0");
}

}  // namespace
}  // namespace quarry::package_source
