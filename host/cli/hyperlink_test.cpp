#include "cli/hyperlink.h"

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

TEST(Hyperlink, PutsTheTargetBeforeTheTextAndEndsTheLinkAfterIt) {
  EXPECT_EQ(hyperlink("a b", "https://a/b#L1"), "\x1b]8;;https://a/b#L1\x1b\\a b\x1b]8;;\x1b\\");
  EXPECT_EQ(hyperlink("a", "!~"), "\x1b]8;;!~\x1b\\a\x1b]8;;\x1b\\");
}

TEST(Hyperlink, OfWhatCouldHoldAnEscapeSequenceIsTheTextAlone) {
  for (const char* url : {"", "https://a b", "https://a\x1b\\", "https://a\x07", "https://a\x7f",
                          "https://\xc3\xa4", "https://a\n"}) {
    EXPECT_EQ(hyperlink("text", url), "text") << url;
  }
}

}  // namespace
}  // namespace quarry::cli
