#include "cli/upgrade/successor.h"

#include "base/child.h"
#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace quarry::cli {
namespace {

constexpr int kFirst = 3;  // SD_LISTEN_FDS_START
// The descriptor to which the process writes that it listens.
constexpr const char* kListensVariable = "QUARRY_LISTENS_FD";
constexpr const char* kConnectionVariable = "QUARRY_PREDECESSOR_FD";
constexpr std::string_view kReplaced[] = {"LISTEN_PID",   "LISTEN_FDS",     "LISTEN_FDNAMES",
                                          "WATCHDOG_PID", kListensVariable, kConnectionVariable};
constexpr std::string_view kPidSpace = "00000000000";

/// Environment of the new process. The last two variables end with space for its id.
std::vector<std::string> environment_for(std::span<const NamedSocket> sockets) {
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable = *one;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (std::ranges::find(kReplaced, name) == std::end(kReplaced)) out.emplace_back(variable);
  }
  std::vector<std::string> names;
  for (const NamedSocket& socket : sockets) names.push_back(socket.transport);
  const int count = static_cast<int>(sockets.size());
  out.push_back("LISTEN_FDS=" + std::to_string(count));
  out.push_back("LISTEN_FDNAMES=" + join(names, ":"));
  out.push_back(std::string(kListensVariable) + "=" + std::to_string(kFirst + count));
  out.push_back(std::string(kConnectionVariable) + "=" + std::to_string(kFirst + count + 1));
  out.push_back("WATCHDOG_PID=" + std::string(kPidSpace));
  out.push_back("LISTEN_PID=" + std::string(kPidSpace));
  return out;
}

/// Writes a process id, and the end of the text, over the space at the end of a variable.
/// Async-signal-safe.
void put_id(std::string& variable, pid_t id) {
  char digits[kPidSpace.size()];
  std::size_t count = 0;
  for (; id > 0; id /= 10) digits[count++] = static_cast<char>('0' + id % 10);
  char* to = variable.data() + variable.size() - kPidSpace.size();
  while (count > 0) *to++ = digits[--count];
  *to = '\0';
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Between fork and exec of a program with threads: only async-signal-safe functions.
[[noreturn]] void become(const char* program, const std::vector<Fd>& passed, char** arguments,
                         std::vector<std::string>& environment, char** variables) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int next = kFirst;
  for (const Fd& one : passed) {
    if (::dup2(one.get(), next++) < 0) ::_exit(127);
  }
  ::syscall(SYS_close_range, static_cast<unsigned>(next), ~0U, 0U);
  const pid_t self = ::getpid();
  put_id(environment[environment.size() - 1], self);
  put_id(environment[environment.size() - 2], self);
  ::execve(program, arguments, variables);
  const int failure = errno;
  [[maybe_unused]] const auto told = ::write(next - 2, &failure, sizeof failure);
  ::_exit(127);
}

/// The descriptor that a variable names; none unless it is of this type, so that start() passed it.
Fd descriptor_in(const char* variable, mode_t type) {
  const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): read only
  if (text == nullptr) return {};
  const std::string_view number = text;
  int descriptor = -1;
  std::from_chars(number.data(), number.data() + number.size(), descriptor);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || (status.st_mode & S_IFMT) != type) return {};
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return Fd(descriptor);
}

}  // namespace

CommandLine CommandLine::of_this_process() {
  CommandLine out;
  std::error_code failed;
  out.program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const auto text = read_file("/proc/self/cmdline");
  if (!text || text->empty()) return out;
  for (const std::string_view one :
       split(std::string_view(*text).substr(0, text->size() - 1), '\0')) {
    out.arguments.emplace_back(one);
  }
  const std::string& name = out.arguments.front();
  const auto named = [&](const std::filesystem::path& path) {
    const bool runs = ::access(path.c_str(), X_OK) == 0;
    if (runs) out.program = std::filesystem::absolute(path, failed);
    return runs;
  };
  if (name.find('/') != name.npos) {
    named(name);
    return out;
  }
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): read only
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    if (!folder.empty() && named(std::filesystem::path(folder) / name)) break;
  }
  return out;
}

Result<Successor> Successor::start(const CommandLine& command,
                                   std::span<const NamedSocket> sockets) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
  Fd listens(ends[0]);
  const Fd tells(ends[1]);
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return system_error("cannot make a socket", errno);
  }
  Fd connection(ends[0]);
  const Fd other_end(ends[1]);
  // Above those that the new process has, so that none is written over before it is passed.
  const int above = kFirst + static_cast<int>(sockets.size()) + 2;
  std::vector<Fd> passed;
  for (const NamedSocket& socket : sockets) {
    passed.emplace_back(::fcntl(socket.descriptor, F_DUPFD_CLOEXEC, above));
  }
  for (const Fd* const one : {&tells, &other_end}) {
    passed.emplace_back(::fcntl(one->get(), F_DUPFD_CLOEXEC, above));
  }
  if (!std::ranges::all_of(passed, [](const Fd& one) { return bool(one); })) {
    return system_error("cannot duplicate a socket", errno);
  }
  std::vector<std::string> environment = environment_for(sockets);
  std::vector<std::string> arguments = command.arguments;
  const std::vector<char*> variables = pointers_to(environment);
  const std::vector<char*> words = pointers_to(arguments);
  const std::string program = command.program.string();
  const pid_t id = ::fork();
  if (id < 0) return system_error("cannot start a process", errno);
  if (id == 0) {
    become(program.c_str(), passed, const_cast<char**>(words.data()), environment,
           const_cast<char**>(variables.data()));
  }
  ::fcntl(listens.get(), F_SETFL, O_NONBLOCK);
  return Successor(id, program, std::move(listens), std::move(connection));
}

Successor::Successor(pid_t id, std::string program, Fd listens, Fd connection)
    : id_(id),
      program_(std::move(program)),
      process_(static_cast<int>(::syscall(SYS_pidfd_open, id, 0))),
      listens_(std::move(listens)),
      connection_(std::move(connection)) {}

Successor::Successor(Successor&& other) noexcept
    : id_(other.id_),
      program_(std::move(other.program_)),
      process_(std::move(other.process_)),
      listens_(std::move(other.listens_)),
      connection_(std::move(other.connection_)),
      starts_(std::exchange(other.starts_, false)) {}

Successor::~Successor() {
  if (!starts_) return;
  ::kill(id_, SIGKILL);
  wait_for_child(id_);
}

Result<bool> Successor::listens() {
  int told = 0;  // one byte once it listens, or why the program could not be started
  const ssize_t got = ::read(listens_.get(), &told, sizeof told);
  if (got < 0) return false;
  starts_ = false;
  if (got == 1) return true;
  if (got == sizeof told) {
    wait_for_child(id_);
    Error error = system_error("cannot start " + program_, told);
    error.hint = "Install the program, and ask again. The running program goes on.";
    return error;
  }
  return Error{Code::kInternal,
               "the new program " + child_end(wait_for_child(id_)) + " before it listened",
               "Its errors are in the log of the server. The running program goes on."}
      .tagged("InternalError");
}

std::optional<int> Successor::ended() {
  int status = 0;
  if (id_ < 0 || ::waitpid(id_, &status, WNOHANG) != id_) return std::nullopt;
  id_ = -1;
  process_ = Fd();
  return status;
}

Predecessor Predecessor::of_environment() {
  Fd told = descriptor_in(kListensVariable, S_IFIFO);
  Fd connection = descriptor_in(kConnectionVariable, S_IFSOCK);
  return {std::move(told), std::move(connection)};
}

void Predecessor::tell_that_this_listens() {
  if (told_) static_cast<void>(write_all(told_.get(), "1"));
  told_ = Fd();
}

}  // namespace quarry::cli
