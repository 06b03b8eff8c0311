#pragma once

#include <quarry/host.hpp>

#include <condition_variable>
#include <mutex>

namespace quarry::store_sqlite {

/// One writer at a time within this process: they wait here, where the next one is woken at once,
/// and not in SQLite, which only looks again now and then. Any thread.
class WriteTurn {
 public:
  /// False when the call was over before it was its turn.
  bool take(const Call& call);
  void give_up();

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

}  // namespace quarry::store_sqlite
