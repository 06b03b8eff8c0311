#pragma once

#include "base/error.h"
#include "base/file.h"

#include <chrono>

namespace quarry::runner {

/// Descriptors that threads wait for. An armed descriptor that is readable, or whose peer is gone,
/// wakes one of the waiting threads, the last that began to wait, and is disarmed. [any thread]
class ReadyPoll {
 public:
  static Result<ReadyPoll> make();

  /// Adds a descriptor, which must stay open as long as this, and is not armed.
  void add(int descriptor);
  void arm(int descriptor);
  void disarm(int descriptor);
  static constexpr int kNone = -1;
  static constexpr int kBroken = -2;
  /// The descriptor that has become ready; kNone after `patience`, which may be negative: for ever.
  /// kBroken if the plugin has closed the descriptor of the poll itself.
  [[nodiscard]] int wait(std::chrono::milliseconds patience = std::chrono::milliseconds(-1)) const;

 private:
  explicit ReadyPoll(Fd poll) : poll_(std::move(poll)) {}
  Fd poll_;
};

}  // namespace quarry::runner
