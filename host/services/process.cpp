#include "services/process.h"

#include "base/child.h"
#include "base/text.h"
#include "services/spawn.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <sys/wait.h>

namespace quarry::services {
namespace {

/// Turns SIGPIPE of a pipe without a reader into an error of write.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    const timespec now{};
    while (::sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) continue;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

/// One output stream: passes received bytes on, within the limit.
struct Stream {
  Fd& from;
  const std::function<Status(std::string_view)>& take;
  std::uint64_t left;

  /// Takes at most one buffer; true when there may be more at once.
  Result<bool> take_some() {
    char buffer[32 << 10];
    ssize_t count;
    do count = ::read(from.get(), buffer, sizeof buffer);
    while (count < 0 && errno == EINTR);
    if (count < 0) return false;
    if (count == 0) from = Fd();
    if (auto status = give({buffer, static_cast<std::size_t>(count)}); !status)
      return status.error();
    return count > 0;
  }

  Status drain() {
    while (from) {
      const auto more = take_some();
      if (!more) return more.error();
      if (!*more) return {};
    }
    return {};
  }

  Status give(std::string_view bytes) {
    if (bytes.size() > left)
      return Error{Code::kResourceExhausted, "the output exceeded its limit"};
    left -= bytes.size();
    return take && !bytes.empty() ? take(bytes) : Status{};
  }
};

class Run {
 public:
  Run(Child child, const ProcessSpec& spec, const Call& call, const ProcessSink& sink,
      std::chrono::milliseconds grace)
      : child_(std::move(child)),
        call_(call),
        grace_(grace),
        input_(spec.input),
        output_{child_.output, sink.output, spec.output_limit},
        error_output_{child_.error_output, sink.error_output, spec.output_limit} {}

  Result<ProcessExit> finish() {
    Status status = pump();
    if (!status) stop();
    ::kill(-child_.pid, SIGKILL);  // the leader is not reaped yet, so the group is still its own
    if (status) status = drain();
    const ProcessExit exit = reap();
    if (!status) return status.error();
    return exit;
  }

 private:
  Status pump() {
    for (;;) {
      if (auto over = call_.check(); !over) return over;
      feed();
      const bool ended = wait(call_.max_wait());
      // One buffer per turn: a program that prints endlessly must not keep the call from ending.
      for (Stream* stream : {&output_, &error_output_}) {
        if (!stream->from) continue;
        if (const auto more = stream->take_some(); !more) return more.error();
      }
      if (ended) return {};
    }
  }

  Status drain() {
    if (auto status = output_.drain(); !status) return status;
    return error_output_.drain();
  }

  void feed() {
    while (child_.input && !input_.empty()) {
      const ssize_t count = ::write(child_.input.get(), input_.data(), input_.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count < 0) input_ = {};  // a program may stop reading its input
      if (count > 0) input_.remove_prefix(static_cast<std::size_t>(count));
    }
    child_.input = Fd();
  }

  /// True once the leader has ended.
  bool wait(std::chrono::milliseconds limit) {
    pollfd fds[] = {{child_.ended.get(), POLLIN, 0},
                    {child_.output ? child_.output.get() : -1, POLLIN, 0},
                    {child_.error_output ? child_.error_output.get() : -1, POLLIN, 0},
                    {child_.input ? child_.input.get() : -1, POLLOUT, 0}};
    ::poll(fds, 4, static_cast<int>(limit.count()));
    return fds[0].revents != 0;
  }

  void stop() {
    ::kill(-child_.pid, SIGTERM);
    pollfd ended{child_.ended.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(grace_.count()));
  }

  ProcessExit reap() {
    child_.group = GuardedGroup();
    const int status = wait_for_child(child_.pid);
    if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
    return {WEXITSTATUS(status), 0};
  }

  Child child_;
  const Call& call_;
  const std::chrono::milliseconds grace_;
  std::string_view input_;
  Stream output_;
  Stream error_output_;
};

bool sets(const std::vector<std::string>& environment, std::string_view prefix) {
  return std::ranges::any_of(environment, [&](const auto& one) { return one.starts_with(prefix); });
}

Status check(const ProcessSpec& spec) {
  const auto nul = [](const std::string& text) { return text.find('\0') != text.npos; };
  if (nul(spec.program) || std::ranges::any_of(spec.arguments, nul) ||
      std::ranges::any_of(spec.environment, nul))
    return Error{Code::kInvalidArgument, "an argument of " + spec.program + " contains NUL"};
  if (!spec.directory.is_absolute())
    return Error{Code::kInvalidArgument,
                 "the directory of a program must be absolute: " + spec.directory.string()};
  return {};
}

}  // namespace

Result<std::string> ProcessRunner::find(const std::string& program) const {
  if (program.starts_with('/')) return program;
  if (!program.empty() && program.find('/') == program.npos)
    for (const std::string_view directory : split(path_, ':')) {
      std::string candidate = std::string(directory) + "/" + program;
      if (candidate[0] == '/' && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
  return Error{Code::kNotFound, "the program '" + program + "' was not found in PATH",
               "install it, or add its directory to PATH"};
}

ProcessRunner ProcessRunner::of_environment() {
  const auto variable = [](const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? otherwise : value);
  };
  return {variable("PATH", "/usr/bin:/bin"), variable("HOME", "/")};
}

Result<ProcessExit> ProcessRunner::run(const ProcessSpec& spec, const Call& call,
                                       const ProcessSink& sink) const {
  if (auto valid = check(spec); !valid) return valid.error();
  if (auto over = call.check(); !over) return over.error();
  const auto program = find(spec.program);
  if (!program) return program.error();
  auto environment = spec.environment;
  if (!sets(environment, "PATH=")) environment.push_back("PATH=" + path_);
  if (!sets(environment, "HOME=")) environment.push_back("HOME=" + home_);
  const NoSigpipe guard;
  auto child = spawn(*program, spec.arguments, environment, spec.directory.string(),
                     {spec.file_limit, spec.memory_limit});
  if (!child) return child.error();
  auto result = Run(std::move(*child), spec, call, sink, grace_).finish();
  if (!result) return std::move(result.error()).in(spec.program);
  return result;
}

}  // namespace quarry::services
