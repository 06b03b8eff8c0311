#pragma once

#include "runner/fair_limit.h"
#include "runner/frame.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

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
  /// Cause of a failure.
  static constexpr std::string_view kClosed = "closed its connection";
  /// Frames of so many bytes do not wait for others.
  static constexpr std::size_t kBatch = 64u << 10;

  /// `socket` must outlive this. `patience`: longest wait for a peer that does not read, as a
  /// FairLimit. `times`: of the peer's process; empty if they are unknown.
  Outbox(int socket, std::chrono::milliseconds patience, std::chrono::microseconds delay = kDelay,
         FairLimit::ReadTimes times = {})
      : socket_(socket), patience_(patience), delay_(delay), times_(std::move(times)) {}

  /// Sends a frame, unless a thread is sending already, which then sends it too. False for ever
  /// once the peer has closed the connection or not read within the patience. Frames that wait need
  /// a thread in run().
  template <class Fill>
  [[nodiscard]] bool send(Kind kind, std::uint32_t call, Fill fill,
                          Urgency urgency = Urgency::kNow) {
    std::unique_lock lock(mutex_);
    if (!wait_for_space(lock)) return false;
    close_text();
    append_frame(pending_, kind, call, fill);
    return schedule(lock, urgency);
  }
  /// Adds a frame to those that are pending, for offer(). Never waits. False once sending has
  /// failed.
  template <class Fill>
  [[nodiscard]] bool append(Kind kind, std::uint32_t call, Fill fill) {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return false;
    close_text();
    append_frame(pending_, kind, call, fill);
    return true;
  }
  enum class Offered : std::uint8_t { kSent, kWaits, kFailed };
  /// Sends what is pending, as far as the peer takes it at once. kSent also if another thread is
  /// sending, which then sends it. After kWaits another thread must call send_waiting().
  [[nodiscard]] Offered offer();
  /// Sends what is pending; may block. False once sending has failed.
  bool send_waiting();
  /// Sends a delta of a stream of text: the bytes join the last frame if that is of the same stream
  /// and was not sent yet. `added` gets the bytes that this adds to the connection, before another
  /// frame of any thread.
  template <class Added>
  [[nodiscard]] bool send_text(Kind kind, std::uint32_t call, std::string_view text,
                               Urgency urgency, Added added) {
    std::unique_lock lock(mutex_);
    if (!wait_for_space(lock)) return false;
    added(add_text(kind, call, text));
    return schedule(lock, urgency);
  }
  /// Waits until everything is sent: before the process ends. False if sending has failed.
  bool drain();
  /// Why sending has failed, a predicate: kClosed, or "did not read what it was sent for 2000 ms".
  [[nodiscard]] std::string failure() const;
  /// Sends the frames that wait until the connection has failed or stop() is called.
  void run();
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  /// Largest frame of joined text, in bytes.
  static constexpr std::size_t kMostJoined = 16u << 10;
  /// Bytes that may wait to be sent.
  static constexpr std::size_t kMaxPending = 8u << 20;

  /// The last frame that is pending, while text may join it. Its lengths are those of its first
  /// delta until it is closed.
  struct Text {
    Kind kind = Kind::kLast;
    std::uint32_t call = 0;
    std::size_t place = 0;
    bool open = false;
  };

  std::size_t add_text(Kind kind, std::uint32_t call, std::string_view text) {
    const bool joins = text_.open && text_.call == call && text_.kind == kind &&
                       pending_.size() - text_.place + text.size() <= kMostJoined;
    if (!joins) return begin_text(kind, call, text);
    PacketWriter(pending_).raw(text);
    return text.size();
  }
  std::size_t begin_text(Kind kind, std::uint32_t call, std::string_view text);
  void close_text() {
    if (text_.open) write_lengths();
  }
  void write_lengths();
  bool wait_for_space(std::unique_lock<std::mutex>& lock) {
    return failure_.empty() && (pending_.size() < kMaxPending || wait_for_peer(lock));
  }
  bool wait_for_peer(std::unique_lock<std::mutex>& lock);
  bool schedule(std::unique_lock<std::mutex>& lock, Urgency urgency) {
    const bool waits = urgency != Urgency::kNow && pending_.size() < kBatch;
    if (waits && (waiting_ || busy_ || urgency == Urgency::kWithNext)) return true;
    return waits ? send_later(lock) : flush(lock);
  }
  bool send_later(std::unique_lock<std::mutex>& lock);
  void wait_for_others();
  bool flush(std::unique_lock<std::mutex>& lock);
  void send_pending(std::unique_lock<std::mutex>& lock);
  void fail(std::string cause);

  const int socket_;
  const std::chrono::milliseconds patience_;
  const std::chrono::microseconds delay_;
  const FairLimit::ReadTimes times_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;     // of run()
  std::condition_variable drained_;  // fewer bytes are pending, or the connection has failed
  std::string pending_;
  Text text_;  // in it
  std::string sending_;
  Clock::time_point last_sent_ = Clock::now() - delay_;  // so that the first frame does not wait
  std::string failure_;                                  // empty: none
  bool busy_ = false;                                    // a thread sends
  bool urgent_ = false;                                  // it must send what is pending too
  bool waiting_ = false;  // what is pending is sent by run() when the delay has passed
  bool idle_ = false;     // run() waits for frames
  bool stopped_ = false;
};

}  // namespace quarry::runner
