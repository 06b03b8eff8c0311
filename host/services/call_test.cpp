#include "services/call.h"

#include <thread>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using namespace std::chrono_literals;

TEST(Call, IsWantedUntilSomethingEndsIt) {
  EXPECT_TRUE(Call{}.check());
  EXPECT_GT(Call{}.max_wait(), 0ms);
}

TEST(Call, IsOverWhenItsDeadlinePassed) {
  Call call;
  call.deadline = std::chrono::steady_clock::now() - 1ms;
  EXPECT_EQ(call.check().error().code, Code::kDeadlineExceeded);
  EXPECT_EQ(call.max_wait(), 0ms);
}

TEST(Call, IsOverWhenTheOuterCallIs) {
  Call call;
  call.state = [] { return Code::kCancelled; };
  EXPECT_EQ(call.check().error().code, Code::kCancelled);
  call.state = [] { return Code::kDeadlineExceeded; };
  EXPECT_EQ(call.check().error().code, Code::kDeadlineExceeded);
}

TEST(Sleep, LastsAtLeastAsLongAsAsked) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(sleep({}, 5ms));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 5ms);
}

TEST(Sleep, EndsWithItsCall) {
  std::stop_source source;
  Call call;
  call.stop = source.get_token();
  std::jthread canceller([&] { source.request_stop(); });
  EXPECT_EQ(sleep(call, 1h).error().code, Code::kCancelled);
}

}  // namespace
}  // namespace quarry::services
