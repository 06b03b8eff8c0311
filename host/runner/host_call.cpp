#include "runner/host_call.h"

#include "runner/frame.h"
#include "runner/function_name.h"

#include <algorithm>
#include <utility>

namespace quarry::runner {
namespace {

using std::chrono::milliseconds;

/// Deadlines beyond it are none.
constexpr std::chrono::hours kLongest{24 * 365};

}  // namespace

std::string in_words(milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s"
                                  : std::to_string(time.count()) + " ms";
}

HostCall::HostCall(const Request& request, std::uint32_t number, Outbox& outbox, Limits limits,
                   Fail fail, std::function<void()> offer)
    : request_(request),
      number_(number),
      outbox_(outbox),
      grace_(limits.grace),
      fail_(std::move(fail)),
      offer_(std::move(offer)),
      limit_(limits.call.count() != 0 ? limits.call : limit_of(request.function)) {
  const auto* call = request.call;
  const std::int64_t left = call == nullptr ? INT64_MAX : call->remaining_ms(call);
  if (left != INT64_MAX) limit_ = std::min<milliseconds>(milliseconds(left), kLongest);
  begun_ = Steady::now();
  deadline_ = begun_ + limit_;
}

void HostCall::send() {
  send(Kind::kCall, [&](PacketWriter& packet) {
    packet.put(static_cast<std::uint8_t>(request_.function)).put(request_.instance);
    packet.put(std::int64_t{limit_.count()});
    if (request_.arguments) request_.arguments(packet);
  });
}

std::optional<Answer> HostCall::take(std::string_view frames) {
  const auto size = frames.size();
  Frame frame;
  while (take_frame(frames, frame) == Taken::kFrame) {
    PacketReader packet(frame.payload);
    if (frame.kind == Kind::kReply) return take_reply(packet);
    take_streamed(frame.kind, packet);
  }
  consumed_ += size;
  give_credit();
  return std::nullopt;
}

void HostCall::check_limits() {
  const auto now = Steady::now();
  if (cancelled_at_) {
    const auto grace = request_.patient ? grace_ : milliseconds(0);
    if (now >= *cancelled_at_ + grace) fail_late();
    return;
  }
  const auto* call = request_.call;
  auto state = call == nullptr ? QUARRY_OK : call->state(call);
  if (state == QUARRY_OK && now >= deadline_) state = QUARRY_DEADLINE_EXCEEDED;
  if (state == QUARRY_OK) return;
  over_ = state;
  cancelled_at_ = now;
  send(Kind::kCancel, [&](PacketWriter& packet) { packet.put(state); });
}

void HostCall::prolong() {
  deadline_ = std::min(Steady::now() + limit_, begun_ + kLongestQueue * limit_);
}

std::optional<Answer> HostCall::take_reply(PacketReader& packet) {
  Answer answer = Answer::read(packet);
  if (packet.complete()) return answer;
  fail("sent a malformed answer");
  return std::nullopt;
}

void HostCall::take_streamed(Kind kind, PacketReader& packet) {
  if (kind == Kind::kProgress) return take_progress(packet);
  std::string answer;
  std::optional<quarry_status> taken;
  if (request_.receiver != nullptr) taken = request_.receiver->take(kind, packet, answer);
  if (!taken || !packet.complete()) return fail(kMalformed);
  const quarry_status status = *taken;
  if (asks(kind)) {
    return send(Kind::kAnswer, [&](PacketWriter& reply) { reply.put(status).text(answer); });
  }
  if (status != QUARRY_OK && ended_ == QUARRY_OK) {
    ended_ = status;
    urgent_ = true;
  }
}

void HostCall::take_progress(PacketReader& packet) {
  const auto json = packet.text();
  const auto* call = request_.call;
  if (call != nullptr && call->progress != nullptr)
    call->progress(call, {json.data(), json.size()});
}

void HostCall::give_credit() {
  if (consumed_ < kWindow / 4 && !urgent_) return;
  urgent_ = false;
  const auto bytes = static_cast<std::uint32_t>(std::exchange(consumed_, 0));
  send(Kind::kCredit, [&](PacketWriter& packet) { packet.put(bytes).put(ended_); });
}

void HostCall::fail_late() {
  std::string name(name_of(request_.function));
  if (over_ == QUARRY_CANCELLED) {
    fail_("did not return from " + name + " within " + in_words(grace_) + " of its cancellation",
          true);
  } else {
    const auto time = std::chrono::round<milliseconds>(deadline_ - begun_);
    fail("did not answer " + name + " within " + in_words(time));
  }
}

}  // namespace quarry::runner
