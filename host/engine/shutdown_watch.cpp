#include "engine/shutdown_watch.h"

#include "plugins/current_call.h"

#include <unistd.h>

namespace quarry::engine {

ShutdownWatch::ShutdownWatch(services::Log& log, std::chrono::milliseconds grace)
    : log_(log),
      due_(std::chrono::steady_clock::now() + grace),
      thread_("quarry-end", [this] { run(); }) {}

ShutdownWatch::~ShutdownWatch() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

void ShutdownWatch::run() {
  constexpr std::chrono::seconds kInterval{1};
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, due_, [this] { return over_; });
  while (!over_) {
    end_if_stuck();
    changed_.wait_for(lock, kInterval, [this] { return over_; });
  }
}

/// A shutdown that takes long for another reason goes on.
void ShutdownWatch::end_if_stuck() {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& call : plugins::CurrentCall::unlimited()) {
    if (now - call.begun < kLongest) continue;
    log_.error("host", "plugin " + call.plugin + " does not return from " + call.function +
                           ": the host ends at once");
    ::_exit(kStatus);
  }
}

}  // namespace quarry::engine
