#include "store-postgresql/explain.h"

#include <gmock/gmock.h>

namespace quarry::store_postgresql {
namespace {

using ::testing::HasSubstr;

TEST(Explained, SaysWhatCanBeDone) {
  EXPECT_EQ(explained("42501", "permission denied").status, QUARRY_PERMISSION_DENIED);
  EXPECT_THAT(explained("53100", "no space left on device").hint, HasSubstr("Free space"));
  EXPECT_EQ(explained("53300", "too many clients").status, QUARRY_RESOURCE_EXHAUSTED);
  EXPECT_EQ(explained("57P01", "terminating connection").status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(explained("40001", "could not serialize").status, QUARRY_UNAVAILABLE);
  const Failure other = explained("42P01", "relation \"x\" does not exist");
  EXPECT_EQ(other.status, QUARRY_INTERNAL);
  EXPECT_EQ(other.message, "PostgreSQL: relation \"x\" does not exist (SQLSTATE 42P01)");
}

TEST(Explained, KnowsWhatCanBeTriedAgain) {
  EXPECT_TRUE(is_conflict("40001"));
  EXPECT_TRUE(is_conflict("40P01"));
  EXPECT_FALSE(is_conflict("23505"));
  for (const char* state : {"08006", "57P01", "57P02", "57P03", "25006"}) {
    EXPECT_TRUE(is_connection_lost(state)) << state;
  }
  EXPECT_FALSE(is_connection_lost("57014"));
}

TEST(NotConnected, IsOneSentence) {
  const Failure failure =
      not_connected("connection to server at \"h\", port 5432 failed: refused\n\tIs it there?\n");
  EXPECT_EQ(failure.message,
            "PostgreSQL: connection to server at \"h\", port 5432 failed: refused; Is it there?");
  EXPECT_EQ(failure.status, QUARRY_UNAVAILABLE);
}

}  // namespace
}  // namespace quarry::store_postgresql
