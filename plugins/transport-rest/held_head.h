#pragma once

#include <quarry/events.hpp>

#include <chrono>
#include <optional>

namespace quarry::rest {

/// Time for which the head of a stream is delayed: a failure in that time is an HTTP error with its
/// status, which every client shows, while many ignore an `error` event.
struct HoldTimes {
  /// Since the request, while resources are prepared. Clients of the interface wait at least 10 s
  /// for a head, proxies 30 s and more; so the first byte is sent within the longest silence of a
  /// stream (StreamRules::heartbeat).
  std::chrono::milliseconds preparing{9000};
  /// Since the metadata, while the model has sent nothing. And since the request, for readers of
  /// the progress: they can show something, and handle `error` events. Servers that delay a refusal
  /// take a second.
  std::chrono::milliseconds grace{3000};
};

/// Decides when the head of one stream is sent. Has no clock: the caller passes `now`.
class HeldHead {
 public:
  using Time = std::chrono::steady_clock::time_point;

  HeldHead(const HoldTimes& times, bool shows_progress, Time now)
      : grace_(times.grace), until_(now + (shows_progress ? times.grace : times.preparing)) {}

  /// Handles an event of this type, if it is known.
  void on_event(std::optional<EventType> type, Time now);
  /// Remaining time to wait for a failure; 0 = send the head.
  [[nodiscard]] std::chrono::milliseconds left(Time now) const;

 private:
  std::chrono::milliseconds grace_;
  Time until_;
};

}  // namespace quarry::rest
