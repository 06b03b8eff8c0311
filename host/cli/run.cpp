#include "cli/run.h"

#include "base/working_directory.h"
#include "cli/command_line.h"
#include "cli/connection.h"
#include "plugins/call_threads.h"
#include "runner/child.h"
#include "runner/runner_process.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <span>
#include <string_view>
#include <unistd.h>

#include <sys/resource.h>

namespace quarry::cli {
namespace {

/// The types of resources that the command line may name: as verbs below "add".
std::vector<OfferedType> types_for(int argc, const char* const* argv) {
  const bool adds = argc > 1 && std::string_view(argv[1]) == "add";
  return adds ? offered_types(common_options_in(argc, argv)) : std::vector<OfferedType>();
}

/// So that no other file gets the numbers of the standard ones.
void open_standard_files() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is this one, since those before it are in use.
    if (::fcntl(number, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDWR));
  }
}

/// Makes threads reserve little under a limit of address space (ulimit -v), which would otherwise
/// be reached by 64 MiB for the allocator and 8 MiB for the stack of each. False if that is not
/// enough.
bool fit_address_space() {
  constexpr rlim_t kMuch = rlim_t{4} << 30;
  constexpr rlim_t kLeast = rlim_t{256} << 20;
  constexpr std::size_t kStack = std::size_t{2} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= kMuch) return true;
  ::mallopt(M_ARENA_MAX, 1);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStack);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
  return limit.rlim_cur >= kLeast;
}

/// A mistake of the command line that the engine found ends as those that the parser finds: with
/// the next step.
Error with_next_step(Error error, const Verb& verb) {
  const bool is_of_the_line =
      exit_code_of(error) == ExitCode::kUsage || error.code == Code::kNotFound;
  if (is_of_the_line && error.hint.empty()) {
    error.hint = "\"quarry " + verb.name + " --help\" describes what it takes.";
  }
  return error;
}

/// `code`, or that of a failure if output was lost, as on a full disk: `failure`, an errno. A
/// reader that has gone wants no more.
int with_whole_output(int code, int failure) {
  if (failure == 0 || failure == EPIPE) return code;
  std::fprintf(stderr, "error: standard output could not be written: %s\n", std::strerror(failure));
  return code != 0 ? code : static_cast<int>(ExitCode::kFailure);
}

int run_program(int argc, const char* const* argv, MakeVerbs make_verbs) {
  if (argc == 2 && argv[1] == std::string_view(runner::kRunPlugin)) {
    return runner::run_plugin(runner::kRunnerSocket);
  }
  const auto words = with_verb_first(argc, argv);
  const auto parsed =
      parse_command_line(argc, words.data(), types_for(argc, words.data()), make_verbs);
  if (const Usage* usage = std::get_if<Usage>(&parsed)) {
    std::fputs(usage->text.c_str(), usage->exit_code == 0 ? stdout : stderr);
    return with_whole_output(usage->exit_code, std::fflush(stdout) == 0 ? 0 : errno);
  }
  const Command& command = std::get<Command>(parsed);
  Terminal terminal;
  if (const auto& file = command.common->config_file; file && !file->empty()) {
    if (const auto there = absolute_path(*file); !there) {
      terminal.error(there.error());
      return static_cast<int>(ExitCode::kFailure);
    }
  }
  Signals signals;
  Context context{*command.common, terminal, signals, std::span(words).subspan(1)};
  const auto result = command.verb.run(context);
  if (!result) terminal.error(with_next_step(result.error(), command.verb));
  const ExitCode code = result ? *result : exit_code_of(result.error());
  return with_whole_output(static_cast<int>(code), terminal.write_failure());
}

}  // namespace

int run(int argc, const char* const* argv, MakeVerbs make_verbs) {
  open_standard_files();
  if (!fit_address_space()) {
    std::fputs(
        "error: the limit of address space is below 256 MiB\n"
        "hint: Permit more, or no limit: ulimit -v unlimited.\n",
        stderr);
    return static_cast<int>(ExitCode::kFailure);
  }
  const int code = run_program(argc, argv, make_verbs);
  if (plugins::abandoned_calls() == 0) return code;
  // Destructors of static objects must not meet code that still runs.
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace quarry::cli
