#include "plugins/probe.h"

#include "base/child.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "plugins/adapters.h"
#include "plugins/compose.h"
#include "plugins/hosted_module.h"
#include "plugins/module.h"
#include "plugins/plugin_rules.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace quarry::plugins {
namespace {

using Steady = std::chrono::steady_clock;

/// Last output of the child on success; missing if an initialiser exits.
constexpr std::string_view kLoaded = "loaded\n";
constexpr std::size_t kMaxOutput = 64u << 10;
/// Begins a line of output that names the function that runs next.
constexpr std::string_view kRuns = "runs ";

struct Child {
  pid_t pid = -1;
  Fd output;
};

/// A file in memory with the text, to be read from its beginning.
Result<Fd> file_with(std::string_view text) {
  Fd file(::memfd_create("quarry-tables", MFD_CLOEXEC));
  if (!file) return system_error("cannot create a file in memory", errno);
  if (Status written = write_all(file.get(), text); !written) return std::move(written).error();
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return system_error("cannot read memory", errno);
  return file;
}

Result<Child> start(std::vector<std::string> command, std::string_view tables) {
  const auto input_file = file_with(tables);
  if (!input_file) return input_file.error();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot create a pipe", errno);
  Child child{.pid = -1, .output = Fd(ends[0])};
  const Fd input(ends[1]);
  std::vector<char*> argv;
  for (auto& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input_file->get(), 0);
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
  int status = 0;        ///< of waitpid(2)
  std::string function;  ///< that ran last; empty while the file was loaded
  std::string output;    ///< without the lines of kRuns
};

/// Moves the lines that name a function from the beginning of the output.
void take_functions(ChildRun& run) {
  while (run.output.starts_with(kRuns)) {
    const auto end = std::min(run.output.find('\n'), run.output.size());
    run.function = run.output.substr(kRuns.size(), end - kRuns.size());
    run.output.erase(0, end + 1);
  }
}

Result<ChildRun> run_child(const std::vector<const Manifest*>& manifests,
                           std::vector<std::string> command, std::chrono::milliseconds limit,
                           std::string_view tables = {}) {
  for (const Manifest* const manifest : manifests) command.push_back(manifest->path.string());
  auto child = start(std::move(command), tables);
  if (!child) return std::move(child.error());
  ChildRun out;
  out.closed = read_until(child->output.get(), Steady::now() + limit, out.output);
  // A child that ends closes its output last: the signal ends one that hangs, perhaps after it has
  // closed all its descriptors, and the processes that an initialiser started.
  out.loaded = out.output.ends_with(kLoaded);
  ::kill(-child->pid, SIGKILL);
  out.status = wait_for_child(child->pid);
  take_functions(out);
  return out;
}

Error refused(const Manifest& manifest, const ChildRun& run, std::string_view why) {
  const std::string place = run.function.empty() ? "" : ", while it ran " + run.function;
  const std::string wanted =
      run.function.empty() ? "does nothing while it is loaded" : "survives " + run.function;
  return {
      Code::kInvalidArgument,
      compose("plugin {} was tested in a separate process, which {}{}", manifest.id, why, place),
      compose("ask the plugin's author for a build that {}, or remove {}", wanted,
              manifest.path.parent_path().string())};
}

Error hung(const Manifest& manifest, const ChildRun& run, std::chrono::milliseconds limit) {
  return {Code::kInvalidArgument,
          compose("plugin {} did not return from {}: it was tested in a separate process for {} ms",
                  manifest.id, run.function, limit.count()),
          compose("ask the plugin's author for a build whose {} returns, or remove {}",
                  run.function, manifest.path.parent_path().string())};
}

/// Calls the functions that a start calls. Fails if one does not return; other outcomes are not
/// judged, since services are missing.
class UseCheck {
 public:
  UseCheck(std::shared_ptr<Module> module, std::string_view host_version, const Json& tables,
           std::function<void(std::string_view)> runs)
      : manifest_(module->manifest()),
        tables_(tables),
        runs_(std::move(runs)),
        hosted_(HostedModule::make(std::move(module),
                                   {.find = {}, .host_version = std::string(host_version)})) {}

  Status run(Probed probed) {
    runs_(function::kOpen.name);
    const auto opened = hosted_->open(hosted_->host());
    if (!opened) return hung(opened.error());
    if (probed == Probed::kOpen) return {};
    const auto& entry = hosted_->entry();
    for (std::uint32_t i = 0; i < entry.component_count; ++i) {
      if (auto used = use(*entry.components[i]); !used) return used;
    }
    return {};
  }

 private:
  Status use(const quarry_component& component) {
    if (!is_known_kind(component.kind)) return {};
    const std::string table = tables_.value(table_name(component.kind, component.name), "{}");
    runs_(function::kCreate.name);
    auto instance = Instance::create(hosted_, component, hosted_->host(), table);
    if (!instance) return hung(instance.error());
    runs_(function::kDescribe.name);
    if (auto described = describe(component.kind, *instance); !described) {
      if (auto back = hung(described.error()); !back) return back;
    }
    runs_(function::kDestroy.name);
    instance->reset();
    return {};
  }

  /// Kinds that are only created have none.
  static Status describe(std::string_view kind, const std::shared_ptr<Instance>& instance) {
    const auto status = [](const auto& adapted) {
      return adapted ? Status() : Status(adapted.error());
    };
    if (kind == QUARRY_RESOURCE) return status(adapt_resource(instance));
    if (kind == QUARRY_MODEL) return status(adapt_model(instance));
    if (kind == QUARRY_PRICING) return status(adapt_pricing(instance));
    if (kind == QUARRY_SYMBOLS) return status(adapt_analyser(instance));
    if (kind == QUARRY_EMBEDDING) return status(adapt_embedding(instance));
    if (kind == QUARRY_RERANK) return status(adapt_rerank(instance));
    return {};
  }

  [[nodiscard]] Status hung(Error error) const {
    if (abandoned_calls() == 0) return {};
    error.hint = compose("ask the plugin's author for a build whose functions return, or remove {}",
                         manifest_.path.parent_path().string());
    return error;
  }

  const Manifest manifest_;
  const Json& tables_;
  const std::function<void(std::string_view)> runs_;
  const std::shared_ptr<HostedModule> hosted_;
};

/// The tables on standard input; none if it has another text.
Json read_tables() {
  std::string text;
  char bytes[4096];
  for (ssize_t got = 0; (got = ::read(0, bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(got));
  }
  const auto json = parse_json(text);
  return json && json->is_object() ? *json : Json::object();
}

}  // namespace

Status probe(const Manifest& manifest, const std::vector<std::string>& command,
             std::chrono::milliseconds limit, std::string_view tables) {
  const auto run = run_child({&manifest}, command, limit, tables);
  if (!run) return run.error();
  if (run->loaded) return {};
  if (!run->closed && run->function.empty()) {
    return refused(manifest, *run, compose("did not end within {} ms", limit.count()));
  }
  if (!run->closed) return hung(manifest, *run, limit);
  if (WIFSIGNALED(run->status)) return refused(manifest, *run, child_end(run->status));
  if (const std::string& output = run->output; !output.empty()) {
    const auto end = output.find('\n');
    return Error(Code::kInvalidArgument, output.substr(0, end),
                 end == std::string::npos ? "install the plugin again" : output.substr(end + 1));
  }
  return refused(manifest, *run,
                 child_end(run->status) + (run->function.empty() ? " before it was loaded" : ""));
}

std::string table_name(std::string_view kind, std::string_view name) {
  return compose("{} {}", kind, name);
}

std::string tables_of(
    const Manifest& manifest,
    const std::function<std::string(std::string_view kind, std::string_view name)>& table) {
  Json out = Json::object();
  for (const auto& component : manifest.components) {
    if (table)
      out[table_name(component.kind, component.name)] = table(component.kind, component.name);
  }
  return to_text(out);
}

bool probe_together(const std::vector<const Manifest*>& manifests,
                    const std::vector<std::string>& command, std::chrono::milliseconds limit) {
  const auto run = run_child(manifests, command, limit);
  return run && run->loaded;
}

int run_probe(const std::vector<std::filesystem::path>& manifest_paths, Probed probed,
              std::string_view host_version, const std::function<void()>& before_code) {
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
  const Json tables = probed == Probed::kUse ? read_tables() : Json::object();
  const auto runs = [&](std::string_view function) { say(compose("{}{}\n", kRuns, function)); };
  std::vector<std::pair<Manifest, PrivateCopy>> copied;
  for (const auto& path : manifest_paths) {
    auto manifest = read_manifest(path);
    if (!manifest) return refuse(manifest.error());
    auto copy = copy_module(*manifest);
    if (!copy) return refuse(copy.error());
    copied.emplace_back(std::move(*manifest), std::move(*copy));
  }
  if (before_code) before_code();
  std::vector<std::shared_ptr<Module>> loaded;
  for (auto& [manifest, copy] : copied) {
    auto module = load_module(manifest, std::move(copy));
    if (!module) return refuse(module.error());
    const auto used = UseCheck(*module, host_version, tables, runs).run(probed);
    if (!used) return refuse(used.error());
    loaded.push_back(std::move(*module));
  }
  const bool said = say(kLoaded);
  ::_exit(said ? 0 : 2);
}

}  // namespace quarry::plugins
