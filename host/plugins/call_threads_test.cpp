#include "plugins/call_threads.h"

#include <chrono>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::plugins {
namespace {

using std::chrono::milliseconds;

constexpr PluginFunction kSome{"some", std::chrono::seconds(30)};

Status run(CallThreads& threads, const std::function<void()>& work) {
  return threads.run({.function = kSome, .run = [&](const quarry_call*) { work(); }});
}

TEST(CallThreads, EndTheThreadsOfABurstThoughOneCallAtATimeFollows) {
  const auto threads =
      std::make_shared<CallThreads>(CallThreads::Options{.plugin = "org.example.a",
                                                         .starts_with_host = false,
                                                         .abandoned = nullptr,
                                                         .idle = milliseconds(200)});
  std::latch burst(8);
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] { EXPECT_TRUE(run(*threads, [&] { burst.arrive_and_wait(); })); });
    }
  }
  EXPECT_EQ(threads->threads(), 8U);
  const auto begin = std::chrono::steady_clock::now();
  while (threads->threads() > 4 &&
         std::chrono::steady_clock::now() < begin + std::chrono::seconds(30)) {
    ASSERT_TRUE(run(*threads, [] {}));
  }
  EXPECT_LE(threads->threads(), 4U);
  threads->stop();
}

}  // namespace
}  // namespace quarry::plugins
