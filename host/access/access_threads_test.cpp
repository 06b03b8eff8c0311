#include "access/testing/test_host.h"
#include "base/testing/waiting.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::access {
namespace {

/// Wrong tokens, valid tokens, the owner and the tick at once.
TEST(AccessThreads, WhoHasATokenIsLetInWhateverOthersDo) {
  TestHost host;
  const FreshToken token = host.make();
  host.access->tick();
  std::atomic<bool> over = false;
  std::vector<std::jthread> others;
  for (int thread = 0; thread < 2; ++thread) {
    others.emplace_back([&, peer = "192.0.2." + std::to_string(thread)] {
      for (int i = 0; !over; ++i) {
        EXPECT_FALSE(host.access->admit(peer + " guesses " + std::to_string(i), true, peer));
      }
    });
  }
  others.emplace_back([&] {
    while (!over) host.access->tick();
  });
  others.emplace_back([&] {
    for (int i = 0; i < 50; ++i) {
      const FreshToken made = host.make();
      wait_until([&] { return host.access->admit(made.text, false).has_value(); });
    }
    over = true;
  });
  while (!over) {
    EXPECT_TRUE(host.access->admit(token.text, true));
    static_cast<void>(host.access->is_limited_in_money({token.id, "docs"}));
  }
}

}  // namespace
}  // namespace quarry::access
