#include "runner/outbox.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string_view>

#include <sys/socket.h>

namespace quarry::runner {
namespace {

/// Memory kept between sends.
constexpr std::size_t kMaxKept = 1u << 20;

Error unread(std::chrono::milliseconds patience) {
  return {Code::kUnavailable,
          "did not read what it was sent for " + std::to_string(patience.count()) + " ms"};
}

Status send_all(int socket, std::string_view bytes, std::chrono::milliseconds patience) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Error(Code::kUnavailable, "closed its connection");
    pollfd writable{.fd = socket, .events = POLLOUT, .revents = 0};
    const int ready = ::poll(&writable, 1, static_cast<int>(patience.count()));
    if (ready == 0) return unread(patience);
  }
  return {};
}

}  // namespace

Status Outbox::outcome() const {
  return failure_ ? Status(*failure_) : Status();
}

Status Outbox::wait_for_peer(std::unique_lock<std::mutex>& lock) {
  const bool ready = drained_.wait_for(lock, 2 * patience_,
                                       [&] { return failure_ || pending_.size() < kMaxPending; });
  return ready ? outcome() : unread(2 * patience_);
}

/// The frame: length u32, kind u8, call u32, length of the text u32, text.
bool Outbox::may_join(Kind kind, std::uint32_t call, std::size_t size) const {
  const auto last = std::string_view(pending_).substr(last_);
  if (last.size() < kFrameOverhead + 4 || last.size() + size > kMostJoined) return false;
  PacketReader head(last.substr(4));
  return head.get<std::uint8_t>() == static_cast<std::uint8_t>(kind) &&
         head.get<std::uint32_t>() == call;
}

void Outbox::join(std::string_view text) {
  for (const std::size_t place : {last_, last_ + kFrameOverhead}) {
    std::uint32_t length = 0;
    std::memcpy(&length, pending_.data() + place, sizeof length);
    length += static_cast<std::uint32_t>(text.size());
    std::memcpy(pending_.data() + place, &length, sizeof length);
  }
  pending_ += text;
}

Result<std::size_t> Outbox::send_text(Kind kind, std::uint32_t call, std::string_view text,
                                      Urgency urgency) {
  std::unique_lock lock(mutex_);
  if (auto space = wait_for_space(lock); !space) return std::move(space.error());
  std::size_t added = text.size();
  if (may_join(kind, call, text.size())) {
    join(text);
  } else {
    added += kFrameOverhead + 4;
    last_ = pending_.size();
    append_frame(pending_, kind, call, [&](PacketWriter& packet) { packet.text(text); });
  }
  if (auto sent = schedule(lock, urgency); !sent) return std::move(sent.error());
  return added;
}

/// After a pause nothing is gained by waiting.
Status Outbox::send_later(std::unique_lock<std::mutex>& lock) {
  if (Clock::now() >= last_sent_ + delay_) return flush(lock);
  wait_for_others();
  return {};
}

void Outbox::wait_for_others() {
  waiting_ = true;
  if (idle_) wake_.notify_one();
}

Status Outbox::flush(std::unique_lock<std::mutex>& lock) {
  urgent_ = true;
  if (busy_) return {};
  busy_ = true;
  while ((urgent_ || pending_.size() >= kBatch) && !failure_) send_pending(lock);
  busy_ = false;
  if (!pending_.empty() && !failure_) wait_for_others();
  return outcome();
}

void Outbox::send_pending(std::unique_lock<std::mutex>& lock) {
  urgent_ = false;
  waiting_ = false;
  pending_.swap(sending_);
  last_ = 0;
  lock.unlock();
  Status sent = send_all(socket_, sending_, patience_);
  const auto now = Clock::now();
  lock.lock();
  last_sent_ = now;
  if (sending_.capacity() > kMaxKept) sending_ = {};
  sending_.clear();
  if (!sent) {
    failure_ = std::move(sent.error());
    wake_.notify_one();
  }
  drained_.notify_all();
}

void Outbox::run() {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return failure_ || stopped_; };
  while (!over()) {
    if (!waiting_) {
      idle_ = true;
      wake_.wait(lock, [&] { return over() || waiting_; });
      idle_ = false;
    } else if (const auto due = last_sent_ + delay_; Clock::now() < due) {
      wake_.wait_until(lock, due, over);
    } else {
      static_cast<void>(flush(lock));
    }
  }
}

void Outbox::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  wake_.notify_one();
}

}  // namespace quarry::runner
