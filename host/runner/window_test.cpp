#include "runner/window.h"

#include <atomic>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

constexpr int kSenders = 8;

TEST(Window, IsExceededByOneOfTheThreadsThatWait) {
  Window window;
  window.charge(kWindow);
  std::atomic<int> taken = 0;
  std::latch all_wait(kSenders);
  std::latch others_wait_on(kSenders - 1);
  std::atomic<bool> is_given = false;
  {
    std::vector<std::jthread> senders;
    for (int i = 0; i < kSenders; ++i) {
      senders.emplace_back([&, waits = false, waits_on = false]() mutable {
        const auto status = window.take(kWindow, [&]() -> quarry_status {
          if (!std::exchange(waits, true)) all_wait.count_down();
          if (is_given && !std::exchange(waits_on, true)) others_wait_on.count_down();
          return QUARRY_OK;
        });
        if (status == QUARRY_OK && ++taken > 1) others_wait_on.count_down();
      });
    }
    all_wait.wait();
    window.give(1, QUARRY_OK);
    is_given = true;
    others_wait_on.wait();
    window.give(0, QUARRY_CANCELLED);
  }
  EXPECT_EQ(taken, 1);
}

TEST(Window, GivesEachThreadItsTurn) {
  Window window;
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> senders;
    for (int i = 0; i < kSenders; ++i) {
      senders.emplace_back([&] {
        EXPECT_EQ(window.take(kWindow, [] { return QUARRY_OK; }), QUARRY_OK);
        ++taken;
        window.give(kWindow, QUARRY_OK);
      });
    }
  }
  EXPECT_EQ(taken, kSenders);
}

}  // namespace
}  // namespace quarry::runner
