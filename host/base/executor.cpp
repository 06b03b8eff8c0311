#include "base/executor.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace quarry {
namespace {

struct Loop {
  std::size_t count;
  std::function<void(std::size_t)> body;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::condition_variable all_done;
  std::size_t done = 0;

  void run() {
    std::size_t finished = 0;
    for (std::size_t i; (i = next.fetch_add(1)) < count; ++finished) body(i);
    if (finished == 0) return;
    std::lock_guard lock(mutex);
    done += finished;
    if (done == count) all_done.notify_all();
  }
};

}  // namespace

void parallel_for(Executor& executor, std::size_t count,
                  const std::function<void(std::size_t)>& body) {
  if (count == 0) return;
  const auto loop = std::make_shared<Loop>();
  loop->count = count;
  loop->body = body;
  // A helper that starts after the last index was taken returns without touching borrowed state, so
  // the caller waits for running calls, not for free workers.
  const std::size_t helpers = std::min(executor.concurrency(), count) - 1;
  for (std::size_t i = 0; i < helpers; ++i) executor.submit([loop] { loop->run(); });
  loop->run();
  std::unique_lock lock(loop->mutex);
  loop->all_done.wait(lock, [&] { return loop->done == count; });
}

}  // namespace quarry
