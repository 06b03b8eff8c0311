#pragma once

#include "base/file.h"

#include <chrono>
#include <csignal>
#include <initializer_list>
#include <optional>
#include <poll.h>
#include <vector>

namespace quarry::cli {

/// SIGINT, SIGTERM and SIGHUP as readable events. Blocks them for this thread and every thread
/// started later, so it must be constructed before any other thread. SIGPIPE is ignored: a closed
/// pipe is a failed write.
class Signals {
 public:
  Signals();
  /// Gives this thread the signals as they were, for a program that replaces this one.
  void restore() const;
  /// The next signal, or nullopt if `wake` became readable first (its events are consumed) or
  /// `limit` has passed. `wake` may be -1.
  std::optional<int> wait(int wake, std::optional<std::chrono::milliseconds> limit = std::nullopt);
  /// The next signal, or nullopt if one of the descriptors has input or is at its end, or `limit`
  /// has passed. Those that are -1 are left out.
  std::optional<int> wait_for_input(std::initializer_list<int> descriptors,
                                    std::optional<std::chrono::milliseconds> limit = std::nullopt);
  std::optional<int> wait_for_input(int descriptor,
                                    std::optional<std::chrono::milliseconds> limit = std::nullopt) {
    return wait_for_input({descriptor}, limit);
  }

  /// The state of a client's two pipes.
  struct Pipes {
    bool has_input = false;    ///< or is at its end
    bool reader_gone = false;  ///< nobody reads the output any more
  };
  /// The next signal, or nullopt if a member of `pipes` became true. `input` may be -1.
  std::optional<int> wait_for_pipes(int input, int output, Pipes& pipes);

 private:
  /// Waits for a signal, or the events of one of the descriptors.
  std::optional<int> poll(std::vector<pollfd>& descriptors,
                          std::optional<std::chrono::milliseconds> limit);

  sigset_t blocked_before_{};
  Fd fd_;
};

/// A descriptor that becomes readable when notify() is called. Thread-safe.
class Wake {
 public:
  Wake();
  void notify() const;
  /// Makes it unreadable until the next notify().
  void clear() const;
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  Fd fd_;
};

}  // namespace quarry::cli
