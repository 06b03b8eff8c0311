#include "runner/child_call.h"

#include <algorithm>

namespace quarry::runner {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

/// Longest text of progress that the host accepts.
constexpr std::size_t kMaxProgress = 4096;

const ChildCall& call_of(const quarry_call* self) {
  return *static_cast<const ChildCall*>(self->context);
}

quarry_status state_of(const quarry_call* self) {
  return call_of(self).state();
}

}  // namespace

ChildCall::ChildCall(Outbox& outbox, std::uint32_t number, std::int64_t left)
    : outbox_(outbox),
      number_(number),
      deadline_(Steady::now() + milliseconds(left)),
      table_{.struct_size = sizeof(quarry_call),
             .context = this,
             .state = state_of,
             .remaining_ms =
                 [](const quarry_call* self) {
                   const auto left_now = call_of(self).deadline_ - Steady::now();
                   return std::max<std::int64_t>(
                       0, std::chrono::duration_cast<milliseconds>(left_now).count());
                 },
             .progress =
                 [](const quarry_call* self, quarry_text json) {
                   static_cast<ChildCall*>(self->context)->report_progress(as_view(json));
                 }} {}

const ChildCall* ChildCall::of(const quarry_call* table) {
  return table != nullptr && table->state == state_of ? &call_of(table) : nullptr;
}

quarry_status ChildCall::state() const {
  const std::lock_guard lock(mutex_);
  if (over_ != QUARRY_OK) return over_;
  return Steady::now() >= deadline_ ? QUARRY_DEADLINE_EXCEEDED : QUARRY_OK;
}

quarry_status ChildCall::stream_text(Kind kind, std::string_view text) {
  const auto status = window_.wait([this] { return state(); });
  if (status != QUARRY_OK) return status;
  const auto sent = outbox_.post_text(kind, number_, text);
  if (!sent) return QUARRY_CANCELLED;
  window_.charge(*sent);
  return QUARRY_OK;
}

/// Drops the text rather than wait for the host.
void ChildCall::report_progress(std::string_view json) {
  if (json.size() > kMaxProgress || !window_.open()) return;
  stream(Kind::kProgress, json.size() + 4, [&](PacketWriter& packet) { packet.text(json); });
}

ChildCall::Told ChildCall::ask(Kind kind, std::string_view text) {
  const std::lock_guard one(asking_);
  const Status sent = outbox_.send(kind, number_, [&](PacketWriter& packet) { packet.text(text); });
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
