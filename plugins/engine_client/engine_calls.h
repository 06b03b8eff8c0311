#pragma once

#include "failure.h"

#include <quarry/transport.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::engine_client {

/// Limit of the wait for pending calls when a transport stops: the engine answers cancelled calls,
/// and a faulty engine must not delay the stop for longer. The rest of kStopTime is for its own
/// work.
inline constexpr std::chrono::milliseconds kRepliesGrace = kStopTime - std::chrono::seconds(1);

using Outcome = std::expected<std::string, Failure>;

/// Calls the engine's methods and counts the pending ones: the engine may hold a reply until it has
/// used it, so everything that a reply needs must outlive it.
class EngineCalls {
 public:
  explicit EngineCalls(const quarry_engine& engine) : engine_(engine) {}

  using Done = std::function<void(Outcome)>;
  /// `done` is called once, on any thread, perhaps before this returns. The value is the engine's
  /// JSON, unchanged. Returns a handle for cancel. [any]
  std::uint64_t call(std::string_view method, std::string_view params, Done done);
  /// Waits for the outcome; deadline_exceeded after `limit`, when it is ignored. [control]
  Outcome call_and_wait(std::string_view method, std::string_view params,
                        std::chrono::milliseconds limit = kRepliesGrace);
  void cancel(std::uint64_t handle) const { engine_.cancel(&engine_, handle); }

  /// Waits until every `done` has returned; false if that takes longer than `limit`.
  [[nodiscard]] bool wait_until_idle(std::chrono::milliseconds limit);

  [[nodiscard]] const quarry_engine& engine() const { return engine_; }

 private:
  struct Pending;
  void finished();

  const quarry_engine& engine_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t pending_ = 0;  // under mutex_
};

}  // namespace quarry::engine_client
