#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Notes, while it lives, that the calling thread runs a function of a plugin, for the line that a
/// crash leaves. On the stack, innermost last.
class CurrentCall {
 public:
  /// A call whose thread waits for it without a limit, since the contract says that it returns.
  struct Unlimited {
    std::string plugin;
    std::string function;
    std::chrono::steady_clock::time_point begun;
  };

  /// Both texts must outlive it. `limited`: false if nothing ends the wait for the function.
  CurrentCall(std::string_view plugin, std::string_view function, bool limited = true);
  ~CurrentCall();
  CurrentCall(const CurrentCall&) = delete;
  CurrentCall& operator=(const CurrentCall&) = delete;

  [[nodiscard]] std::string_view plugin() const { return plugin_; }
  [[nodiscard]] std::string_view function() const { return function_; }
  /// That of the calling thread; null if it runs no function of a plugin. Async-signal-safe.
  [[nodiscard]] static const CurrentCall* get();
  /// Those of all threads that are not limited. [any thread]
  [[nodiscard]] static std::vector<Unlimited> unlimited();

 private:
  const std::string_view plugin_;
  const std::string_view function_;
  const CurrentCall* const outer_;
  const bool limited_;
  const std::chrono::steady_clock::time_point begun_;
};

/// From now on, a signal that ends the process (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) or an
/// exit within a function of a plugin writes one line with the plugin and the function to
/// standard error first. What the signal did before it does afterwards. Idempotent. [any thread]
void report_crashes();

/// Gives the calling thread a stack for the report of a stack overflow, until destruction.
class CrashStack {
 public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 64u << 10;
  std::unique_ptr<char[]> stack_;
};

}  // namespace quarry::plugins
