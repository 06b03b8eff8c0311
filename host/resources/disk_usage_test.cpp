#include "resources/disk_usage.h"

#include "resources/testing/setting.h"

#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using ::testing::HasSubstr;

TEST(DiskFull, IsRecognisedByTheSystemsMessage) {
  EXPECT_TRUE(is_disk_full(system_error("cannot write x", ENOSPC)));
  EXPECT_TRUE(is_disk_full(system_error("cannot write x", EDQUOT)));
  EXPECT_TRUE(is_disk_full({Code::kInternal, "fatal: write error: No space left on device"}));
  EXPECT_FALSE(is_disk_full(system_error("cannot write x", EIO)));
}

TEST(DiskFull, IsToldWithThePlaceItsFreeSpaceAndWhatToDo) {
  const TempDirectory temp;
  const Error error = disk_full(system_error("cannot write x", ENOSPC), temp.path());
  EXPECT_EQ(error.tag, "CollectionError");
  EXPECT_EQ(error.code, Code::kResourceExhausted);
  EXPECT_THAT(error.message, HasSubstr("No space left on device"));
  EXPECT_THAT(error.message, HasSubstr(temp.path().string()));
  EXPECT_THAT(error.message, HasSubstr("iB are free"));
  EXPECT_THAT(error.hint, HasSubstr("quarry clear"));
  EXPECT_THAT(error.hint, HasSubstr("max_size"));
}

}  // namespace
}  // namespace quarry::resources
