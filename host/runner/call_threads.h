#pragma once

#include "base/error.h"
#include "base/file.h"
#include "runner/frame.h"
#include "runner/ready_poll.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace quarry::runner {

/// The threads of a runner process. All that have nothing to do wait for the host's frames. The one
/// that is woken reads them and runs the calls among them itself, while at least one other waits. A
/// thread is started when none is left to wait, and ends after an idle time.
class CallThreads {
 public:
  /// Takes the complete frames of the buffer, on the thread that reads; may submit calls. False if
  /// they are malformed.
  using Take = std::function<bool(FrameBuffer&)>;

  /// `socket` must stay open. `most`: calls that run at once; others wait. `idle`: time until a
  /// thread without a call ends, but for two.
  static Result<std::unique_ptr<CallThreads>> make(
      int socket, std::size_t most, std::chrono::milliseconds idle = std::chrono::seconds(10));
  /// Ends the threads when the running calls have returned.
  ~CallThreads();
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  /// Starts the threads. With `nicer` they give way to those of the host. The process exits at the
  /// end of the connection, or if it carries anything but frames: threads of the plugin may still
  /// run then.
  void start(Take take, bool nicer = true);
  /// Runs `call` on one of the threads, in order of their submission. Only while frames are taken.
  void submit(std::function<void()> call);
  /// Current number of threads. [any thread]
  [[nodiscard]] std::size_t threads() const;
  /// Number of those that have nothing to do. [any thread]
  [[nodiscard]] std::size_t waiting() const;

 private:
  CallThreads(int socket, ReadyPoll poll, Fd always_ready, std::size_t most,
              std::chrono::milliseconds idle);
  void serve();
  bool wait(std::unique_lock<std::mutex>& lock);
  bool leave();
  void read(std::unique_lock<std::mutex>& lock);
  bool receive();
  bool start_thread();
  std::function<void()> next_call();

  const int socket_;
  ReadyPoll poll_;
  /// Always readable: to arm it wakes one thread.
  const Fd wake_;
  const std::size_t most_;
  const std::chrono::milliseconds idle_;
  Take take_;
  bool nicer_ = true;
  FrameBuffer received_;  // of the thread that reads
  mutable std::mutex mutex_;
  std::condition_variable left_;  // a thread has ended
  std::deque<std::function<void()>> calls_;
  std::size_t threads_ = 0;
  std::size_t waiting_ = 0;  // for frames, or about to
  bool stopping_ = false;
};

}  // namespace quarry::runner
