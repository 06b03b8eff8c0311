#include "package_source/zip_index.h"

#include <gtest/gtest.h>

namespace quarry::package_source {
namespace {

TEST(CodePage437, IsReadAsUtf8) {
  EXPECT_EQ(from_cp437("caf\x82"), "caf\xc3\xa9");
}

}  // namespace
}  // namespace quarry::package_source
