#include "store_sql/pool.h"

#include <chrono>

namespace quarry::store_sql {
namespace {

// A call is not heard when it ends: whoever waits looks again this often.
constexpr std::chrono::milliseconds kLookAgain{20};

}  // namespace

Outcome<Done> Pool::wait_for_room(const Call& call, std::unique_ptr<Connection>& idle) {
  std::unique_lock lock(mutex_);
  while (idle_.empty() && open_ >= most_) {
    if (call.over()) return call.why();
    room_.wait_for(lock, kLookAgain);
  }
  if (idle_.empty()) {
    ++open_;
  } else {
    idle = std::move(idle_.back());
    idle_.pop_back();
  }
  return Done{};
}

Outcome<Pool::Lease> Pool::take(const Call& call) {
  if (call.over()) return call.why();
  std::unique_ptr<Connection> connection;
  if (auto room = wait_for_room(call, connection); !room) return room.failure();
  if (!connection) {
    auto made = database_.connect(call);
    if (!made) {
      forget_one();
      return made.failure();
    }
    connection = std::move(*made);
  }
  connection->work_for(call);
  return Lease(connection.release(), Return{this});
}

void Pool::close_idle() {
  std::vector<std::unique_ptr<Connection>> closed;
  {
    const std::lock_guard lock(mutex_);
    closed.swap(idle_);
    open_ -= closed.size();
  }
  room_.notify_all();
}

void Pool::put_back(Connection* connection) {
  std::unique_ptr<Connection> owned(connection);
  const auto state = owned->state();
  if (state == Connection::State::kLost || state == Connection::State::kUnknown) {
    owned.reset();
    return forget_one();
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(owned));
  room_.notify_one();
}

void Pool::forget_one() {
  const std::lock_guard lock(mutex_);
  --open_;
  room_.notify_one();
}

}  // namespace quarry::store_sql
