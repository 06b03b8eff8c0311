#include "services/group_guard.h"

#include "base/file.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace quarry::services {
namespace {

/// Leaders, in memory that this process and its guard share; 0 = a free entry.
using Groups = std::array<std::atomic<pid_t>, 1024>;
static_assert(std::atomic<pid_t>::is_always_lock_free);

/// Waits for the end of the process that holds the other end of `alive`, then kills the groups.
/// Only async-signal-safe calls are allowed: it is the fork of a process with many threads.
[[noreturn]] void guard(const Groups& groups, int alive) {
  ::setpgid(0, 0);  // what is sent to the group of the host is not for this process
  ::prctl(PR_SET_NAME, "quarry-guard");
  if (::dup2(alive, 0) < 0) ::_exit(127);
  ::syscall(SYS_close_range, 1u, ~0u, 0u);
  char none;
  while (::read(0, &none, 1) < 0 && errno == EINTR) continue;
  for (const auto& group : groups)
    if (const pid_t leader = group; leader != 0) ::kill(-leader, SIGKILL);
  ::_exit(0);
}

class Guard {
 public:
  Status start() {
    const std::lock_guard lock(mutex_);
    return ensure_it_runs();
  }

  Result<std::atomic<pid_t>*> add(pid_t leader) {
    const std::lock_guard lock(mutex_);
    if (auto runs = ensure_it_runs(); !runs) return runs.error();
    for (auto& group : *groups_) {
      if (group != 0) continue;
      group = leader;
      return &group;
    }
    return Error{Code::kResourceExhausted, "too many programs run at once",
                 "try again when some of them have ended"};
  }

 private:
  Status ensure_it_runs() {
    if (host_ == ::getpid()) {
      if (guard_ > 0 && ::waitpid(guard_, nullptr, WNOHANG | __WALL) == 0) return {};
    } else {  // the first time, or in a fork of the host
      void* const memory = ::mmap(nullptr, sizeof(Groups), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) return system_error("cannot allocate memory", errno);
      groups_ = new (memory) Groups{};
      host_ = ::getpid();
    }
    return fork_it();
  }

  Status fork_it() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot create a pipe", errno);
    const Fd read(ends[0]);
    alive_ = Fd(ends[1]);
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // fork() would run handlers, which may wait for a thread, and make a child that wait() sees.
    guard_ = static_cast<pid_t>(::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
    if (guard_ == 0) guard(*groups_, read.get());
    const int number = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (guard_ < 0) return system_error("cannot start a process", number);
    return {};
  }

  std::mutex mutex_;
  Groups* groups_ = nullptr;  ///< never unmapped: a GuardedGroup may live longer
  pid_t host_ = 0;            ///< the process that started the guard
  pid_t guard_ = 0;
  Fd alive_;  ///< closed when this process ends
};

Guard& guard_of_this_process() {
  static Guard& guard = *new Guard;  // never destroyed: other threads may run at exit
  return guard;
}

}  // namespace

Result<GuardedGroup> GuardedGroup::led_by(pid_t leader) {
  const auto entry = guard_of_this_process().add(leader);
  if (!entry) return entry.error();
  return GuardedGroup(**entry);
}

void start_group_guard() {
  [[maybe_unused]] const Status started = guard_of_this_process().start();
}

}  // namespace quarry::services
