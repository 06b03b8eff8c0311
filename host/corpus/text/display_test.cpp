#include "corpus/text/display.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

TEST(ShownSize, IsForPeople) {
  EXPECT_EQ(shown_size(0), "0 B");
  EXPECT_EQ(shown_size(1536), "1.5 KB");
  EXPECT_EQ(shown_size(5u << 20), "5.0 MB");
}

}  // namespace
}  // namespace quarry::corpus
