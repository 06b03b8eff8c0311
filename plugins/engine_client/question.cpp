#include "question.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine_client {
namespace {

// Large enough for efficient writes, small enough for thousands of slow readers.
constexpr std::size_t kBytesAtOnce = 16 * 1024;

std::string id_of(std::string_view value) {
  const auto object = nlohmann::json::parse(value, nullptr, false);
  if (!object.is_object() || !object.contains("id") || !object["id"].is_string()) return {};
  return object["id"].get<std::string>();
}

}  // namespace

Question::~Question() {
  leave();
}

void Question::ask(std::string_view params) {
  call_ = calls_.call("question.ask", params, [self = shared_from_this()](Outcome outcome) {
    self->post([self, outcome = std::move(outcome)] { self->asked(outcome); });
  });
}

void Question::asked(const Outcome& outcome) {
  call_ = 0;
  const std::string id = outcome ? id_of(*outcome) : std::string();
  if (abandoned_) {
    // No reader was opened, so no closed reader stops the question.
    if (id.empty()) return;
    calls_.call("question.stop", "{\"id\":" + json_string(id) + "}", [](const Outcome&) {});
    return;
  }
  if (!outcome) return failed(outcome.error());
  follow(id, 0);
}

void Question::follow(const std::string& id, std::uint64_t after) {
  const quarry_engine& engine = calls_.engine();
  reader_ = engine.open_reader(&engine, as_text(id), after, &Question::wake, this);
  if (reader_ == nullptr) {
    return failed({QUARRY_NOT_FOUND,
                   "NotFound",
                   "there is no question " + id,
                   "Its events are kept for a limited time; ask again.",
                   {}});
  }
  accepted(id);
  pump();
}

void Question::abandon() {
  abandoned_ = true;
  if (call_ != 0) calls_.cancel(call_);
  leave();
}

void Question::wake(void* context) {
  auto* const question = static_cast<Question*>(context);
  // Without an owner its destructor is running, which waits for this call to close the reader.
  auto self = question->weak_from_this().lock();
  if (!self || question->scheduled_.exchange(true)) return;
  // The job has the only reference of this call: once it has closed the reader, nothing waits for
  // the end of this call any more.
  question->dispatch([self = std::move(self)] { self->read_on(); });
}

void Question::read_on() {
  scheduled_ = false;
  pump();
}

void Question::pump() {
  if (reader_ == nullptr || is_full()) return;
  const quarry_read found = calls_.engine().read(
      reader_, kBytesAtOnce,
      [](void* self, const quarry_event* event) { static_cast<Question*>(self)->visit(*event); },
      this);
  caught_up(found == QUARRY_READ_END);
  if (found == QUARRY_READ_END) return leave();
  // Posted, so that other connections of this loop run first.
  if (found == QUARRY_READ_MORE && !scheduled_.exchange(true)) {
    post([self = shared_from_this()] { self->read_on(); });
  }
}

void Question::leave() {
  if (quarry_reader* const reader = std::exchange(reader_, nullptr)) {
    calls_.engine().close_reader(reader);
  }
}

}  // namespace quarry::engine_client
