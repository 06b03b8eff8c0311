#include "engine/calls.h"

#include <deque>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

/// Runs its jobs on request.
class LateExecutor final : public Executor {
 public:
  void submit(std::function<void()> job) override { jobs_.push_back(std::move(job)); }
  [[nodiscard]] std::size_t concurrency() const override { return 1; }
  void run_one() {
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    job();
  }
  [[nodiscard]] bool idle() const { return jobs_.empty(); }

 private:
  std::deque<std::function<void()>> jobs_;
};

struct CallsTest : ::testing::Test {
  void call() {
    calls.run([](const std::stop_token&) { return Result<std::string>("{}"); },
              [this](const Result<std::string>& reply) {
                ++(reply ? answered : reply.error().tag == "RateLimitError" ? refused : failed);
              });
  }

  LateExecutor executor;
  Calls calls{executor};
  std::size_t answered = 0;
  std::size_t refused = 0;
  std::size_t failed = 0;
};

TEST_F(CallsTest, WhoWouldWaitTooLongIsRefusedAtOnce) {
  for (std::size_t i = 0; i < Calls::kMostWaiting; ++i) call();
  EXPECT_EQ(refused, 0u);
  call();
  EXPECT_EQ(refused, 1u);
  executor.run_one();
  call();
  EXPECT_EQ(refused, 1u) << "one more may wait again";
  while (!executor.idle()) executor.run_one();
  EXPECT_EQ(answered, Calls::kMostWaiting + 1);
}

TEST_F(CallsTest, OnceClosedThatIsTheReason) {
  calls.close();
  call();
  EXPECT_EQ(failed, 1u);
}

}  // namespace
}  // namespace quarry::engine
