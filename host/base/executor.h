#pragma once

#include <cstddef>
#include <functional>

namespace quarry {

/// Runs jobs on a bounded set of threads.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Runs `job` once on some worker thread, in order of submission. Never blocks. After shutdown
  /// the job is dropped. `job` must not throw. [any thread]
  virtual void submit(std::function<void()> job) = 0;
  /// Largest number of jobs that run at once, at least 1. [any thread]
  [[nodiscard]] virtual std::size_t concurrency() const = 0;
  /// Calls `wait`, which blocks, on the calling thread. If that is one of its own, another one may
  /// run jobs meanwhile.
  virtual void block(const std::function<void()>& wait) { wait(); }
};

/// Calls `body(i)` once for every i in [0, count), on the caller and on idle workers of `executor`,
/// and returns when all calls have. The caller takes part, so it may itself be a worker. `body`
/// must not throw and may run on several threads at once.
void parallel_for(Executor& executor, std::size_t count,
                  const std::function<void(std::size_t)>& body);

/// Runs every job immediately on the calling thread: for tests and for tools without a pool.
class InlineExecutor final : public Executor {
 public:
  void submit(std::function<void()> job) override { job(); }
  [[nodiscard]] std::size_t concurrency() const override { return 1; }
};

}  // namespace quarry
