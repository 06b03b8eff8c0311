#include "held_head.h"

#include <gtest/gtest.h>

namespace quarry::rest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Held : public ::testing::Test {
 protected:
  [[nodiscard]] HeldHead head(bool shows_progress = false) const {
    return {HoldTimes{}, shows_progress, now_};
  }
  HeldHead::Time now_{seconds(1000)};
};

TEST_F(Held, HeadWaitsForAFailureAsLongAsClientsWaitForAHead) {
  const HeldHead held = head();
  EXPECT_EQ(held.left(now_), seconds(9));
  EXPECT_EQ(held.left(now_ + milliseconds(8999)), milliseconds(1)) << "a late failure has a status";
  EXPECT_EQ(held.left(now_ + seconds(9)), seconds(0));
  EXPECT_EQ(held.left(now_ + seconds(90)), seconds(0));
  EXPECT_LT(HoldTimes{}.preparing, seconds(10));
}

TEST_F(Held, HeadIsNotOpenedByProgress) {
  HeldHead held = head();
  held.on_event(EventType::kResourceProgress, now_ + seconds(8));
  EXPECT_EQ(held.left(now_ + seconds(8)), seconds(1));
}

TEST_F(Held, HeadIsOpenedSoonerForReadersOfTheProgress) {
  const HeldHead held = head(true);
  EXPECT_EQ(held.left(now_), seconds(3));
}

TEST_F(Held, HeadWaitsAGraceBehindTheMetadata) {
  HeldHead held = head();
  held.on_event(EventType::kMeta, now_ + seconds(1));
  EXPECT_EQ(held.left(now_ + seconds(1)), seconds(3));
  EXPECT_EQ(held.left(now_ + seconds(4)), seconds(0));
  HeldHead late = head();
  late.on_event(EventType::kMeta, now_ + seconds(8));
  EXPECT_EQ(late.left(now_ + seconds(8)), seconds(1)) << "but never longer in all";
}

TEST_F(Held, HeadIsOpenedByWhateverElseThereIsToStream) {
  for (const char* type : {"text.delta", "reasoning.delta", "tool.updated", "done", "later"}) {
    HeldHead held = head();
    held.on_event(event_named(type), now_ + seconds(1));
    EXPECT_EQ(held.left(now_ + seconds(1)), seconds(0)) << type;
  }
}

}  // namespace
}  // namespace quarry::rest
