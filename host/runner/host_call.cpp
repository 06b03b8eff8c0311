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
/// Of a caller without a deadline.
constexpr std::int64_t kNever = INT64_MAX;

std::int64_t left_of(const Request& request) {
  const auto* call = request.call;
  return call == nullptr ? kNever : call->remaining_ms(call);
}

milliseconds limit_until(std::int64_t left, milliseconds limit) {
  return left == kNever ? limit : std::min<milliseconds>(milliseconds(left), kLongest);
}

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
      fail_(std::move(fail)),
      offer_(std::move(offer)),
      left_(left_of(request)),
      limit_(limit_until(left_, limits.call), limits.fair),
      grace_(request.patient ? limits.grace : limits.fair.interval, limits.fair) {}

void HostCall::send() {
  send(Kind::kCall, [&](PacketWriter& packet) {
    packet.put(static_cast<std::uint8_t>(request_.function)).put(request_.instance);
    packet.put(std::int64_t{longest().count()});
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
  if (told_) {
    if (grace_.has_passed(now)) fail_late();
    return;
  }
  const auto* call = request_.call;
  const bool late = limit_.has_passed(now);
  auto state = call == nullptr ? QUARRY_OK : call->state(call);
  if (state == QUARRY_OK && late) state = QUARRY_DEADLINE_EXCEEDED;
  if (state == QUARRY_OK) return;
  over_ = state;
  told_ = true;
  grace_.begin(now);
  send(Kind::kCancel, [&](PacketWriter& packet) { packet.put(state); });
}

void HostCall::prolong() {
  const auto now = Steady::now();
  if (now + limit_.limit() <= begun_ + kLongestQueue * limit_.limit()) limit_.begin(now);
}

/// Time after which the plugin itself may take the call for over. It is told earlier (kCancel)
/// unless the caller has set the deadline.
milliseconds HostCall::longest() const {
  if (left_ != kNever) return limit_.limit();
  return (offer_ ? kLongestQueue : 1) * limit_.limit() + FairLimit::kMost;
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
    fail_("did not return from " + name + " within " + in_words(grace_.limit()) +
              " of its cancellation",
          true);
  } else {
    fail("did not answer " + name + " within " + in_words(limit_.limit()));
  }
}

}  // namespace quarry::runner
