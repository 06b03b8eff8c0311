#pragma once

#include <quarry/host.hpp>

#include <condition_variable>
#include <mutex>

namespace quarry::store_sqlite {

/// Lets one writer of this process run at a time: the others wait here, where the next one is woken
/// at once, and not in SQLite, which polls. Any thread.
class WriteTurn {
 public:
  /// Waits for the turn; false if the call is over before.
  bool take(const Call& call);
  void release();

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

}  // namespace quarry::store_sqlite
