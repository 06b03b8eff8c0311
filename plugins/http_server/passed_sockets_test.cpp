#include "passed_sockets.h"

#include <gmock/gmock.h>

namespace quarry::http_server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PassedSockets, AreFoundByName) {
  const PassedSockets passed{"7", "3", "rest:mcp:rest"};
  EXPECT_THAT(descriptors_named(passed, "rest", 7), ElementsAre(3, 5));
  EXPECT_THAT(descriptors_named(passed, "mcp", 7), ElementsAre(4));
  EXPECT_THAT(descriptors_named(passed, "other", 7), IsEmpty());
}

TEST(PassedSockets, OfAnotherProcessAreNotUsed) {
  EXPECT_THAT(descriptors_named({"7", "1", "rest"}, "rest", 8), IsEmpty());
  EXPECT_THAT(descriptors_named({"", "1", "rest"}, "rest", 8), IsEmpty());
  EXPECT_THAT(descriptors_named({"8x", "1", "rest"}, "rest", 8), IsEmpty());
}

TEST(PassedSockets, WithoutAUsableCountOrNameAreNotUsed) {
  for (const char* count : {"", "0", "-1", "x", "99999999999999999999"}) {
    EXPECT_THAT(descriptors_named({"7", count, "rest"}, "rest", 7), IsEmpty()) << count;
  }
  EXPECT_THAT(descriptors_named({"7", "2", "rest"}, "rest", 7), ElementsAre(3));
  EXPECT_THAT(descriptors_named({"7", "2", ""}, "rest", 7), IsEmpty());
}

TEST(PassedSockets, AProcessWithoutThemHasNone) {
  const auto sockets = passed_sockets("rest");
  ASSERT_TRUE(sockets);
  EXPECT_THAT(*sockets, IsEmpty());
}

}  // namespace
}  // namespace quarry::http_server
