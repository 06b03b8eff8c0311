#pragma once

#include <chrono>
#include <string_view>

namespace quarry::rest {

/// How long the head of a stream is held back: a failure in that time is an HTTP error with its
/// status, which every client shows, while many swallow an `error` event.
struct HoldTimes {
  /// Since the request came, while resources are prepared. Clients of the interface wait at least
  /// 10 s for a head, proxies 30 s and more; so the first byte comes no later than the silence
  /// within a stream may last (StreamRules::heartbeat).
  std::chrono::milliseconds preparing{9000};
  /// Since the metadata came, while the model has said nothing. And since the request came, for
  /// readers of the progress: they can be shown something, and know `error` events. Servers that
  /// slow a refusal down take a second.
  std::chrono::milliseconds grace{3000};
};

/// Until when the head of one stream is held back. Knows no clock: `now` is the caller's.
class HeldHead {
 public:
  using Time = std::chrono::steady_clock::time_point;

  HeldHead(const HoldTimes& times, bool shows_progress, Time now)
      : grace_(times.grace), until_(now + (shows_progress ? times.grace : times.preparing)) {}

  /// An event has come: its type.
  void saw(std::string_view type, Time now);
  /// What is left to wait for a failure; 0 = open.
  [[nodiscard]] std::chrono::milliseconds left(Time now) const;

 private:
  std::chrono::milliseconds grace_;
  Time until_;
};

}  // namespace quarry::rest
