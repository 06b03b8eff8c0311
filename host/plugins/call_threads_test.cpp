#include "plugins/call_threads.h"

#include <barrier>
#include <chrono>
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
  std::barrier burst(8, [&]() noexcept { EXPECT_EQ(threads->threads(), 8U); });
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] { EXPECT_TRUE(run(*threads, [&] { burst.arrive_and_wait(); })); });
    }
  }
  // For ever if the threads do not end.
  while (threads->threads() > 4) ASSERT_TRUE(run(*threads, [] {}));
  threads->stop();
}

}  // namespace
}  // namespace quarry::plugins
