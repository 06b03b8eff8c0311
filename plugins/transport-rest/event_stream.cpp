#include "event_stream.h"

#include "http_server/buffer.h"
#include "http_server/sse.h"

#include <quarry/events.hpp>

namespace quarry::rest {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kKept = 512;  // bytes of a kept buffer; thousands of streams have one

}  // namespace

EventStream::EventStream(engine_client::EngineCalls& calls, Reply reply, const StreamRules& rules,
                         bool extended)
    : Follower(calls, std::move(reply)),
      rules_(rules),
      extended_(extended),
      held_(HeldHead(rules.hold, extended, steady_clock::now())) {}

EventStream::~EventStream() {
  if (open_) reply().traffic.stream_closed();
}

void EventStream::begun(const std::string&) {
  if (held_) open_in_time();  // otherwise once it is known whether an event follows
}

void EventStream::open_in_time() {
  if (open_) return;
  const auto left = held_ ? held_->left(steady_clock::now()) : milliseconds(0);
  if (left == milliseconds(0)) {
    open();
    return flush();
  }
  reply().responder.after(left, [self = std::static_pointer_cast<EventStream>(shared_from_this())] {
    self->open_in_time();
  });
}

void EventStream::visit(const quarry_event& event) {
  const auto type = event_named(as_view(event.type));
  const bool is_progress = type == EventType::kResourceProgress;
  progress_ = is_progress ? as_view(event.json) : std::string_view();
  if (!extended_ && (!type || description_of(*type).is_extended)) {
    if (is_progress) http_server::append_comment(batch_, as_view(event.json));
    return;
  }
  if (held_ && !open_) held_->on_event(type, steady_clock::now());
  if (type == EventType::kError) failure_ = as_view(event.json);
  http_server::append_event(batch_, as_view(event.type), as_view(event.json), event.number);
}

void EventStream::caught_up(bool ended) {
  if (!open_ && held_ && !failure_.empty()) {
    return reply().send(error_response_of_event(failure_));
  }
  if (!open_ && ended && batch_.empty()) {
    return reply().send(http_server::Response::no_content());
  }
  if (ended) open();
  open_in_time();
  flush();
  if (ended) reply().responder.end_stream();
}

void EventStream::open() {
  if (open_) return;
  open_ = true;
  http_server::Response head;
  head.content_type = "text/event-stream";
  head.headers = "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n";
  reply().start_stream(std::move(head));
  reply().traffic.stream_opened();
  reply().responder.on_drained(
      [self = std::static_pointer_cast<EventStream>(shared_from_this())] { self->pump(); });
  std::string start;
  http_server::append_retry(start, rules_.retry_ms);
  batch_.insert(0, start);
  last_write_ = steady_clock::now();
  heartbeat();
}

void EventStream::flush() {
  if (!open_ || batch_.empty()) return;
  reply().responder.write(batch_);
  last_write_ = steady_clock::now();
  http_server::empty(batch_, kKept);
}

bool EventStream::is_full() const {
  return open_ && reply().responder.unsent() > 0;
}

void EventStream::heartbeat() {
  const auto silence = std::chrono::duration_cast<milliseconds>(steady_clock::now() - last_write_);
  milliseconds next = rules_.heartbeat - silence;
  if (next <= milliseconds(0)) {
    const std::string_view comment = progress_.empty() ? "still here" : std::string_view(progress_);
    if (!is_full()) http_server::append_comment(batch_, comment);
    flush();
    next = rules_.heartbeat;
  }
  reply().responder.after(next, [self = std::static_pointer_cast<EventStream>(shared_from_this())] {
    self->heartbeat();
  });
}

}  // namespace quarry::rest
