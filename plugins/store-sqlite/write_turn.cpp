#include "store-sqlite/write_turn.h"

#include <chrono>

namespace quarry::store_sqlite {
namespace {

// A call is not heard when it ends: whoever waits looks again this often.
constexpr std::chrono::milliseconds kLookAgain{20};

}  // namespace

bool WriteTurn::take(const Call& call) {
  std::unique_lock lock(mutex_);
  while (taken_) {
    if (call.over()) return false;
    free_.wait_for(lock, kLookAgain);
  }
  taken_ = true;
  return true;
}

void WriteTurn::give_up() {
  {
    const std::lock_guard lock(mutex_);
    taken_ = false;
  }
  free_.notify_one();
}

}  // namespace quarry::store_sqlite
