#include "ask/progress_throttle.h"

#include "base/testing/fake_clock.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::ask {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Throttle : public ::testing::Test {
 protected:
  void report(std::uint64_t done) { throttle.report({.message = "receiving", .done = done}); }

  FakeClock clock;
  std::vector<std::uint64_t> written;
  std::string last_message;
  ProgressThrottle throttle{clock, [this](const resources::Progress& at) {
                              written.push_back(at.done);
                              last_message = at.message;
                            }};
};

TEST_F(Throttle, PassesOnTenASecond) {
  for (std::uint64_t i = 0; i < 2000; ++i, clock.advance(1ms)) report(i);
  EXPECT_EQ(written.size(), 20u);
  EXPECT_EQ(written.front(), 0u);
}

TEST_F(Throttle, TellsHowItEndedAndHowFarItWas) {
  for (std::uint64_t i = 1; i <= 5; ++i) report(i);
  throttle.finish("ready");
  EXPECT_THAT(written, ElementsAre(1, 5));
  EXPECT_EQ(last_message, "ready");
}

TEST_F(Throttle, SaysNothingOfTheEndWhenNothingWasSaidBefore) {
  throttle.finish("ready");
  EXPECT_THAT(written, ElementsAre());
}

TEST_F(Throttle, EndsOnceAndDropsWhatComesTooLate) {
  report(1);
  throttle.finish("ready");
  throttle.finish("failed");
  clock.advance(1s);
  report(2);
  EXPECT_THAT(written, ElementsAre(1, 1));
  EXPECT_EQ(last_message, "ready");
}

}  // namespace
}  // namespace quarry::ask
