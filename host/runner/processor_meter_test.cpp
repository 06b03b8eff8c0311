#include "runner/processor_meter.h"

#include <filesystem>
#include <fstream>
#include <quarry_test.h>
#include <string>

#include <gtest/gtest.h>

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A directory like /proc/<pid>/task.
class ProcessorMeterTest : public ::testing::Test {
 protected:
  void write(const std::string& thread, const std::string& schedstat) {
    fs::create_directories(tasks_ / thread);
    std::ofstream(tasks_ / thread / "schedstat") << schedstat << "\n";
  }

  const fs::path tasks_ = test_directory() / "task";
  ProcessorMeter meter_{0ms};
};

TEST_F(ProcessorMeterTest, SumsTheThreads) {
  write("10", "1000 200 3");
  write("11", "30 4 1");
  EXPECT_EQ(meter_.read(), ProcessorTimes()) << "it watches nothing yet";
  meter_.watch(tasks_);
  EXPECT_EQ(meter_.read(), (ProcessorTimes{1030ns, 204ns}));
  write("10", "1500 300 4");
  EXPECT_EQ(meter_.read(), (ProcessorTimes{1530ns, 304ns}));
}

TEST_F(ProcessorMeterTest, KeepsTheTimesOfThreadsThatEnd) {
  write("10", "1000 200 3");
  write("11", "5000 600 1");
  meter_.watch(tasks_);
  meter_.read();
  fs::remove_all(tasks_ / "11");
  write("12", "7 8 1");
  EXPECT_EQ(meter_.read(), (ProcessorTimes{6007ns, 808ns}));
  write("11", "1 2 1");
  EXPECT_EQ(meter_.read(), (ProcessorTimes{6008ns, 810ns})) << "another thread of that id";
}

TEST_F(ProcessorMeterTest, StaysAtZeroWithoutTheFiles) {
  fs::create_directories(tasks_ / "10");
  meter_.watch(tasks_);
  EXPECT_EQ(meter_.read(), ProcessorTimes());
  fs::remove_all(tasks_);
  EXPECT_EQ(meter_.read(), ProcessorTimes());
}

TEST_F(ProcessorMeterTest, ReturnsAFreshReadingAgain) {
  ProcessorMeter meter(1h);
  write("10", "1000 200 3");
  meter.watch(tasks_);
  EXPECT_EQ(meter.read(), (ProcessorTimes{1000ns, 200ns}));
  write("10", "2000 200 3");
  EXPECT_EQ(meter.read(), (ProcessorTimes{1000ns, 200ns}));
}

TEST_F(ProcessorMeterTest, ReadsThisProcess) {
  if (!fs::exists("/proc/self/task/" + std::to_string(::getpid()) + "/schedstat")) GTEST_SKIP();
  meter_.watch("/proc/self/task");
  const auto before = meter_.read();
  if (before.ran == 0ns) GTEST_SKIP() << "the kernel keeps no processor times";
  auto after = before;
  while (after.ran == before.ran) after = meter_.read();
  EXPECT_GE(after.waited, before.waited);
}

}  // namespace
}  // namespace quarry::runner
