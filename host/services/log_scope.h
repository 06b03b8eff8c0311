#pragma once

#include "base/executor.h"
#include "services/trace_context.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace quarry::services {

/// What a line of the log is about, by ids.
struct LogSubject {
  std::string question = {};  ///< empty = none
  std::string request = {};   ///< as the client or its transport named it; empty = none
  TraceContext trace = {};    ///< ids of zeros = none
};

/// While it lives, lines that the calling thread logs are about `subject`; null = about no question
/// or request. On the stack; the innermost counts. A coroutine must not hold one while it is
/// suspended. Work that continues on another thread takes current() along.
class LogScope {
 public:
  explicit LogScope(std::shared_ptr<const LogSubject> subject);
  /// The same for a subject that outlives the scope, without counting a use of it.
  explicit LogScope(std::reference_wrapper<const std::shared_ptr<const LogSubject>> subject);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  /// The subject of the calling thread; null if it has none.
  [[nodiscard]] static std::shared_ptr<const LogSubject> current();

 private:
  const std::shared_ptr<const LogSubject> own_;
  const std::shared_ptr<const LogSubject>& subject_;
  const LogScope* const outer_;
};

/// `job`, whose lines are about what the calling thread works for now. [any thread]
[[nodiscard]] std::function<void()> with_current_subject(std::function<void()> job);

/// Another executor, whose jobs log about what their submitter works for. Thread-safe.
class LogScopeExecutor final : public Executor {
 public:
  /// `executor` must outlive it.
  explicit LogScopeExecutor(Executor& executor) : executor_(executor) {}

  void submit(std::function<void()> job) override {
    executor_.submit(with_current_subject(std::move(job)));
  }
  [[nodiscard]] std::size_t concurrency() const override { return executor_.concurrency(); }
  void block(const std::function<void()>& wait) override { executor_.block(wait); }

 private:
  Executor& executor_;
};

}  // namespace quarry::services
