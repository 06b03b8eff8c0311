#include "cli/standard_input.h"

#include <array>
#include <cerrno>
#include <unistd.h>

namespace quarry::cli {

Result<std::string> read_standard_input(Signals& signals, std::size_t most) {
  std::string text;
  std::array<char, 4096> part{};
  while (text.size() <= most) {
    if (signals.wait_for_input(STDIN_FILENO)) return Error{Code::kCancelled, "interrupted"};
    const ssize_t got = ::read(STDIN_FILENO, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("standard input", errno);
    if (got == 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace quarry::cli
