#include "runner/child_call.h"

#include <algorithm>
#include <utility>

namespace quarry::runner {

using std::chrono::milliseconds;

namespace {

constinit thread_local std::uint32_t logged_call = 0;

/// The functions of an exchange only translate what they are given.
bool returns_at_once(Function function) {
  return function >= Function::kBegin && function <= Function::kDestroyExchange;
}

}  // namespace

LoggedCall::LoggedCall(std::uint32_t number) : outer_(std::exchange(logged_call, number)) {}

LoggedCall::~LoggedCall() {
  logged_call = outer_;
}

std::uint32_t LoggedCall::number() {
  return logged_call;
}

ChildCall::ChildCall(Outbox& outbox, std::uint32_t number, Function function, std::int64_t left)
    : HeldCallTable({.deadline = std::chrono::steady_clock::now() + milliseconds(left),
                     .state = [this] { return told_state(); },
                     .progress = [this](std::string_view json) { report_progress(json); }}),
      outbox_(outbox),
      number_(number),
      urgency_(returns_at_once(function) ? Urgency::kWithNext : Urgency::kSoon) {}

const ChildCall* ChildCall::root_of(const quarry_call* call) {
  const CallTable* const table = find(call);
  return table == nullptr ? nullptr : dynamic_cast<const ChildCall*>(&table->root());
}

Code ChildCall::told_state() const {
  const std::lock_guard lock(mutex_);
  return static_cast<Code>(over_);
}

quarry_status ChildCall::stream_text(Kind kind, std::string_view text) {
  const auto status = window_.wait([this] { return state(); });
  if (status != QUARRY_OK) return status;
  const auto charge = [this](std::size_t bytes) { window_.charge(bytes); };
  return outbox_.send_text(kind, number_, text, urgency_, charge) ? QUARRY_OK : QUARRY_CANCELLED;
}

/// Drops the text rather than wait for the host.
void ChildCall::report_progress(std::string_view json) {
  if (!window_.open()) return;
  stream(Kind::kProgress, json.size() + 4, [&](PacketWriter& packet) { packet.text(json); });
}

ChildCall::Told ChildCall::ask(Kind kind, std::string_view text) {
  const std::lock_guard one(asking_);
  const bool sent = outbox_.send(kind, number_, [&](PacketWriter& packet) { packet.text(text); });
  if (!sent) return {QUARRY_CANCELLED, ""};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return told_.has_value(); });
  return *std::exchange(told_, std::nullopt);
}

void ChildCall::cancel(quarry_status status) {
  const std::lock_guard lock(mutex_);
  over_ = status;
  changed_.notify_all();
}

void ChildCall::answer(Told told) {
  const std::lock_guard lock(mutex_);
  told_ = std::move(told);
  changed_.notify_all();
}

}  // namespace quarry::runner
