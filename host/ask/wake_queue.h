#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace quarry::ask {

/// Whom an event wakes. Thread-safe.
class Waiter {
 public:
  explicit Waiter(std::function<void()> wake) : wake_(std::move(wake)) {}
  void call();
  /// No call any more: waits for one that is under way on another thread.
  void silence();

 private:
  std::recursive_mutex mutex_;  // whom it wakes may leave at once
  const std::function<void()> wake_;
  bool silent_ = false;
};

/// Puts wake-ups off to the end of a turn of the I/O thread. A turn takes what came on many
/// streams, so a thread that reads many of them is woken once for all.
class WakeQueue {
 public:
  /// `io`, run by one thread, must outlive every put_off; what waits when it ends is not called.
  explicit WakeQueue(boost::asio::io_context& io) : io_(io) {}
  WakeQueue(const WakeQueue&) = delete;
  WakeQueue& operator=(const WakeQueue&) = delete;

  /// Takes all of `waiters`. Those of the I/O thread are called at the end of its turn, in their
  /// order; those of another thread are answered, to be called at once. [any thread]
  [[nodiscard]] std::vector<std::shared_ptr<Waiter>> put_off(
      std::vector<std::shared_ptr<Waiter>>& waiters);

 private:
  void flush();

  boost::asio::io_context& io_;
  std::vector<std::shared_ptr<Waiter>> waiters_;  ///< of the I/O thread
  std::vector<std::shared_ptr<Waiter>> called_;   ///< while flush runs; kept for its memory
};

}  // namespace quarry::ask
