#include "plugins/current_call.h"

#include "services/line_stream.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace quarry::plugins {
namespace {

constinit thread_local const CurrentCall* current = nullptr;

constinit std::mutex unlimited_mutex;
std::vector<const CurrentCall*> unlimited_calls;  // at most a few threads

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
struct sigaction previous_actions[kSignals.size()];

/// One line on the stack, as a signal handler may not allocate.
class Line {
 public:
  Line& add(std::string_view text) {
    const std::size_t size = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), size);
    size_ += size;
    return *this;
  }
  /// Lost if nobody reads standard error: the program must still end.
  void write() const {
    static_cast<void>(services::LineStream(STDERR_FILENO).write({text_, size_}));
  }

 private:
  char text_[512];
  std::size_t size_ = 0;
};

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    default:
      return "SIGABRT";
  }
}

void report(std::string_view what) {
  Line()
      .add("quarry: plugin ")
      .add(current->plugin())
      .add(" ended the host in ")
      .add(current->function())
      .add(", by ")
      .add(what)
      .add(": isolate it, update it or disable it\n")
      .write();
}

void on_crash(int signal, siginfo_t* info, void*) {
  if (current != nullptr) report(name_of(signal));
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) ::sigaction(signal, &previous_actions[i], nullptr);
  }
  // A fault happens again when this returns; another signal must be sent again.
  if (info->si_code <= 0) ::raise(signal);
}

void on_exit() {
  if (current != nullptr) report("exit");
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &previous_actions[i]);
  }
  static_cast<void>(std::atexit(on_exit));
}

}  // namespace

CurrentCall::CurrentCall(std::string_view plugin, std::string_view function, bool limited)
    : plugin_(plugin),
      function_(function),
      outer_(current),
      limited_(limited),
      begun_(limited ? std::chrono::steady_clock::time_point() : std::chrono::steady_clock::now()) {
  current = this;
  if (limited_) return;
  const std::lock_guard lock(unlimited_mutex);
  unlimited_calls.push_back(this);
}

CurrentCall::~CurrentCall() {
  current = outer_;
  if (limited_) return;
  const std::lock_guard lock(unlimited_mutex);
  unlimited_calls.erase(std::ranges::find(unlimited_calls, this));
}

std::vector<CurrentCall::Unlimited> CurrentCall::unlimited() {
  const std::lock_guard lock(unlimited_mutex);
  std::vector<Unlimited> out;
  for (const CurrentCall* each : unlimited_calls) {
    out.push_back({std::string(each->plugin_), std::string(each->function_), each->begun_});
  }
  return out;
}

const CurrentCall* CurrentCall::get() {
  return current;
}

void report_crashes() {
  static std::once_flag once;
  std::call_once(once, install);
}

CrashStack::CrashStack() : stack_(std::make_unique_for_overwrite<char[]>(kBytes)) {
  stack_t stack{};
  stack.ss_sp = stack_.get();
  stack.ss_size = kBytes;
  ::sigaltstack(&stack, nullptr);
}

CrashStack::~CrashStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

}  // namespace quarry::plugins
