#include "runner/runner_process.h"

#include "base/child.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace quarry::runner {
namespace {

/// Variables that the child keeps: language and time zone, and the options of sanitizers.
constexpr std::string_view kPassedOn[] = {
    "LANG=", "LC_ALL=", "LC_CTYPE=", "TZ=", "ASAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS="};

std::vector<char*> clean_environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    for (const auto name : kPassedOn) {
      if (std::string_view(*variable).starts_with(name)) kept.push_back(*variable);
    }
  }
  kept.push_back(nullptr);
  return kept;
}

/// Descriptors and signals of the child.
class SpawnSettings {
 public:
  SpawnSettings(int socket, int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, 1);
    posix_spawn_file_actions_adddup2(&files_, output, 2);
    posix_spawn_file_actions_adddup2(&files_, socket, kRunnerSocket);
    posix_spawn_file_actions_addclosefrom_np(&files_, kRunnerSocket + 1);
    posix_spawn_file_actions_addchdir_np(&files_, "/");
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &files_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

bool wait_readable(int descriptor, std::chrono::milliseconds patience) {
  pollfd readable{.fd = descriptor, .events = POLLIN, .revents = 0};
  int ready = 0;
  do ready = ::poll(&readable, 1, static_cast<int>(patience.count()));
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

Result<RunnerProcess> RunnerProcess::start(const std::vector<std::string>& command, Fd socket) {
  auto arguments = command;
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot create a pipe", errno);
  Fd output(ends[0]);
  const Fd written(ends[1]);
  // The child's end blocks.
  if (::fcntl(output.get(), F_SETFL, O_NONBLOCK) != 0) return system_error("a pipe", errno);
  // dup2 of a descriptor onto itself would keep its close-on-exec flag.
  const Fd high(::fcntl(socket.get(), F_DUPFD_CLOEXEC, kRunnerSocket + 1));
  const Fd high_output(::fcntl(written.get(), F_DUPFD_CLOEXEC, kRunnerSocket + 1));
  if (!high || !high_output) return system_error("cannot duplicate a descriptor", errno);
  const SpawnSettings settings(high.get(), high_output.get());
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, argv.front(), settings.files(), settings.attributes(),
                                    argv.data(), clean_environment().data());
  if (failure != 0) return system_error("starting " + command.front(), failure);
  RunnerProcess process(pid, Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
                        std::move(output));
  if (!process.ended_) return system_error("cannot watch a process (pidfd_open)", errno);
  return process;
}

RunnerProcess::~RunnerProcess() {
  if (pid_ != 0) finish(std::chrono::milliseconds(0));
}

RunnerProcess::Ended RunnerProcess::finish(std::chrono::milliseconds patience) {
  const bool ended = ended_ && wait_readable(ended_.get(), patience);
  ::kill(-pid_, SIGKILL);  // not reaped yet, so the group is still its own
  int status = 0;
  rusage used{};
  while (::wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return {ended ? child_end(status) : "", static_cast<std::uint64_t>(used.ru_maxrss) << 10};
}

}  // namespace quarry::runner
