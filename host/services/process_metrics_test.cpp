#include "services/process_metrics.h"

#include "base/testing/waiting.h"

#include <chrono>
#include <fcntl.h>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

std::map<std::string, double> values() {
  std::map<std::string, double> out;
  for (const Reading& reading : process_readings()) out.emplace(reading.name, reading.value);
  return out;
}

TEST(ProcessReadings, AreOfThisProcess) {
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const auto value = values();
  ASSERT_EQ(value.size(), 7U);
  EXPECT_GE(value.at("process_cpu_seconds_total"), 0);
  EXPECT_GE(value.at("process_threads"), 1);
  EXPECT_GT(value.at("process_resident_memory_bytes"), 1 << 20);
  EXPECT_LT(value.at("process_resident_memory_bytes"), value.at("process_virtual_memory_bytes"));
  EXPECT_LE(value.at("process_start_time_seconds"), now + 1);
  EXPECT_GT(value.at("process_start_time_seconds"), now - 3600);
  EXPECT_LT(value.at("process_open_fds"), value.at("process_max_fds"));
}

TEST(ProcessReadings, CountDescriptorsAndThreads) {
  std::thread([] {}).join();  // with the first one, the thread sanitizer starts one of its own
  // The system may count a thread for a moment after it was joined.
  wait_until([] {
    const auto before = values();
    const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_GE(descriptor, 0);
    const std::jthread waiting([](const std::stop_token& stop) { wait_until_stopped(stop); });
    const auto after = values();
    close(descriptor);
    return after.at("process_open_fds") == before.at("process_open_fds") + 1 &&
           after.at("process_threads") == before.at("process_threads") + 1;
  });
}

}  // namespace
}  // namespace quarry::services
