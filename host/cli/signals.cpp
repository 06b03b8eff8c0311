#include "cli/signals.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <unistd.h>
#include <vector>

#include <sys/eventfd.h>
#include <sys/signalfd.h>

namespace quarry::cli {

Signals::Signals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<int> Signals::poll(std::initializer_list<int> descriptors,
                                 std::optional<std::chrono::milliseconds> limit, bool& readable) {
  const int milliseconds = limit ? static_cast<int>(limit->count()) : -1;
  std::vector<pollfd> polled;
  for (const int one : descriptors) polled.push_back({one, POLLIN, 0});
  polled.push_back({fd_.get(), POLLIN, 0});
  while (::poll(polled.data(), polled.size(), milliseconds) < 0 && errno == EINTR) {
  }
  polled.pop_back();
  readable = std::ranges::any_of(polled, [](const pollfd& one) { return one.revents != 0; });
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) == sizeof info) return static_cast<int>(info.ssi_signo);
  return std::nullopt;
}

std::optional<int> Signals::wait(int wake, std::optional<std::chrono::milliseconds> limit) {
  bool readable = false;
  const auto signal = poll({wake}, limit, readable);
  std::uint64_t count = 0;
  if (!signal && readable) {
    [[maybe_unused]] const auto taken = ::read(wake, &count, sizeof count);
  }
  return signal;
}

std::optional<int> Signals::wait_for_input(std::initializer_list<int> descriptors,
                                           std::optional<std::chrono::milliseconds> limit) {
  bool readable = false;
  return poll(descriptors, limit, readable);
}

Wake::Wake() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Wake::notify() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
}

}  // namespace quarry::cli
