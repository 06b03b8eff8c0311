#pragma once

#include <chrono>
#include <string_view>

namespace quarry::services {

/// True once `fd` can be written to, or would report its failure at once; false after `most`.
[[nodiscard]] bool wait_until_writable(int fd, std::chrono::milliseconds most) noexcept;

/// Lines for a pipe, terminal, socket or file. A reader that does not read makes lines get lost
/// instead of stopping the writer. It neither locks nor allocates, so that a signal handler may use
/// one of its own. [any thread, one at a time]
class LineStream {
 public:
  /// Does not own `fd`. `patience`: how long a line waits for a reader that was not late before.
  explicit LineStream(int fd, std::chrono::milliseconds patience = std::chrono::milliseconds(100))
      : fd_(fd), patience_(patience) {}

  /// `line`: with its newline. False if it was not taken in time or in whole. The line after one
  /// that was taken in part begins with a newline.
  bool write(std::string_view line) noexcept;

 private:
  bool write_pieces(std::string_view text) noexcept;

  const int fd_;
  const std::chrono::milliseconds patience_;
  bool late_ = false;   ///< the last line was not taken: the next one does not wait
  bool begun_ = false;  ///< a line was taken in part
};

}  // namespace quarry::services
