#include "runner/processor_meter.h"

#include "base/directory_entries.h"

#include <cstdint>
#include <fstream>
#include <utility>

namespace quarry::runner {
namespace {

using std::chrono::nanoseconds;

/// Zeros if the thread has ended.
ProcessorTimes times_of(const std::filesystem::path& thread) {
  std::ifstream schedstat(thread / "schedstat");
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  schedstat >> ran >> waited;
  return {nanoseconds(ran), nanoseconds(waited)};
}

/// The id of an ended thread may have been given to a new one, whose times began at zero.
nanoseconds growth(nanoseconds before, nanoseconds now) {
  return now < before ? now : now - before;
}

}  // namespace

void ProcessorMeter::watch(std::filesystem::path tasks) {
  const std::lock_guard lock(mutex_);
  tasks_ = std::move(tasks);
}

ProcessorTimes ProcessorMeter::read() {
  const std::lock_guard lock(mutex_);
  const auto now = Steady::now();
  if (tasks_.empty() || (read_at_ && now - *read_at_ < fresh_)) return total_;
  read_at_ = now;
  std::map<std::string, ProcessorTimes> threads;
  for (const auto& thread : entries_of(tasks_)) {
    const auto id = thread.path().filename().string();
    const auto times = times_of(thread.path());
    const auto before = threads_[id];
    total_.ran += growth(before.ran, times.ran);
    total_.waited += growth(before.waited, times.waited);
    threads.emplace(id, times);
  }
  threads_ = std::move(threads);
  return total_;
}

}  // namespace quarry::runner
