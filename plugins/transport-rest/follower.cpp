#include "follower.h"

namespace quarry::rest {

void Follower::keep_alive() {
  reply_.responder.on_closed([self = shared_from_this()] { self->abandon(); });
}

void Follower::ask(std::string_view body) {
  keep_alive();
  asks_ = true;
  Question::ask(body);
}

void Follower::accepted(const std::string& id) {
  if (asks_ && reply_.observer) reply_.observer->asked(id);
  begun(id);
}

void Follower::follow(const std::string& id, std::uint64_t after) {
  keep_alive();
  Question::follow(id, after);
}

}  // namespace quarry::rest
