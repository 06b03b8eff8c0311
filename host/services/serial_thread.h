#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace quarry::services {

class NamedLoop;

/// Runs jobs one after another on a thread of its own, which the first job starts. Thread-safe.
class SerialThread {
 public:
  /// `name`: of the thread, at most 15 bytes.
  explicit SerialThread(std::string name);
  /// Calls close().
  ~SerialThread();
  SerialThread(const SerialThread&) = delete;
  SerialThread& operator=(const SerialThread&) = delete;

  /// Never blocks; after close() runs `job` on the calling thread.
  void post(std::function<void()> job);
  /// Returns when all jobs have ended, those that they post too. Idempotent. Not from a job.
  void close();

 private:
  void run();

  const std::string name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool started_ = false;
  bool closing_ = false;
  bool closed_ = false;  ///< the thread runs no more jobs
  std::unique_ptr<NamedLoop> thread_;
};

}  // namespace quarry::services
