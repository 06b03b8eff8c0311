#include "follower.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

// Enough for one write to be worth it; little enough for thousands of slow readers.
constexpr std::size_t kBytesAtOnce = 16 * 1024;

std::string id_of(std::string_view value) {
  const auto object = nlohmann::json::parse(value, nullptr, false);
  if (!object.is_object() || !object.contains("id") || !object["id"].is_string()) return {};
  return object["id"].get<std::string>();
}

}  // namespace

Follower::~Follower() {
  leave();
}

void Follower::keep_alive() {
  reply_.responder.on_closed([self = shared_from_this()] {
    self->gone_ = true;
    if (self->call_ != 0) self->calls_.cancel(self->call_);
    self->leave();
  });
}

void Follower::ask(std::string_view body) {
  keep_alive();
  call_ = calls_.call("question.ask", body, [self = shared_from_this()](Outcome outcome) {
    self->reply_.responder.post([self, outcome = std::move(outcome)] { self->asked(outcome); });
  });
}

void Follower::asked(const Outcome& outcome) {
  call_ = 0;
  if (!outcome) return reply_.send(error_response(outcome.error()));
  const std::string id = id_of(*outcome);
  if (gone_) {
    // Nobody ever read it, so no reader's leaving can stop it.
    calls_.call("question.stop", "{\"id\":" + json_string(id) + "}", [](const Outcome&) {});
    return;
  }
  open(id, 0);
}

void Follower::follow(const std::string& id, std::uint64_t after) {
  keep_alive();
  open(id, after);
}

void Follower::open(const std::string& id, std::uint64_t after) {
  const quarry_engine& engine = calls_.engine();
  reader_ = engine.open_reader(&engine, text(id), after, &Follower::wake, this);
  if (reader_ == nullptr) {
    return reply_.send(error_response(404, "NotFound", "there is no question " + id,
                                      "Its events are kept for a while only; ask again."));
  }
  accepted(id);
  pump();
}

void Follower::wake(void* self) {
  static_cast<Follower*>(self)->schedule();
}

void Follower::schedule() {
  if (scheduled_.exchange(true)) return;
  reply_.responder.post([self = shared_from_this()] {
    self->scheduled_ = false;
    self->pump();
  });
}

void Follower::pump() {
  if (reader_ == nullptr || is_full()) return;
  const quarry_read found = calls_.engine().read(
      reader_, kBytesAtOnce,
      [](void* self, const quarry_event* event) { static_cast<Follower*>(self)->visit(*event); },
      this);
  caught_up(found == QUARRY_READ_END);
  if (found == QUARRY_READ_END) return leave();
  if (found == QUARRY_READ_MORE) schedule();  // others on this loop first
}

void Follower::leave() {
  if (quarry_reader* const reader = std::exchange(reader_, nullptr)) {
    calls_.engine().close_reader(reader);
  }
}

}  // namespace quarry::rest
