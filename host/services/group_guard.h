#pragma once

#include "base/error.h"

#include <atomic>
#include <utility>

#include <sys/types.h>

namespace quarry::services {

/// A process group that is killed when this process ends, in whatever way: a parent-death signal
/// reaches only a program itself, not its descendants. One guard, a fork of this process, does that
/// for all groups. To be destroyed before the leader is reaped, since its number may be another's
/// afterwards.
class GuardedGroup {
 public:
  GuardedGroup() = default;
  /// Fails if the guard cannot be started or guards 1,024 groups. [any thread]
  static Result<GuardedGroup> led_by(pid_t leader);
  GuardedGroup(GuardedGroup&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  GuardedGroup& operator=(GuardedGroup&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~GuardedGroup() {
    if (entry_ != nullptr) *entry_ = 0;
  }

 private:
  explicit GuardedGroup(std::atomic<pid_t>& entry) : entry_(&entry) {}

  std::atomic<pid_t>* entry_ = nullptr;
};

/// Starts the guard before the first group does. It keeps the pages that this process has when it
/// starts, each of which is copied when it changes, so a process that will grow starts it early.
/// Its failure is told by the first group. [any thread]
void start_group_guard();

}  // namespace quarry::services
