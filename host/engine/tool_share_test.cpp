#include "engine/tool_share.h"

#include <deque>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

/// Keeps jobs until the test runs them.
class HeldJobs final : public Executor {
 public:
  void submit(std::function<void()> job) override { jobs.push_back(std::move(job)); }
  [[nodiscard]] std::size_t concurrency() const override { return 4; }
  void run_one() {
    const auto job = std::move(jobs.front());
    jobs.pop_front();
    job();
  }
  std::deque<std::function<void()>> jobs;
};

TEST(ToolShare, GivesOneCallerHalfOfTheWorkersAndLeavesOneToOthers) {
  HeldJobs workers;
  ToolShare share(workers);
  std::vector<std::string> ran;
  const auto submit = [&](const std::string& caller) {
    share.submit(caller, [&ran, caller] { ran.push_back(caller); });
  };
  for (int i = 0; i < 10; ++i) submit("greedy");
  EXPECT_EQ(workers.jobs.size(), 2u);
  submit("other");
  submit("third");
  EXPECT_EQ(workers.jobs.size(), 3u) << "one worker is left for everything else";
  workers.run_one();
  workers.run_one();
  workers.run_one();
  EXPECT_EQ(ran, (std::vector<std::string>{"greedy", "greedy", "other"}));
  while (!workers.jobs.empty()) workers.run_one();
  EXPECT_EQ(ran.size(), 12u);
  EXPECT_EQ(ran[3], "third") << "a caller who came later does not wait for the greedy one";
}

}  // namespace
}  // namespace quarry::engine
