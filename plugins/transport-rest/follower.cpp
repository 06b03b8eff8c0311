#include "follower.h"

namespace quarry::rest {

void Follower::keep_alive() {
  reply_.responder.on_closed([self = shared_from_this()] { self->abandon(); });
}

void Follower::ask(std::string_view body) {
  keep_alive();
  Question::ask(body);
}

void Follower::follow(const std::string& id, std::uint64_t after) {
  keep_alive();
  Question::follow(id, after);
}

}  // namespace quarry::rest
