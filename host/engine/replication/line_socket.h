#pragma once

#include "base/error.h"
#include "base/file.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace quarry::engine {

/// Lines of text over a connected stream socket, in both directions. All functions on the thread of
/// the I/O context, which also calls the handler.
class LineSocket {
 public:
  struct Handler {
    std::function<void(std::string_view line)> line;  ///< without its end; may close()
    std::function<void()> written;                    ///< nothing waits to be written any more
    std::function<void()> closed;                     ///< by the other side, or a failure
  };
  /// Uses a duplicate of the descriptor.
  static Result<std::shared_ptr<LineSocket>> make(boost::asio::io_context& io, const Fd& socket);
  virtual ~LineSocket() = default;

  /// Once, before write().
  virtual void start(Handler handler) = 0;
  /// Sends `lines` after what waits to be written. Text after close() is dropped.
  virtual void write(std::string_view lines) = 0;
  /// Bytes that wait to be written.
  [[nodiscard]] virtual std::size_t unwritten() const = 0;
  /// The handler is not called any more.
  virtual void close() = 0;
};

}  // namespace quarry::engine
