#pragma once

#include <chrono>
#include <semaphore>
#include <stop_token>
#include <thread>

namespace quarry {

/// Blocks until `condition()` is true, where nothing signals the change. It looks once a
/// millisecond and leaves the processor to the threads that bring the change about.
template <class Condition>
void wait_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Blocks until `stop` is requested.
inline void wait_until_stopped(const std::stop_token& stop) {
  std::binary_semaphore stopped(0);
  const std::stop_callback heard(stop, [&] { stopped.release(); });
  stopped.acquire();
}

/// True if `attempt(limit)` is true for `first` or for a longer limit, up to a minute. For a test
/// that lets a time limit pass after something else has happened: how long that takes depends on
/// the machine.
template <class Attempt>
bool succeeds_with_some_limit(std::chrono::milliseconds first, Attempt attempt) {
  for (auto limit = first; limit <= std::chrono::minutes(1); limit *= 2) {
    if (attempt(limit)) return true;
  }
  return false;
}

}  // namespace quarry
