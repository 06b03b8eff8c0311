#include "common.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

namespace frozen {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  void close(int end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

std::vector<std::string> texts(std::uint32_t count, const quarry_text* list) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < count; ++i) out.emplace_back(view(list[i]));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& from) {
  std::vector<char*> out;
  for (std::string& each : from) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

void limit(int which, std::uint64_t bytes) {
  const rlimit value{bytes, bytes};
  if (bytes != 0) ::setrlimit(static_cast<__rlimit_resource>(which), &value);
}

/// Passes on what the program writes; returns the reason to end it, if any.
quarry_status drain(Pipe& pipe, bool error, const quarry_process_sink& sink,
                    std::uint64_t& remaining) {
  char part[65536];
  const ssize_t size = ::read(pipe.ends[0], part, sizeof part);
  if (size <= 0) {
    pipe.close(0);
    return QUARRY_OK;
  }
  const quarry_text bytes{part, static_cast<std::size_t>(size)};
  if (error) return sink.error_output(&sink, bytes);
  if (bytes.size > remaining) return QUARRY_RESOURCE_EXHAUSTED;
  remaining -= bytes.size;
  return sink.output(&sink, bytes);
}

quarry_status follow(const quarry_call* call, const quarry_process_spec& spec,
                     const quarry_process_sink& sink, Pipe& in, Pipe& out, Pipe& error) {
  std::string_view input = view(spec.input);
  std::uint64_t remaining = spec.output_limit == 0 ? 64u << 20 : spec.output_limit;
  quarry_status status = QUARRY_OK;
  while (status == QUARRY_OK && (out.ends[0] >= 0 || error.ends[0] >= 0)) {
    if (input.empty()) in.close(1);
    pollfd files[] = {
        {out.ends[0], POLLIN, 0}, {error.ends[0], POLLIN, 0}, {in.ends[1], POLLOUT, 0}};
    ::poll(files, 3, 20);
    if (files[0].revents != 0) status = drain(out, false, sink, remaining);
    if (files[1].revents != 0 && status == QUARRY_OK) status = drain(error, true, sink, remaining);
    if (files[2].revents != 0) {
      const ssize_t size =
          ::write(in.ends[1], input.data(), std::min<std::size_t>(input.size(), 4096));
      input.remove_prefix(size > 0 ? static_cast<std::size_t>(size) : input.size());
    }
    if (status == QUARRY_OK) status = calls().state(call);
  }
  return status;
}

}  // namespace

std::optional<Failure> run_process(const quarry_call* call, const quarry_process_spec& spec,
                                   const quarry_process_sink& sink, std::string& value) {
  const auto& permitted = settings().programs;
  std::string program(view(spec.program));
  if (std::find(permitted.begin(), permitted.end(), program) == permitted.end())
    return Failure{QUARRY_PERMISSION_DENIED, program + " is not permitted", "", ""};
  if (spec.argument_count > QUARRY_LIMIT_ARGUMENTS || spec.input.size > QUARRY_LIMIT_PROCESS_INPUT)
    return Failure{QUARRY_RESOURCE_EXHAUSTED, "arguments or input are too large", "", ""};
  auto arguments = texts(spec.argument_count, spec.arguments);
  arguments.insert(arguments.begin(), program);
  auto environment = texts(spec.environment_count, spec.environment);
  environment.push_back("PATH=/usr/bin:/bin");
  environment.push_back("HOME=" + settings().folder);
  const auto argv = pointers(arguments), envp = pointers(environment);
  const std::string directory(spec.directory.size == 0 ? "/" : view(spec.directory));
  Pipe in, out, error;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in.ends[0], 0), ::dup2(out.ends[1], 1), ::dup2(error.ends[1], 2);
    limit(RLIMIT_FSIZE, spec.file_limit);
    limit(RLIMIT_DATA, spec.memory_limit);
    if (::chdir(directory.c_str()) == 0) ::execvpe(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::setpgid(child, child);
  in.close(0), out.close(1), error.close(1);
  const quarry_status status = follow(call, spec, sink, in, out, error);
  if (status != QUARRY_OK) ::kill(-child, SIGKILL);
  int ended = 0;
  ::waitpid(child, &ended, 0);
  if (status != QUARRY_OK) return Failure{status, program + " was killed", "", ""};
  value = WIFSIGNALED(ended) ? "{\"signal\": " + std::to_string(WTERMSIG(ended)) + "}"
                             : "{\"exit\": " + std::to_string(WEXITSTATUS(ended)) + "}";
  return std::nullopt;
}

}  // namespace frozen
