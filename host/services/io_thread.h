#pragma once

#include "base/error.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;
}

namespace quarry::services {

/// The thread that runs an io_context, for modules that do without Asio. Jobs that are left when it
/// ends are not run. [any thread]
class IoThread {
 public:
  /// `io`, run by one thread, must outlive this, and every watch.
  explicit IoThread(boost::asio::io_context& io) : io_(io) {}
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  /// Runs `job` on the thread, after what it does now.
  void post(std::function<void()> job);
  /// The same after `delay`.
  void after(std::chrono::milliseconds delay, std::function<void()> job);

  /// Tells on the thread when a descriptor is readable.
  class Watch {
   public:
    virtual ~Watch() = default;  ///< `ready` may be called once more, if the thread is not this one
  };
  /// When to look at the descriptor again; nothing: never.
  using Again = std::optional<std::chrono::milliseconds>;
  /// Calls `ready` on the thread whenever `descriptor`, of which it keeps a duplicate, is readable
  /// or its peer has closed it.
  [[nodiscard]] Result<std::unique_ptr<Watch>> watch(int descriptor, std::function<Again()> ready);

 private:
  boost::asio::io_context& io_;
};

}  // namespace quarry::services
