#pragma once

#include "services/log.h"
#include "services/workers.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace quarry::engine {

/// Ends the process, with a line in the log, when a shutdown waits for a function of a plugin that
/// does not return and that nothing else limits: one of an exchange that is called at once.
class ShutdownWatch {
 public:
  /// Time that such a function may take.
  static constexpr std::chrono::seconds kLongest{5};
  /// Exit status of the process then.
  static constexpr int kStatus = 1;

  /// `log` must outlive it.
  ShutdownWatch(services::Log& log, std::chrono::milliseconds grace);
  /// The shutdown is over.
  ~ShutdownWatch();
  ShutdownWatch(const ShutdownWatch&) = delete;
  ShutdownWatch& operator=(const ShutdownWatch&) = delete;

 private:
  void run();
  void end_if_stuck();

  services::Log& log_;
  const std::chrono::steady_clock::time_point due_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  services::NamedLoop thread_;
};

}  // namespace quarry::engine
