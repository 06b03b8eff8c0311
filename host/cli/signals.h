#pragma once

#include "base/file.h"

#include <chrono>
#include <optional>

namespace quarry::cli {

/// SIGINT, SIGTERM and SIGHUP as readable events. Blocks them for this thread and every thread
/// started later, so it must be made before any thread is. SIGPIPE is ignored: a closed pipe is a
/// failed write.
class Signals {
 public:
  Signals();
  /// The next signal that came, or nullopt when `wake` became readable first (its events are taken)
  /// or `limit` is over. `wake` may be -1.
  std::optional<int> wait(int wake, std::optional<std::chrono::milliseconds> limit = std::nullopt);
  /// The next signal that came, or nullopt when there is something to read from `descriptor`, or
  /// its end.
  std::optional<int> wait_for_input(int descriptor);

 private:
  std::optional<int> poll(int descriptor, int milliseconds, bool& readable);

  Fd fd_;
};

/// A descriptor that becomes readable when notify() is called. Thread-safe.
class Wake {
 public:
  Wake();
  void notify() const;
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  Fd fd_;
};

}  // namespace quarry::cli
