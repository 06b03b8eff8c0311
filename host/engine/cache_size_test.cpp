#include "engine/cache_size.h"

#include "base/file.h"
#include "base/testing/fake_clock.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Runs jobs when the test says so.
class LaterExecutor final : public Executor {
 public:
  void submit(std::function<void()> job) override { jobs_.push_back(std::move(job)); }
  [[nodiscard]] std::size_t concurrency() const override { return 1; }
  /// Runs the jobs and returns their number.
  std::size_t run() {
    const auto jobs = std::exchange(jobs_, {});
    for (const auto& job : jobs) job();
    return jobs.size();
  }

 private:
  std::vector<std::function<void()>> jobs_;
};

struct CacheSizeTest : ::testing::Test {
  ~CacheSizeTest() override { fs::remove_all(root); }
  void write(const std::string& name) const {
    ASSERT_TRUE(write_file_atomically(root / name, std::string(100'000, 'x')));
  }
  const fs::path root = *make_temp_directory(fs::temp_directory_path(), "quarry-size-");
  LaterExecutor workers;
  FakeClock clock;
  CacheSize size{root, workers, clock};
};

TEST_F(CacheSizeTest, IsMeasuredInTheBackgroundOnceAMinute) {
  write("a");
  EXPECT_EQ(size.last(), std::nullopt);
  EXPECT_EQ(size.last(), std::nullopt);
  EXPECT_EQ(workers.run(), 1U) << "one job at a time";
  const auto first = size.last();
  ASSERT_TRUE(first);
  EXPECT_GE(*first, 100'000U);
  write("b");
  clock.advance(59s);
  EXPECT_EQ(size.last(), first);
  EXPECT_EQ(workers.run(), 0U);
  clock.advance(1s);
  EXPECT_EQ(size.last(), first) << "until the next one is measured";
  EXPECT_EQ(workers.run(), 1U);
  EXPECT_GE(*size.last(), *first + 100'000U);
}

TEST_F(CacheSizeTest, AMeasurementServesLaterReadings) {
  write("a");
  const auto bytes = size.measure();
  EXPECT_EQ(size.last(), bytes);
  EXPECT_EQ(workers.run(), 0U);
}

TEST_F(CacheSizeTest, AFileWithSeveralNamesCountsOnce) {
  write("a");
  const auto alone = size.measure();
  fs::create_hard_link(root / "a", root / "b");
  EXPECT_EQ(size.measure(), alone);
}

}  // namespace
}  // namespace quarry::engine
