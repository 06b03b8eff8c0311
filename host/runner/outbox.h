#pragma once

#include "base/error.h"
#include "runner/frame.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::runner {

/// When a frame is sent.
enum class Urgency {
  kNow,
  /// Within the delay, or with other frames: for many small ones. At once after a pause.
  kSoon,
  /// With the next frame, which the same thread sends soon.
  kWithNext,
};

/// Sends frames over a socket from several threads, in one order. Frames that are ready together
/// are sent together. [any thread], may block
class Outbox {
 public:
  /// Longest time that a frame waits for others.
  static constexpr std::chrono::microseconds kDelay{500};
  /// Frames of so many bytes do not wait for others.
  static constexpr std::size_t kBatch = 64u << 10;

  /// `socket` must outlive this. `patience`: longest wait for a peer that does not read.
  Outbox(int socket, std::chrono::milliseconds patience, std::chrono::microseconds delay = kDelay)
      : socket_(socket), patience_(patience), delay_(delay) {}

  /// Sends a frame, unless a thread is sending already, which then sends it too. Fails for ever
  /// once the peer has closed the connection or not read within the patience; the error is a
  /// predicate ("did not read for 2 s"). Frames that wait need a thread in run().
  template <class Fill>
  Status send(Kind kind, std::uint32_t call, Fill fill, Urgency urgency = Urgency::kNow) {
    std::unique_lock lock(mutex_);
    if (auto space = wait_for_space(lock); !space) return space;
    last_ = pending_.size();
    append_frame(pending_, kind, call, fill);
    return schedule(lock, urgency);
  }
  /// Sends a delta of a stream of text: the bytes join the last frame if that is of the same stream
  /// and was not sent yet. Returns the bytes that this adds to the connection.
  Result<std::size_t> send_text(Kind kind, std::uint32_t call, std::string_view text,
                                Urgency urgency);
  /// Sends the frames that wait until the connection has failed or stop() is called.
  void run();
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  /// Largest frame of joined text, in bytes.
  static constexpr std::size_t kMostJoined = 16u << 10;
  /// Bytes that may wait to be sent.
  static constexpr std::size_t kMaxPending = 8u << 20;

  [[nodiscard]] bool may_join(Kind kind, std::uint32_t call, std::size_t size) const;
  void join(std::string_view text);
  Status wait_for_space(std::unique_lock<std::mutex>& lock) {
    return failure_ || pending_.size() >= kMaxPending ? wait_for_peer(lock) : Status();
  }
  Status wait_for_peer(std::unique_lock<std::mutex>& lock);
  Status schedule(std::unique_lock<std::mutex>& lock, Urgency urgency) {
    const bool waits = urgency != Urgency::kNow && pending_.size() < kBatch;
    if (waits && (waiting_ || busy_ || urgency == Urgency::kWithNext)) return {};
    return waits ? send_later(lock) : flush(lock);
  }
  Status send_later(std::unique_lock<std::mutex>& lock);
  void wait_for_others();
  Status flush(std::unique_lock<std::mutex>& lock);
  void send_pending(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Status outcome() const;

  const int socket_;
  const std::chrono::milliseconds patience_;
  const std::chrono::microseconds delay_;
  std::mutex mutex_;
  std::condition_variable wake_;     // of run()
  std::condition_variable drained_;  // fewer bytes are pending, or the connection has failed
  std::string pending_;
  std::size_t last_ = 0;  // place of the last frame in it
  std::string sending_;
  Clock::time_point last_sent_{};
  std::optional<Error> failure_;
  bool busy_ = false;     // a thread sends
  bool urgent_ = false;   // it must send what is pending too
  bool waiting_ = false;  // what is pending is sent by run() when the delay has passed
  bool idle_ = false;     // run() waits for frames
  bool stopped_ = false;
};

}  // namespace quarry::runner
