#include "resources/last_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::resources {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
constexpr Clock::Steady kStart{std::chrono::hours(100)};

TEST(LastStates, AreTheLatestOfEachSourceForAnHour) {
  LastStates states;
  states.note("one", "one.1", kStart);
  states.note("one", "one.2", kStart + minutes(1));
  states.note("two", "two.1", kStart + minutes(30));
  EXPECT_THAT(states.names(kStart + minutes(60)), ElementsAre("one.2", "two.1"));
  EXPECT_THAT(states.names(kStart + minutes(61)), ElementsAre("two.1"));
  EXPECT_THAT(states.names(kStart + minutes(90)), IsEmpty());
}

TEST(LastStates, OfVeryManySourcesThoseThatAnsweredLongestAgoAreForgotten) {
  LastStates states;
  for (std::size_t i = 0; i <= LastStates::kMost; ++i) {
    states.note(std::to_string(i), std::to_string(i), kStart + std::chrono::milliseconds(i));
  }
  const auto names = states.names(kStart + minutes(1));
  EXPECT_EQ(names.size(), LastStates::kMost);
  EXPECT_FALSE(names.contains("0"));
}

}  // namespace
}  // namespace quarry::resources
