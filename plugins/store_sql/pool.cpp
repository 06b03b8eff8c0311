#include "store_sql/pool.h"

namespace quarry::store_sql {
Outcome<Done> Pool::wait_for_slot(const Call& call, std::unique_ptr<Connection>& idle) {
  std::unique_lock lock(mutex_);
  while (idle_.empty() && open_ >= most_) {
    if (call.over()) return call.why();
    slot_freed_.wait_for(lock, kCallCheckInterval);
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
  if (auto slot = wait_for_slot(call, connection); !slot) return slot.failure();
  if (!connection) {
    auto made = database_.connect(call);
    if (!made) {
      free_slot();
      return made.failure();
    }
    connection = std::move(*made);
  }
  connection->work_for(call);
  return Lease(connection.release(), Release{this});
}

void Pool::close_idle() {
  std::vector<std::unique_ptr<Connection>> closed;
  {
    const std::lock_guard lock(mutex_);
    closed.swap(idle_);
    open_ -= closed.size();
  }
  slot_freed_.notify_all();
}

void Pool::release(Connection* connection) {
  std::unique_ptr<Connection> owned(connection);
  const auto state = owned->state();
  if (state == Connection::State::kLost || state == Connection::State::kUnknown) {
    owned.reset();
    return free_slot();
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(owned));
  slot_freed_.notify_one();
}

void Pool::free_slot() {
  const std::lock_guard lock(mutex_);
  --open_;
  slot_freed_.notify_one();
}

}  // namespace quarry::store_sql
