#include "cli/signals.h"

#include <csignal>
#include <cstdint>
#include <poll.h>
#include <unistd.h>

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

std::optional<int> Signals::poll(int descriptor, int milliseconds, bool& readable) {
  pollfd descriptors[] = {{fd_.get(), POLLIN, 0}, {descriptor, POLLIN, 0}};
  while (::poll(descriptors, 2, milliseconds) < 0 && errno == EINTR) {
  }
  readable = descriptors[1].revents != 0;
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) == sizeof info) return static_cast<int>(info.ssi_signo);
  return std::nullopt;
}

std::optional<int> Signals::wait(int wake, std::optional<std::chrono::milliseconds> limit) {
  bool readable = false;
  const auto signal = poll(wake, limit ? static_cast<int>(limit->count()) : -1, readable);
  std::uint64_t count = 0;
  if (!signal && readable) {
    [[maybe_unused]] const auto taken = ::read(wake, &count, sizeof count);
  }
  return signal;
}

std::optional<int> Signals::wait_for_input(int descriptor) {
  bool readable = false;
  return poll(descriptor, -1, readable);
}

Wake::Wake() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Wake::notify() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
}

}  // namespace quarry::cli
