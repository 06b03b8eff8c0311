#include "store-sqlite/write_turn.h"

#include "store_sql/connection.h"

namespace quarry::store_sqlite {
bool WriteTurn::take(const Call& call) {
  std::unique_lock lock(mutex_);
  while (taken_) {
    if (call.over()) return false;
    free_.wait_for(lock, store_sql::kCallCheckInterval);
  }
  taken_ = true;
  return true;
}

void WriteTurn::release() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  free_.notify_one();
}

}  // namespace quarry::store_sqlite
