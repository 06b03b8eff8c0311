#include "runner/outbox.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string_view>

#include <sys/socket.h>

namespace quarry::runner {
namespace {

/// Longest wait before the patience is checked.
constexpr std::chrono::milliseconds kStep{20};

std::string unread(std::chrono::milliseconds patience) {
  return "did not read what it was sent for " + std::to_string(patience.count()) + " ms";
}

/// False once the peer has read nothing for the limit.
bool wait_until_writable(int socket, FairLimit limit) {
  pollfd writable{.fd = socket, .events = POLLOUT, .revents = 0};
  while (::poll(&writable, 1, static_cast<int>(kStep.count())) == 0) {
    if (limit.has_passed(FairLimit::Steady::now())) return false;
  }
  return true;
}

/// Returns why it failed; empty = it has not.
std::string send_all(int socket, std::string_view bytes, const FairLimit& patience) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return std::string(Outbox::kClosed);
    if (!wait_until_writable(socket, patience)) return unread(patience.limit());
  }
  return {};
}

}  // namespace

std::string Outbox::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Outbox::fail(std::string cause) {
  failure_ = std::move(cause);
  wake_.notify_one();
  drained_.notify_all();
}

bool Outbox::wait_for_peer(std::unique_lock<std::mutex>& lock) {
  FairLimit patience(2 * patience_, {.interval = kStep, .times = times_});
  const auto is_over = [&] { return !failure_.empty() || pending_.size() < kMaxPending; };
  while (!drained_.wait_for(lock, kStep, is_over)) {
    if (patience.has_passed(Clock::now())) fail(unread(patience.limit()));
  }
  return failure_.empty();
}

std::size_t Outbox::begin_text(Kind kind, std::uint32_t call, std::string_view text) {
  close_text();
  text_ = {kind, call, pending_.size(), true};
  append_frame(pending_, kind, call, [&](PacketWriter& packet) { packet.text(text); });
  return pending_.size() - text_.place;
}

/// The frame: length u32, kind u8, call u32, length of the text u32, text.
void Outbox::write_lengths() {
  text_.open = false;
  for (const std::size_t place : {text_.place, text_.place + kFrameOverhead}) {
    const auto length = static_cast<std::uint32_t>(pending_.size() - place - 4);
    std::memcpy(pending_.data() + place, &length, sizeof length);
  }
}

/// After a pause nothing is gained by waiting.
bool Outbox::send_later(std::unique_lock<std::mutex>& lock) {
  if (Clock::now() >= last_sent_ + delay_) return flush(lock);
  wait_for_others();
  return true;
}

void Outbox::wait_for_others() {
  waiting_ = true;
  if (idle_) wake_.notify_one();
}

bool Outbox::flush(std::unique_lock<std::mutex>& lock) {
  urgent_ = true;
  if (busy_) return true;
  busy_ = true;
  while ((urgent_ || pending_.size() >= kBatch) && failure_.empty()) send_pending(lock);
  busy_ = false;
  drained_.notify_all();
  if (!pending_.empty() && failure_.empty()) wait_for_others();
  return failure_.empty();
}

void Outbox::send_pending(std::unique_lock<std::mutex>& lock) {
  urgent_ = false;
  waiting_ = false;
  close_text();
  pending_.swap(sending_);
  lock.unlock();
  auto failed =
      send_all(socket_, sending_, FairLimit(patience_, {.interval = kStep, .times = times_}));
  const auto now = Clock::now();
  lock.lock();
  last_sent_ = now;
  if (sending_.capacity() > kMostKept) sending_ = {};
  sending_.clear();
  if (!failed.empty()) return fail(std::move(failed));
  drained_.notify_all();
}

Outbox::Offered Outbox::offer() {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) return Offered::kFailed;
  if (busy_) {
    urgent_ = true;
    return Offered::kSent;
  }
  close_text();
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pending_.erase(0, pending_.size() - rest.size());
      return Offered::kWaits;
    } else if (errno != EINTR) {
      fail(std::string(kClosed));
      return Offered::kFailed;
    }
  }
  pending_.clear();
  last_sent_ = Clock::now();
  if (pending_.capacity() > kMostKept) pending_ = {};
  return Offered::kSent;
}

bool Outbox::send_waiting() {
  std::unique_lock lock(mutex_);
  return failure_.empty() && flush(lock);
}

bool Outbox::drain() {
  std::unique_lock lock(mutex_);
  flush(lock);
  drained_.wait(lock, [this] { return !failure_.empty() || (!busy_ && pending_.empty()); });
  return failure_.empty();
}

void Outbox::run() {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return !failure_.empty() || stopped_; };
  while (!over()) {
    if (!waiting_) {
      idle_ = true;
      wake_.wait(lock, [&] { return over() || waiting_; });
      idle_ = false;
    } else if (const auto due = last_sent_ + delay_; Clock::now() < due) {
      wake_.wait_until(lock, due, over);
    } else {
      flush(lock);
    }
  }
}

void Outbox::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  wake_.notify_one();
}

}  // namespace quarry::runner
