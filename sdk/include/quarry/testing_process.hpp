/// The part of the test kit (<quarry/testing.hpp>) for plugins that depend on a program: a process
/// service that runs it.
///
///   quarry::testing::RealProcesses processes;
///   host.offer(QUARRY_PROCESS, processes.get());
#ifndef QUARRY_TESTING_PROCESS_HPP
#define QUARRY_TESTING_PROCESS_HPP

#include <quarry/process.h>
#include <quarry/testing_host.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

namespace quarry::testing {

/// Runs programs from PATH as <quarry/process.h> says, and records the runs. Several threads may
/// use it at once.
class RealProcesses {
 public:
  /// One run as the plugin asked for it.
  struct Run {
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
  };

  RealProcesses() : table_{sizeof table_, this, run} {}
  RealProcesses(const RealProcesses&) = delete;
  RealProcesses& operator=(const RealProcesses&) = delete;
  [[nodiscard]] const quarry_process_v1* get() const { return &table_; }
  [[nodiscard]] std::vector<Run> runs() const {
    const std::lock_guard lock(mutex_);
    return runs_;
  }

 private:
  using Texts = std::vector<std::string>;

  static Texts texts(std::uint32_t count, const quarry_text* list) {
    Texts out;
    for (std::uint32_t i = 0; i < count; ++i) out.emplace_back(as_view(list[i]));
    return out;
  }
  static std::vector<char*> pointers(Texts& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  }
  static bool sets(const Texts& environment, std::string_view name) {
    for (const std::string& one : environment) {
      if (std::string_view(one).substr(0, name.size()) == name) return true;
    }
    return false;
  }

  /// The program as a path; empty if it is not there.
  static std::string find(const std::string& program) {
    const auto runs = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
    if (program.find('/') != program.npos) return runs(program) ? program : "";
    const char* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(':'), rest.size());
      const auto candidate = std::string(rest.substr(0, end)) + "/" + program;
      if (runs(candidate)) return candidate;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return "";
  }

  static void run(const quarry_process_v1* self, const quarry_call* call,
                  const quarry_process_spec* spec, const quarry_process_sink* sink,
                  const quarry_reply* reply) {
    auto& mine = *static_cast<RealProcesses*>(self->context);
    Texts arguments = texts(spec->argument_count, spec->arguments);
    Texts environment = texts(spec->environment_count, spec->environment);
    {
      const std::lock_guard lock(mine.mutex_);
      mine.runs_.push_back({arguments, environment});
    }
    arguments.insert(arguments.begin(), std::string(as_view(spec->program)));
    if (!sets(environment, "PATH=")) environment.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
    if (!sets(environment, "HOME=")) environment.emplace_back("HOME=/nonexistent");
    const std::string program = find(arguments.front());
    if (program.empty())
      return quarry::detail::fail(reply, {QUARRY_NOT_FOUND, "there is no such program", {}, {}});
    int in[2], out[2], err[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
      return quarry::detail::fail(reply, {QUARRY_INTERNAL, "no pipe", {}, {}});
    auto argv = pointers(arguments);
    auto envp = pointers(environment);
    const std::string directory(spec->directory.size == 0 ? "/" : as_view(spec->directory));
    const pid_t child = ::fork();
    if (child == 0) {
      ::setpgid(0, 0);
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::dup2(err[1], 2);
      const rlimit files{spec->file_limit, spec->file_limit};
      const rlimit memory{spec->memory_limit, spec->memory_limit};
      if (spec->file_limit != 0) ::setrlimit(RLIMIT_FSIZE, &files);
      if (spec->memory_limit != 0) ::setrlimit(RLIMIT_DATA, &memory);
      if (::chdir(directory.c_str()) == 0) ::execve(program.c_str(), argv.data(), envp.data());
      ::_exit(127);
    }
    ::setpgid(child, child);  // whichever is first
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    const quarry_status status = pump(child, call, *spec, sink, in[1], out[0], err[0]);
    ::kill(-child, SIGKILL);
    int ended = 0;
    ::waitpid(child, &ended, 0);
    if (status != QUARRY_OK) return quarry::detail::fail(reply, {status, "stopped", {}, {}});
    const bool signalled = WIFSIGNALED(ended);
    const int number = signalled ? WTERMSIG(ended) : WEXITSTATUS(ended);
    const std::string json =
        (signalled ? "{\"signal\":" : "{\"exit\":") + std::to_string(number) + "}";
    reply->value(reply, as_text(json));
  }

  /// One of the two output streams.
  struct Stream {
    int from;
    quarry_status (*take)(const quarry_process_sink*, quarry_text);
    std::uint64_t left;

    /// Passes one buffer on; true if there may be more at once.
    bool take_some(const quarry_process_sink* sink, quarry_status& status) {
      if (from < 0 || status != QUARRY_OK) return false;
      char buffer[16 << 10];
      const ssize_t count = ::read(from, buffer, sizeof buffer);
      if (count == 0) close();
      if (count <= 0) return false;
      const auto size = static_cast<std::size_t>(count);
      if (size > left) {
        status = QUARRY_RESOURCE_EXHAUSTED;
      } else if (take != nullptr && take(sink, {buffer, size}) != QUARRY_OK) {
        status = QUARRY_CANCELLED;
      }
      left -= std::min<std::uint64_t>(size, left);
      return status == QUARRY_OK;
    }
    void close() {
      if (from >= 0) ::close(from);
      from = -1;
    }
  };

  /// Writes without SIGPIPE, which a program that has closed its input would cause; signals stay as
  /// they are for other threads and later programs.
  static ssize_t write_some(int to, std::string_view bytes) {
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const ssize_t count = ::write(to, bytes.data(), bytes.size());
    const int number = errno;
    const timespec now{};
    if (count < 0 && number == EPIPE) ::sigtimedwait(&pipe, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = number;
    return count;
  }

  /// True once the program itself has ended, which is not reaped yet.
  static bool has_ended(pid_t child) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child;
  }

  /// Until the program has ended, whose group is killed then, and its output was delivered.
  static quarry_status pump(pid_t child, const quarry_call* call, const quarry_process_spec& spec,
                            const quarry_process_sink* sink, int in, int out, int err) {
    for (const int fd : {in, out, err}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    std::string_view input = as_view(spec.input);
    const std::uint64_t limit = spec.output_limit == 0 ? 64u << 20 : spec.output_limit;
    Stream output{out, sink == nullptr ? nullptr : sink->output, limit};
    Stream error_output{err, sink == nullptr ? nullptr : sink->error_output, limit};
    quarry_status status = call->state(call);
    for (bool ended = false; status == QUARRY_OK && !ended;) {
      const ssize_t count = in < 0 || input.empty() ? 0 : write_some(in, input);
      if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
      if (in >= 0 && (input.empty() || (count < 0 && errno != EAGAIN))) {
        ::close(in);
        in = -1;
      }
      pollfd waited[] = {
          {output.from, POLLIN, 0}, {error_output.from, POLLIN, 0}, {in, POLLOUT, 0}};
      ::poll(waited, 3, 20);
      ended = has_ended(child);
      if (ended) ::kill(-child, SIGKILL);
      bool more = true;
      while (more) {
        more = output.take_some(sink, status);
        more = error_output.take_some(sink, status) || more;
        more = more && ended;
      }
      if (status == QUARRY_OK && !ended) status = call->state(call);
    }
    output.close();
    error_output.close();
    if (in >= 0) ::close(in);
    return status;
  }

  quarry_process_v1 table_;
  mutable std::mutex mutex_;
  std::vector<Run> runs_;
};

}  // namespace quarry::testing

#endif
