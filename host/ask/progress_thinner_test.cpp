#include "ask/progress_thinner.h"

#include "base/fake_clock.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::ask {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class Thinner : public testing::Test {
 protected:
  void report(std::uint64_t done) { thinner.report({.message = "receiving", .done = done}); }

  FakeClock clock;
  std::vector<std::uint64_t> written;
  ProgressThinner thinner{clock,
                          [this](const resources::Progress& at) { written.push_back(at.done); }};
};

TEST_F(Thinner, PassesOnTenASecond) {
  for (std::uint64_t i = 0; i < 2000; ++i, clock.advance(1ms)) report(i);
  EXPECT_EQ(written.size(), 20u);
  EXPECT_EQ(written.front(), 0u);
}

TEST_F(Thinner, PassesOnTheLast) {
  for (std::uint64_t i = 1; i <= 5; ++i) report(i);
  thinner.finish();
  EXPECT_THAT(written, ElementsAre(1, 5));
}

TEST_F(Thinner, SaysNothingTwice) {
  report(1);
  report(2);
  clock.advance(100ms);
  report(3);
  thinner.finish();
  thinner.finish();
  EXPECT_THAT(written, ElementsAre(1, 3));
}

TEST_F(Thinner, DropsWhatComesTooLate) {
  report(1);
  thinner.finish();
  clock.advance(1s);
  report(2);
  EXPECT_THAT(written, ElementsAre(1));
}

}  // namespace
}  // namespace quarry::ask
