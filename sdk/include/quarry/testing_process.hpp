/// The part of the test kit (<quarry/testing.hpp>) for plugins that depend on a program: a process
/// service that runs it.
///
///   quarry::testing::RealProcesses processes;
///   host.offer(QUARRY_PROCESS, processes.get());
#ifndef QUARRY_TESTING_PROCESS_HPP
#define QUARRY_TESTING_PROCESS_HPP

#include <quarry/process.h>
#include <quarry/testing_host.hpp>

#include <csignal>
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
      if (::chdir(directory.c_str()) == 0) ::execvpe(argv[0], argv.data(), envp.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    const quarry_status status = pump(call, *spec, sink, in[1], out[0], err[0]);
    if (status != QUARRY_OK) ::kill(-child, SIGKILL);
    int ended = 0;
    ::waitpid(child, &ended, 0);
    if (status != QUARRY_OK) return quarry::detail::fail(reply, {status, "stopped", {}, {}});
    const bool signalled = WIFSIGNALED(ended);
    const int number = signalled ? WTERMSIG(ended) : WEXITSTATUS(ended);
    const std::string json =
        (signalled ? "{\"signal\":" : "{\"exit\":") + std::to_string(number) + "}";
    reply->value(reply, as_text(json));
  }

  static quarry_status pump(const quarry_call* call, const quarry_process_spec& spec,
                            const quarry_process_sink* sink, int in, int out, int err) {
    for (const int fd : {in, out, err}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    std::string_view input = as_view(spec.input);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, nullptr);
    quarry_status status = QUARRY_OK;
    while (status == QUARRY_OK && (out >= 0 || err >= 0)) {
      status = call->state(call);
      const ssize_t count = in < 0 || input.empty() ? 0 : ::write(in, input.data(), input.size());
      if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
      if (in >= 0 && (input.empty() || (count < 0 && errno != EAGAIN))) {
        ::close(in);
        in = -1;
      }
      pollfd waited[] = {{out, POLLIN, 0}, {err, POLLIN, 0}, {in, POLLOUT, 0}};
      ::poll(waited, 3, 20);
      if (status == QUARRY_OK) status = drain(out, sink, sink->output);
      if (status == QUARRY_OK) status = drain(err, sink, sink->error_output);
    }
    for (const int fd : {in, out, err}) {
      if (fd >= 0) ::close(fd);
    }
    return status;
  }

  static quarry_status drain(int& from, const quarry_process_sink* sink,
                             quarry_status (*take)(const quarry_process_sink*, quarry_text)) {
    if (from < 0) return QUARRY_OK;
    char buffer[16 << 10];
    const ssize_t count = ::read(from, buffer, sizeof buffer);
    if (count > 0) return take(sink, {buffer, static_cast<std::size_t>(count)});
    if (count == 0) {
      ::close(from);
      from = -1;
    }
    return QUARRY_OK;
  }

  quarry_process_v1 table_;
  mutable std::mutex mutex_;
  std::vector<Run> runs_;
};

}  // namespace quarry::testing

#endif
