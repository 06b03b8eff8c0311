#include "engine/cache_size.h"

#include "base/disk_usage.h"

#include <mutex>
#include <set>
#include <utility>

namespace quarry::engine {

/// Lives as long as a job that measures.
struct CacheSize::State {
  explicit State(std::filesystem::path directory) : cache(std::move(directory)) {}

  const std::filesystem::path cache;
  std::mutex mutex;
  std::optional<std::uint64_t> bytes;
  Clock::Steady measured;
  bool measuring = false;

  std::uint64_t measure(const Clock& clock) {
    std::set<ino_t> counted;
    std::uint64_t sum = 0;
    for (const DiskFile& file : files_beneath(cache)) {
      if (counted.insert(file.inode).second) sum += file.bytes;
    }
    const std::lock_guard lock(mutex);
    bytes = sum;
    measured = clock.steady_now();
    measuring = false;
    return sum;
  }
};

CacheSize::CacheSize(std::filesystem::path cache, Executor& workers, const Clock& clock)
    : workers_(workers), clock_(clock), state_(std::make_shared<State>(std::move(cache))) {}

std::uint64_t CacheSize::measure() {
  return state_->measure(clock_);
}

std::optional<std::uint64_t> CacheSize::last() {
  std::unique_lock lock(state_->mutex);
  const auto bytes = state_->bytes;
  const bool is_current = bytes && clock_.steady_now() - state_->measured < kAge;
  if (is_current || std::exchange(state_->measuring, true)) return bytes;
  lock.unlock();
  workers_.submit([state = state_, &clock = clock_] { state->measure(clock); });
  return bytes;
}

}  // namespace quarry::engine
