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

/// Sends frames over a socket from several threads. Frames that are ready while a thread sends are
/// sent by it together. [any thread], may block
class Outbox {
 public:
  /// `socket` must outlive this. `patience`: longest wait for a peer that does not read.
  Outbox(int socket, std::chrono::milliseconds patience) : socket_(socket), patience_(patience) {}

  /// Sends a frame, unless a thread is sending already, which then sends it too. Fails for ever
  /// once the peer has closed the connection or not read within the patience; the error is a
  /// predicate ("did not read for 2 s").
  template <class Fill>
  Status send(Kind kind, std::uint32_t call, Fill fill) {
    std::unique_lock lock(mutex_);
    if (auto space = wait_for_space(lock); !space) return space;
    append(kind, call, fill);
    return flush(lock);
  }
  /// Like send, but leaves the sending to run(): for many small frames.
  template <class Fill>
  Status post(Kind kind, std::uint32_t call, Fill fill) {
    std::unique_lock lock(mutex_);
    if (auto space = wait_for_space(lock); !space) return space;
    append(kind, call, fill);
    if (idle_) wake_.notify_all();
    return {};
  }
  /// Posts `text` of a stream of text: the bytes join the last frame if that is of the same stream
  /// and was not sent yet. Returns the bytes that this adds to the connection.
  Result<std::size_t> post_text(Kind kind, std::uint32_t call, std::string_view text);
  /// Sends posted frames until the connection has failed or stop() is called.
  void run();
  void stop();

 private:
  /// Largest frame of joined text, in bytes.
  static constexpr std::size_t kMostJoined = 16u << 10;

  template <class Fill>
  void append(Kind kind, std::uint32_t call, Fill fill) {
    last_ = pending_.size();
    append_frame(pending_, kind, call, fill);
  }
  [[nodiscard]] bool may_join(Kind kind, std::uint32_t call, std::size_t size) const;
  void join(std::string_view text);
  Status wait_for_space(std::unique_lock<std::mutex>& lock);
  Status flush(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Status outcome() const;

  const int socket_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string pending_;
  std::size_t last_ = 0;  // place of the last frame in it
  std::string sending_;
  std::optional<Error> failure_;
  bool busy_ = false;  // a thread sends
  bool idle_ = false;  // run() waits for frames
  bool stopped_ = false;
};

}  // namespace quarry::runner
