#include "cli/signals.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <unistd.h>

#include <sys/eventfd.h>
#include <sys/signalfd.h>

namespace quarry::cli {
namespace {

void take_events(int wake) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = ::read(wake, &count, sizeof count);
}

}  // namespace

Signals::Signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // of a limit of file sizes, which a write reports
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, &blocked_before_);
  fd_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void Signals::restore() const {
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &blocked_before_, nullptr);
}

std::optional<int> Signals::poll(std::vector<pollfd>& descriptors,
                                 std::optional<std::chrono::milliseconds> limit) {
  const int milliseconds = limit ? static_cast<int>(limit->count()) : -1;
  descriptors.push_back({fd_.get(), POLLIN, 0});
  while (::poll(descriptors.data(), descriptors.size(), milliseconds) < 0 && errno == EINTR) {
  }
  descriptors.pop_back();
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) == sizeof info) return static_cast<int>(info.ssi_signo);
  return std::nullopt;
}

std::optional<int> Signals::wait(int wake, std::optional<std::chrono::milliseconds> limit) {
  std::vector<pollfd> polled{{wake, POLLIN, 0}};
  const auto signal = poll(polled, limit);
  if (!signal && polled.front().revents != 0) take_events(wake);
  return signal;
}

std::optional<int> Signals::wait_for_input(std::initializer_list<int> descriptors,
                                           std::optional<std::chrono::milliseconds> limit) {
  std::vector<pollfd> polled;
  for (const int one : descriptors) polled.push_back({one, POLLIN, 0});
  return poll(polled, limit);
}

std::optional<int> Signals::wait_for_pipes(int input, int output, Pipes& pipes) {
  // Without events of its own, poll reports only that the other end is gone.
  std::vector<pollfd> polled{{input, POLLIN, 0}, {output, 0, 0}};
  const auto signal = poll(polled, std::nullopt);
  pipes = {polled[0].revents != 0, polled[1].revents != 0};
  return signal;
}

Wake::Wake() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Wake::notify() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
}

void Wake::clear() const {
  take_events(fd_.get());
}

}  // namespace quarry::cli
