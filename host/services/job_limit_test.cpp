#include "services/job_limit.h"

#include <deque>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

/// Holds jobs until the test runs them.
class HeldJobs final : public Executor {
 public:
  void submit(std::function<void()> job) override { jobs.push_back(std::move(job)); }
  [[nodiscard]] std::size_t concurrency() const override { return 1; }
  void run_first() {
    const auto job = std::move(jobs.front());
    jobs.pop_front();
    job();
  }
  std::deque<std::function<void()>> jobs;
};

TEST(JobLimit, PassesOnSoManyJobsAtOnceInOrder) {
  HeldJobs executor;
  const auto limit = std::make_shared<JobLimit>(2);
  std::vector<int> ran;
  for (int i = 0; i < 5; ++i) limit->submit(executor, [&ran, i] { ran.push_back(i); });
  EXPECT_EQ(executor.jobs.size(), 2u);
  executor.run_first();
  EXPECT_EQ(executor.jobs.size(), 2u);
  while (!executor.jobs.empty()) executor.run_first();
  EXPECT_EQ(ran, (std::vector{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace quarry::services
