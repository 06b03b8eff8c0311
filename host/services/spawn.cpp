#include "services/spawn.h"

#include "base/child.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

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
  int input, output, error_output;
  pid_t parent;
  ProcessLimits limits;
};

/// Failures are ignored: a limit can only be lowered, so on failure a lower one is already in
/// force.
void limit(decltype(RLIMIT_DATA) what, std::uint64_t bytes) {
  const rlimit both{bytes, bytes};
  if (bytes != 0) ::setrlimit(what, &both);
}

/// Runs in the child, on the memory of this process and while its thread waits: only
/// async-signal-safe calls are allowed, since other threads go on. Returns if one of them failed.
void become(const Plan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.error_output, 2) < 0)
    return;
  ::syscall(SYS_close_range, 3u, ~0u, 0u);
  limit(RLIMIT_FSIZE, plan.limits.file);
  limit(RLIMIT_DATA, plan.limits.memory);
  if (::chdir(plan.directory) == 0) ::execve(plan.program, plan.arguments, plan.environment);
}

/// Starts a child without a copy of the page tables, which would make each thread copy the pages
/// that it changes. posix_spawn() sets no limits and no signal for the end of a parent.
Result<pid_t> start(const Plan& plan) {
  // A handler of the host must not run in the child before it is replaced.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  const pid_t pid = ::vfork();  // NOLINT(bugprone-unsafe-functions)
  if (pid == 0) {
    become(plan);
    failure = errno;
    ::_exit(127);
  }
  if (pid < 0) failure = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure == 0) return pid;
  if (pid > 0) wait_for_child(pid);
  return system_error(std::string("cannot start ") + plan.program + " in " + plan.directory,
                      failure);
}

}  // namespace

Result<Child> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, const std::string& directory,
                    const ProcessLimits& limits) {
  auto input = make_pipe(), output = make_pipe(), error_output = make_pipe();
  for (auto* pipe : {&input, &output, &error_output})
    if (!*pipe) return pipe->error();
  const auto argv = pointers(arguments, &program);
  const auto envp = pointers(environment, nullptr);
  const auto pid =
      start({program.c_str(), argv.data(), envp.data(), directory.c_str(), input->read.get(),
             output->write.get(), error_output->write.get(), ::getpid(), limits});
  if (!pid) return pid.error();
  const auto give_up = [&](const Error& error) {
    ::kill(-*pid, SIGKILL);
    wait_for_child(*pid);
    return error;
  };
  Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
  if (!ended) return give_up(system_error("cannot watch " + program + " (pidfd_open)", errno));
  auto group = GuardedGroup::led_by(*pid);  // last, since it must not outlive the child
  if (!group) return give_up(group.error());
  Child child{*pid,
              std::move(*group),
              std::move(ended),
              std::move(input->write),
              std::move(output->read),
              std::move(error_output->read)};
  for (const Fd* fd : {&child.input, &child.output, &child.error_output})
    ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  return child;
}

}  // namespace quarry::services
