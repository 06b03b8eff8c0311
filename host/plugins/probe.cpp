#include "plugins/probe.h"

#include "base/child.h"
#include "base/file.h"
#include "plugins/compose.h"
#include "plugins/hosted_module.h"
#include "plugins/module.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace quarry::plugins {
namespace {

using Steady = std::chrono::steady_clock;

/// Last output of the child on success; missing if an initialiser exits.
constexpr std::string_view kLoaded = "loaded\n";
constexpr std::size_t kMaxOutput = 64u << 10;

struct Child {
  pid_t pid = -1;
  Fd output;
};

Result<Child> start(std::vector<std::string> command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot create a pipe", errno);
  Child child{.pid = -1, .output = Fd(ends[0])};
  const Fd input(ends[1]);
  std::vector<char*> argv;
  for (auto& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, input.get(), 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failure =
      ::posix_spawn(&child.pid, argv.front(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return system_error("starting " + command.front(), failure);
  return child;
}

/// Reads until the child has closed its output; false if `limit` passes first.
bool read_until(int fd, Steady::time_point limit, std::string& output) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Steady::now()).count();
    if (left <= 0) return false;
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    char bytes[4096];
    const auto got = ::read(fd, bytes, sizeof bytes);
    if (got <= 0) return true;
    if (output.size() < kMaxOutput) output.append(bytes, static_cast<std::size_t>(got));
  }
}

struct ChildRun {
  bool closed = false;  ///< its output, within the time limit
  bool loaded = false;
  int status = 0;  ///< of waitpid(2)
  std::string output;
};

Result<ChildRun> run_child(const std::vector<const Manifest*>& manifests,
                           std::vector<std::string> command, std::chrono::milliseconds limit) {
  for (const Manifest* const manifest : manifests) command.push_back(manifest->path.string());
  auto child = start(std::move(command));
  if (!child) return std::move(child.error());
  ChildRun out;
  out.closed = read_until(child->output.get(), Steady::now() + limit, out.output);
  // A child that closed its output has ended or is about to; one that hangs is killed here. Killing
  // the group also ends processes started by an initialiser.
  out.loaded = out.output.ends_with(kLoaded);
  if (!out.closed || out.loaded) ::kill(-child->pid, SIGKILL);
  out.status = wait_for_child(child->pid);
  return out;
}

Error refused(const Manifest& manifest, std::string_view why) {
  return {Code::kInvalidArgument,
          compose("plugin {} was tested in a separate process, which {}", manifest.id, why),
          "ask the plugin's author for a build that does nothing while it is loaded, or remove " +
              manifest.path.parent_path().string()};
}

/// Fails if `open` does not return. Its outcome is not judged, since services are missing.
Status check_open(std::shared_ptr<Module> module, std::string_view host_version) {
  const auto directory = module->manifest().path.parent_path().string();
  const auto hosted = HostedModule::make(std::move(module),
                                         {.find = {}, .host_version = std::string(host_version)});
  auto opened = hosted->open(hosted->host());
  if (abandoned_calls() == 0) return {};
  opened.error().hint =
      "ask the plugin's author for a build whose open returns, or remove " + directory;
  return opened;
}

}  // namespace

Status probe(const Manifest& manifest, const std::vector<std::string>& command,
             std::chrono::milliseconds limit) {
  const auto run = run_child({&manifest}, command, limit);
  if (!run) return run.error();
  if (run->loaded) return {};
  if (!run->closed) return refused(manifest, compose("did not end within {} ms", limit.count()));
  if (WIFSIGNALED(run->status)) return refused(manifest, child_end(run->status));
  if (const std::string& output = run->output; !output.empty()) {
    const auto end = output.find('\n');
    return Error(Code::kInvalidArgument, output.substr(0, end),
                 end == std::string::npos ? "install the plugin again" : output.substr(end + 1));
  }
  return refused(manifest, child_end(run->status) + " before it was loaded");
}

bool probe_together(const std::vector<const Manifest*>& manifests,
                    const std::vector<std::string>& command, std::chrono::milliseconds limit) {
  const auto run = run_child(manifests, command, limit);
  return run && run->loaded;
}

int run_probe(const std::vector<std::filesystem::path>& manifest_paths,
              std::string_view host_version) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr rlimit kNoCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &kNoCore);
  // Only this function writes to standard output: a plugin's output could be mistaken for the
  // result.
  const int out = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
  ::dup2(2, 1);
  const auto say = [out](std::string_view text) {
    return ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  };
  const auto refuse = [&](const Error& error) {
    return say(error.message + "\n" + error.hint) ? 1 : 2;
  };
  std::vector<std::shared_ptr<Module>> loaded;
  for (const auto& path : manifest_paths) {
    const auto manifest = read_manifest(path);
    if (!manifest) return refuse(manifest.error());
    auto copy = copy_module(*manifest);
    if (!copy) return refuse(copy.error());
    auto module = load_module(*manifest, std::move(*copy));
    if (!module) return refuse(module.error());
    if (!host_version.empty()) {
      if (auto opened = check_open(*module, host_version); !opened) return refuse(opened.error());
    }
    loaded.push_back(std::move(*module));
  }
  const bool said = say(kLoaded);
  ::_exit(said ? 0 : 2);
}

}  // namespace quarry::plugins
