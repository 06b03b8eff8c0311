#include "runner/usage_watch.h"

#include "base/size_text.h"
#include "runner/disk_space.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <utility>

namespace quarry::runner {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

/// Share of the limit that is written before the directories are read again.
constexpr std::uint64_t kDiskParts = 16;

nanoseconds processor_time(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return nanoseconds(0);
  return seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

/// The bytes that the process has written, to whatever: proc(5), /proc/pid/io.
std::uint64_t written_by(pid_t process) {
  std::ifstream lines("/proc/" + std::to_string(process) + "/io");
  std::string name;
  std::uint64_t value = 0;
  std::uint64_t sum = 0;
  while (lines >> name >> value) {
    if (name == "wchar:" || name == "write_bytes:") sum += value;
  }
  return sum;
}

}  // namespace

UsageReadings readings_of(pid_t process, const OwnPlaces& places) {
  clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
  const bool has_clock = ::clock_getcpuclockid(process, &clock) == 0;
  return {.processor = [=] { return has_clock ? processor_time(clock) : nanoseconds(0); },
          .written = [=] { return written_by(process); },
          .disk = [=] { return disk_space_of(process, places); }};
}

UsageWatch::UsageWatch(UsageLimits limits, UsageReadings readings)
    : limits_(limits), readings_(std::move(readings)) {}

std::optional<std::string> UsageWatch::check(std::uint64_t calls, bool running,
                                             Steady::time_point now) {
  const bool used = running || std::exchange(calls_, calls) != calls;
  if (used) {
    idle_.reset();
    next_ = seconds(1);
  } else {
    next_ = std::min<std::chrono::milliseconds>(2 * next_, kLongest);
    if (auto fault = check_processor(now)) return fault;
  }
  return check_disk();
}

std::optional<std::string> UsageWatch::check_processor(Steady::time_point now) {
  const auto present = readings_.processor();
  if (!idle_) {
    idle_ = now;
    processor_ = present;
    return std::nullopt;
  }
  const auto computed = present - processor_;
  if (computed <= limits_.processor + (now - *idle_) / 10) return std::nullopt;
  return "computed for " + std::to_string(std::chrono::duration_cast<seconds>(computed).count()) +
         " s while none of its functions was called";
}

std::optional<std::string> UsageWatch::check_disk() {
  const std::uint64_t present = readings_.written();
  if (present - written_ <= limits_.disk / kDiskParts) return std::nullopt;
  written_ = present;
  const auto bytes = readings_.disk();
  if (!bytes) return "has more in its directories than can be measured";
  if (*bytes <= limits_.disk) return std::nullopt;
  return "has " + size_text(*bytes) + " in its directories, of at most " + size_text(limits_.disk);
}

}  // namespace quarry::runner
