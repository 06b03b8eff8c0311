#include "runner/shared_reader.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>

#include <sys/socket.h>

namespace quarry::runner {
namespace {

using std::chrono::milliseconds;

/// Unlike a blocking recv, poll does not return to wait again when the peer has read something.
bool wait_for_bytes(int socket, std::chrono::milliseconds patience) {
  pollfd readable{.fd = socket, .events = POLLIN, .revents = 0};
  return ::poll(&readable, 1, static_cast<int>(patience.count())) > 0;
}

/// Calls Duties::check when it is due.
class RepeatedCheck {
 public:
  explicit RepeatedCheck(const std::function<milliseconds()>& check) : check_(check) { run(); }
  /// The time until it is due; negative = it never is.
  [[nodiscard]] milliseconds left() const {
    if (!check_) return milliseconds(-1);
    return std::max(std::chrono::ceil<milliseconds>(due_ - Steady::now()), milliseconds(0));
  }
  void run_if_due() {
    if (check_ && Steady::now() >= due_) run();
  }

 private:
  using Steady = std::chrono::steady_clock;
  void run() {
    if (!check_) return;
    const milliseconds pause = check_();
    due_ = Steady::now() + pause;
  }

  const std::function<milliseconds()>& check_;
  Steady::time_point due_;
};

}  // namespace

SharedReader::SharedReader(int socket, ReadyPoll poll, std::chrono::milliseconds patience,
                           Dispatch dispatch)
    : socket_(socket), poll_(std::move(poll)), patience_(patience), dispatch_(std::move(dispatch)) {
  poll_.add(socket_);
}

bool SharedReader::read(const std::function<bool()>& waits) {
  {
    const std::lock_guard lock(mutex_);
    if (reading_ || last_) return false;
    reading_ = true;
    poll_.disarm(socket_);
  }
  if (waits() && wait_for_bytes(socket_, patience_)) receive();
  leave();
  return true;
}

void SharedReader::claim() {
  const std::lock_guard lock(mutex_);
  claimed_ = true;
  if (!reading_ && !last_) poll_.disarm(socket_);
}

void SharedReader::release() {
  const std::lock_guard lock(mutex_);
  claimed_ = false;
  if (!reading_) poll_.arm(socket_);
}

SharedReader::Now SharedReader::read_now() {
  {
    const std::lock_guard lock(mutex_);
    if (last_) return Now::kOver;
    if (reading_) return Now::kBusy;
    reading_ = true;
  }
  receive();
  const bool over = cause_.has_value();
  leave();
  return over ? Now::kOver : Now::kRead;
}

std::string SharedReader::run(int ended, const Duties& duties) {
  poll_.add(ended);
  poll_.arm(ended);
  poll_.arm(socket_);
  if (duties.descriptor >= 0) {
    poll_.add(duties.descriptor);
    poll_.arm(duties.descriptor);
  }
  RepeatedCheck check(duties.check);
  for (;;) {
    const int ready = poll_.wait(check.left());
    check.run_if_due();
    if (ready == ReadyPoll::kNone) continue;
    if (ready >= 0 && ready == duties.descriptor) {
      if (duties.readable()) poll_.arm(duties.descriptor);
      continue;
    }
    const bool last = ready == ended;
    if (!begin(last)) continue;
    // Once in a turn, but the last time: a peer that never pauses delays no check.
    while (receive() && last) continue;
    if (last && !cause_) cause_ = "ended";
    if (cause_) return *cause_;
    leave();
  }
}

/// On the thread in run(). False if another one reads, which arms the socket when it leaves. With
/// `last` no other begins any more.
bool SharedReader::begin(bool last) {
  std::unique_lock lock(mutex_);
  if (last) {
    last_ = true;
    left_.wait(lock, [this] { return !reading_; });
  }
  if (reading_) return false;
  reading_ = true;
  return true;
}

/// False if nothing has come, or nothing more is read.
bool SharedReader::receive() {
  if (cause_) return false;
  const auto space = buffer_.space();
  const ssize_t count = ::recv(socket_, space.data(), space.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count <= 0) {
    cause_ = "closed its connection";
  } else {
    buffer_.received(static_cast<std::size_t>(count));
    cause_ = dispatch_(buffer_);
  }
  return !cause_;
}

void SharedReader::leave() {
  const std::lock_guard lock(mutex_);
  if (cause_) last_ = true;
  reading_ = false;
  if (!claimed_ || last_) poll_.arm(socket_);
  left_.notify_one();
}

}  // namespace quarry::runner
