#include "runner/call_threads.h"

#include "services/thread_setup.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <sys/eventfd.h>
#include <sys/socket.h>

namespace quarry::runner {
namespace {

/// Threads that are kept: one for a call, and one that waits meanwhile.
constexpr std::size_t kKept = 2;

}  // namespace

Result<std::unique_ptr<CallThreads>> CallThreads::make(int socket, std::size_t most,
                                                       std::chrono::milliseconds idle) {
  auto poll = ReadyPoll::make();
  if (!poll) return std::move(poll.error());
  Fd always_ready(::eventfd(1, EFD_CLOEXEC));
  if (!always_ready) return system_error("cannot create an event descriptor", errno);
  return std::unique_ptr<CallThreads>(
      new CallThreads(socket, std::move(*poll), std::move(always_ready), most, idle));
}

CallThreads::CallThreads(int socket, ReadyPoll poll, Fd always_ready, std::size_t most,
                         std::chrono::milliseconds idle)
    : socket_(socket),
      poll_(std::move(poll)),
      wake_(std::move(always_ready)),
      most_(most),
      idle_(idle) {
  poll_.add(socket_);
  poll_.add(wake_.get());
}

CallThreads::~CallThreads() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  poll_.arm(wake_.get());
  left_.wait(lock, [this] { return threads_ == 0; });
}

void CallThreads::start(Take take, bool nicer) {
  const std::lock_guard lock(mutex_);
  take_ = std::move(take);
  nicer_ = nicer;
  while (threads_ < kKept && start_thread()) continue;
  poll_.arm(socket_);
}

void CallThreads::submit(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
}

std::size_t CallThreads::threads() const {
  const std::lock_guard lock(mutex_);
  return threads_;
}

std::size_t CallThreads::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

/// Requires the mutex. The thread counts as waiting at once. False if there are enough, or the
/// system cannot create one.
bool CallThreads::start_thread() {
  if (threads_ > most_) return false;
  try {
    std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {
    return false;
  }
  ++threads_;
  ++waiting_;
  return true;
}

void CallThreads::serve() {
  if (nicer_) {
    services::become_worker("plugin");
  } else {
    services::name_this_thread("plugin");
  }
  std::unique_lock lock(mutex_);
  while (wait(lock)) {
    while (auto call = next_call()) {
      lock.unlock();
      call();
      call = nullptr;  // destroys its captures outside the lock
      lock.lock();
    }
    ++waiting_;
  }
}

/// Waits for frames or calls, and reads the former. False if the thread is not needed any more.
/// Requires the mutex.
bool CallThreads::wait(std::unique_lock<std::mutex>& lock) {
  for (;;) {
    const bool kept = waiting_ <= kKept;
    lock.unlock();
    const int ready = poll_.wait(kept ? std::chrono::milliseconds(-1) : idle_);
    if (ready == ReadyPoll::kBroken) ::_exit(1);
    lock.lock();
    const bool needless = ready == ReadyPoll::kNone && waiting_ > kKept;
    if (stopping_ || needless) return leave();
    if (ready == ReadyPoll::kNone) continue;
    --waiting_;
    if (ready == socket_) read(lock);
    return true;
  }
}

/// Requires the mutex.
bool CallThreads::leave() {
  --waiting_;
  --threads_;
  if (stopping_) poll_.arm(wake_.get());  // the next thread
  left_.notify_all();
  return false;
}

void CallThreads::read(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  if (!receive()) ::_exit(0);
  lock.lock();  // before the next thread reads
  poll_.arm(socket_);
}

/// False at the end of the connection, or if it carries anything but frames.
bool CallThreads::receive() {
  for (;;) {
    const auto space = received_.space();
    const ssize_t count = ::recv(socket_, space.data(), space.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) return false;
    received_.received(static_cast<std::size_t>(count));
    if (!take_(received_)) return false;
    if (static_cast<std::size_t>(count) < space.size()) return true;
  }
}

/// Requires the mutex. Empty if there is none, or no other thread would wait for frames.
std::function<void()> CallThreads::next_call() {
  if (calls_.empty() || (waiting_ == 0 && !start_thread())) return {};
  auto call = std::move(calls_.front());
  calls_.pop_front();
  if (!calls_.empty()) poll_.arm(wake_.get());
  return call;
}

}  // namespace quarry::runner
