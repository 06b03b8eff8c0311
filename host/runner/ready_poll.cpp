#include "runner/ready_poll.h"

#include <cerrno>

#include <sys/epoll.h>

namespace quarry::runner {
namespace {

void control(int poll, int operation, int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events | EPOLLONESHOT;
  event.data.fd = descriptor;
  ::epoll_ctl(poll, operation, descriptor, &event);
}

}  // namespace

Result<ReadyPoll> ReadyPoll::make() {
  Fd poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll) return system_error("cannot create a poll of descriptors (epoll)", errno);
  return ReadyPoll(std::move(poll));
}

void ReadyPoll::add(int descriptor) {
  control(poll_.get(), EPOLL_CTL_ADD, descriptor, 0);
}

void ReadyPoll::arm(int descriptor) {
  control(poll_.get(), EPOLL_CTL_MOD, descriptor, EPOLLIN);
}

void ReadyPoll::disarm(int descriptor) {
  control(poll_.get(), EPOLL_CTL_MOD, descriptor, 0);
}

int ReadyPoll::wait(std::chrono::milliseconds patience) const {
  epoll_event ready{};
  int count = 0;
  do count = ::epoll_wait(poll_.get(), &ready, 1, static_cast<int>(patience.count()));
  while (count < 0 && errno == EINTR);
  if (count < 0) return kBroken;
  return count > 0 ? ready.data.fd : kNone;
}

}  // namespace quarry::runner
