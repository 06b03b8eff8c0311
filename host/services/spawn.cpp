#include "services/spawn.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace quarry::services {
namespace {

struct Pipe {
  Fd read;
  Fd write;
};

/// Both ends above the three standard descriptors, so that dup2 in the child never overwrites one.
Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot create a pipe", errno);
  const Fd low_read(ends[0]);
  const Fd low_write(ends[1]);
  Pipe high{Fd(::fcntl(ends[0], F_DUPFD_CLOEXEC, 10)), Fd(::fcntl(ends[1], F_DUPFD_CLOEXEC, 10))};
  if (!high.read || !high.write) return system_error("cannot create a pipe", errno);
  return high;
}

std::vector<char*> pointers(const std::vector<std::string>& texts, const std::string* first) {
  std::vector<char*> out;
  if (first) out.push_back(const_cast<char*>(first->c_str()));
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

struct Plan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* directory;
  int input, output, error_output, failure;
  pid_t parent;
  ProcessLimits limits;
};

/// Failures are ignored: a limit can only be lowered, so on failure a lower one is already in
/// force.
void limit(decltype(RLIMIT_DATA) what, std::uint64_t bytes) {
  const rlimit both{bytes, bytes};
  if (bytes != 0) ::setrlimit(what, &both);
}

[[noreturn]] void fail(int to) {
  const int number = errno;
  [[maybe_unused]] const auto written = ::write(to, &number, sizeof number);
  ::_exit(127);
}

/// Runs in the child, where only async-signal-safe calls are allowed: the host has many threads.
[[noreturn]] void become(const Plan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.error_output, 2) < 0 ||
      ::dup3(plan.failure, 3, O_CLOEXEC) < 0)
    fail(plan.failure);
  ::syscall(SYS_close_range, 4u, ~0u, 0u);
  limit(RLIMIT_FSIZE, plan.limits.file);
  limit(RLIMIT_DATA, plan.limits.memory);
  if (::chdir(plan.directory) != 0) fail(3);
  ::execve(plan.program, plan.arguments, plan.environment);
  fail(3);
}

/// Waits in the group of `leader` for the end of the process that holds the other end of `alive`: a
/// parent-death signal reaches only the program itself, not its descendants. Runs in a child, as
/// above.
[[noreturn]] void guard(pid_t leader, int alive) {
  if (::setpgid(0, leader) != 0 || ::dup2(alive, 0) < 0) ::_exit(127);
  ::syscall(SYS_close_range, 1u, ~0u, 0u);
  char none;
  while (::read(0, &none, 1) < 0 && errno == EINTR) continue;
  ::kill(0, SIGKILL);
  ::_exit(0);
}

template <class Run>
pid_t fork_with_signals_blocked(const Run& run) {
  // A handler of the host must not run in the child before it is replaced.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::_Fork();  // without the handlers of fork(), which may wait for a thread
  if (pid == 0) run();
  const int number = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return pid;
}

/// 0 once the program runs, otherwise the errno of the failed call.
int wait_for_exec(int from) {
  int number = 0;
  while (::read(from, &number, sizeof number) < 0 && errno == EINTR) continue;
  return number;
}

}  // namespace

Result<Child> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, const std::string& directory,
                    const ProcessLimits& limits) {
  auto input = make_pipe(), output = make_pipe(), error_output = make_pipe(), failure = make_pipe(),
       alive = make_pipe();
  for (auto* pipe : {&input, &output, &error_output, &failure, &alive})
    if (!*pipe) return pipe->error();
  const auto argv = pointers(arguments, &program);
  const auto envp = pointers(environment, nullptr);
  const Plan plan{program.c_str(),
                  argv.data(),
                  envp.data(),
                  directory.c_str(),
                  input->read.get(),
                  output->write.get(),
                  error_output->write.get(),
                  failure->write.get(),
                  ::getpid(),
                  limits};
  const pid_t pid = fork_with_signals_blocked([&] { become(plan); });
  if (pid < 0) return system_error("cannot start " + program, errno);
  failure->write = Fd();
  if (const int number = wait_for_exec(failure->read.get()); number != 0) {
    ::waitpid(pid, nullptr, 0);
    return system_error("cannot start " + program + " in " + directory, number);
  }
  Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!ended) {
    const int number = errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return system_error("cannot watch " + program + " (pidfd_open)", number);
  }
  const pid_t guardian = fork_with_signals_blocked([&] { guard(pid, alive->read.get()); });
  if (guardian > 0) ::setpgid(guardian, pid);  // here too: the guard may not have run yet
  Child child{pid,
              std::max(guardian, 0),
              std::move(alive->write),
              std::move(ended),
              std::move(input->write),
              std::move(output->read),
              std::move(error_output->read)};
  for (const Fd* fd : {&child.input, &child.output, &child.error_output})
    ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  return child;
}

}  // namespace quarry::services
