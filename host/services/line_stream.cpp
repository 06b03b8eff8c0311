#include "services/line_stream.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace quarry::services {

bool wait_until_writable(int fd, std::chrono::milliseconds most) noexcept {
  pollfd wanted{fd, POLLOUT, 0};
  int ready = 0;
  do {
    ready = ::poll(&wanted, 1, static_cast<int>(most.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool LineStream::write(std::string_view line) noexcept {
  const bool taken = (!begun_ || write_pieces("\n")) && write_pieces(line);
  late_ = !taken;
  return taken;
}

/// A pipe that is writable takes PIPE_BUF bytes without waiting (pipe(7)).
bool LineStream::write_pieces(std::string_view text) noexcept {
  while (!text.empty()) {
    if (!wait_until_writable(fd_, late_ ? std::chrono::milliseconds(0) : patience_)) return false;
    const auto written = ::write(fd_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    begun_ = !text.empty();
    late_ = false;
  }
  return true;
}

}  // namespace quarry::services
