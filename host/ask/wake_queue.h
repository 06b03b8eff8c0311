#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <boost/container/small_vector.hpp>

namespace boost::asio {
class io_context;
}

namespace quarry::ask {

/// A reader that an event wakes. Thread-safe.
class Waiter {
 public:
  explicit Waiter(std::function<void()> wake) : wake_(std::move(wake)) {}
  void call();
  /// Prevents further calls; waits for one that is running on another thread.
  void silence();

 private:
  std::recursive_mutex mutex_;  // the woken reader may call silence()
  const std::function<void()> wake_;
  bool silent_ = false;
};

/// Nearly all questions have one reader.
using Waiters = boost::container::small_vector<std::shared_ptr<Waiter>, 1>;

/// Defers wake-ups to the end of the current I/O loop iteration. One iteration handles data of many
/// streams, so a thread that reads many of them is woken once for all.
class WakeQueue {
 public:
  /// `io`, run by one thread, must outlive every defer(); waiters left when it ends are not called.
  explicit WakeQueue(boost::asio::io_context& io) : io_(io) {}
  WakeQueue(const WakeQueue&) = delete;
  WakeQueue& operator=(const WakeQueue&) = delete;

  /// Takes all of `waiters`. On the I/O thread they are called at the end of the loop iteration, in
  /// their order; on another thread they are returned, to be called at once. [any]
  [[nodiscard]] Waiters defer(Waiters& waiters);

 private:
  void flush();

  boost::asio::io_context& io_;
  std::vector<std::shared_ptr<Waiter>> waiters_;  ///< to be called on the I/O thread
  std::vector<std::shared_ptr<Waiter>> called_;   ///< used by flush; kept to reuse its memory
};

}  // namespace quarry::ask
