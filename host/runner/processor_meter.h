#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace quarry::runner {

/// Time of all threads of a process, summed.
struct ProcessorTimes {
  std::chrono::nanoseconds ran{0};     ///< on a processor
  std::chrono::nanoseconds waited{0};  ///< ready to run, while others had the processors
  friend bool operator==(const ProcessorTimes&, const ProcessorTimes&) = default;
};

/// Reads the processor times of a runner from /proc/<pid>/task/<tid>/schedstat, whose first two
/// fields are nanoseconds (Documentation/scheduler/sched-stats.rst of Linux). A wait counts once it
/// has ended. A system that does not keep these times reports zeros, or has no such file: then they
/// stay zero. Belongs to the connection. [any thread]
class ProcessorMeter {
 public:
  using Steady = std::chrono::steady_clock;
  /// Age of a reading that is returned again: one of ten threads takes 100 microseconds.
  static constexpr std::chrono::milliseconds kFresh{10};

  explicit ProcessorMeter(std::chrono::milliseconds fresh = kFresh) : fresh_(fresh) {}
  /// From now on reads the threads in `tasks`, /proc/<pid>/task. Before, all times are zero.
  void watch(std::filesystem::path tasks);
  /// The times since watch() and before; they never shrink, also when threads end.
  ProcessorTimes read();

 private:
  const std::chrono::milliseconds fresh_;
  std::mutex mutex_;
  std::filesystem::path tasks_;
  std::optional<Steady::time_point> read_at_;
  std::map<std::string, ProcessorTimes> threads_;  ///< that exist, by their ids
  ProcessorTimes total_;
};

}  // namespace quarry::runner
