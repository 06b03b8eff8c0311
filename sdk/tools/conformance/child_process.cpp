#include "conformance/child_process.h"

#include "base/child.h"
#include "base/json.h"
#include "plugins/compose.h"
#include "runner/sandbox.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace quarry::conformance {
namespace {

using plugins::compose;

/// A result longer than this is cut.
constexpr std::size_t kLongestText = 4096;

std::string line_of(const Verdict& verdict) {
  const auto cut = [](const std::string& text) { return text.substr(0, kLongestText); };
  return to_text(Json{{"outcome", static_cast<int>(verdict.outcome)},
                      {"message", cut(verdict.message)},
                      {"hint", cut(verdict.hint)}}) +
         "\n";
}

void limit_memory(std::uint64_t memory) {
  if (memory == 0 || !runner::kLimitsMemory) return;
  const rlim_t most = status_bytes("VmData:") + memory;  // as the kernel counts for this limit
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_DATA, &limit);
}

/// Standard input is empty, output goes to files in memory; the rest of the state is the parent's.
bool prepare_child(const ChildProcess::Limits& limits, const ChildOutput& output) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // a process that detaches itself stays a child of this one
  constexpr rlimit kNoCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &kNoCore);
  limit_memory(limits.memory);
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return ::dup2(nothing.get(), 0) == 0 && ::dup2(output.standard, 1) == 1 &&
         ::dup2(output.error, 2) == 2 && ::chdir(limits.directory.c_str()) == 0;
}

[[noreturn]] void run_child(const ChildProcess::Task& task, const ChildProcess::Limits& limits,
                            const Note& note, const ChildOutput& output, int result) {
  const pid_t self = ::getpid();
  if (!prepare_child(limits, output)) ::_exit(1);
  const Verdict verdict = task(note, output);
  // A process that the plugin forked may get here too.
  if (::getpid() != self) ::_exit(0);
  const auto written = write_all(result, line_of(verdict));
  ::_exit(written ? 0 : 1);
}

}  // namespace

std::uint64_t status_bytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoull(line.substr(name.size())) << 10;
  }
  return 0;
}

Note::Note()
    : text_(static_cast<char*>(
          ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
  if (text_ == MAP_FAILED) text_ = nullptr;
}

Note::~Note() {
  if (text_ != nullptr) ::munmap(text_, kSize);
}

void Note::write(std::string_view text) const {
  if (text_ == nullptr) return;
  const auto size = std::min(text.size(), kSize - 1);
  std::memcpy(text_, text.data(), size);
  text_[size] = '\0';
}

std::string Note::read() const {
  return text_ == nullptr ? std::string() : std::string(text_, ::strnlen(text_, kSize));
}

Result<ChildProcess> ChildProcess::start(const Task& task, const Limits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return system_error("cannot create a pipe", errno);
  }
  ChildProcess child(Note(), limits);
  child.result_ = Fd(ends[0]);
  const Fd writer(ends[1]);
  child.standard_ = Fd(::memfd_create("standard output", MFD_CLOEXEC));
  child.error_ = Fd(::memfd_create("standard error", MFD_CLOEXEC));
  std::fflush(nullptr);
  child.pid_ = ::fork();
  if (child.pid_ < 0) return system_error("cannot start a process", errno);
  const ChildOutput output{child.standard_.get(), child.error_.get()};
  if (child.pid_ == 0) run_child(task, limits, child.note_, output, writer.get());
  ::setpgid(child.pid_, child.pid_);
  child.end_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0)));
  if (!child.end_) return system_error("cannot watch a process", errno);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : note_(std::move(other.note_)),
      limits_(std::move(other.limits_)),
      started_(other.started_),
      pid_(std::exchange(other.pid_, -1)),
      result_(std::move(other.result_)),
      end_(std::move(other.end_)),
      standard_(std::move(other.standard_)),
      error_(std::move(other.error_)),
      text_(std::move(other.text_)),
      ended_(other.ended_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) static_cast<void>(finish());
}

void ChildProcess::read_result() {
  char bytes[4096];
  for (;;) {
    const auto count = ::read(result_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text_.append(bytes, static_cast<std::size_t>(count));
  }
}

bool ChildProcess::is_done() {
  pollfd end{.fd = end_.get(), .events = POLLIN, .revents = 0};
  ended_ = ::poll(&end, 1, 0) > 0;
  read_result();
  return ended_ || text_.ends_with('\n') || Clock::now() >= deadline();
}

std::string ChildProcess::while_it_ran() const {
  const auto function = note_.read();
  return function.empty() ? "" : ", while it ran " + function;
}

std::string ChildProcess::last_words() const {
  constexpr off_t kTail = 400;
  const off_t size = ::lseek(error_.get(), 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - kTail);
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, size - from)), '\0');
  if (::pread(error_.get(), text.data(), text.size(), from) <= 0) return {};
  return "; its standard error ended with: " + text;
}

Verdict ChildProcess::verdict_of_end(int status) const {
  return {Outcome::kCrash,
          compose("the process {}{}{}", child_end(status), while_it_ran(), last_words()),
          WIFSIGNALED(status)
              ? "run the check with --check under a debugger, or build the plugin with a sanitizer"
              : "report a failure; code of a plugin never ends the process"};
}

Verdict ChildProcess::finish() {
  read_result();
  const bool ended = ended_;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  const int status = wait_for_child(std::exchange(pid_, -1));
  if (text_.ends_with('\n')) {
    const auto said = parse_json(text_);
    if (said) {
      return {static_cast<Outcome>(said->value("outcome", 0)), said->value("message", ""),
              said->value("hint", "")};
    }
  }
  if (ended) return verdict_of_end(status);
  return {Outcome::kTimeout,
          compose("it did not return within {} ms{}", limits_.time.count(), while_it_ran()),
          "return, or check the state of the call and end with it"};
}

Orphans::Orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() {
  const std::string list = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  // A killed process may leave children of its own, which come here then.
  for (pid_t pid = 0; std::ifstream(list) >> pid;) {
    ::kill(pid, SIGKILL);
    wait_for_child(pid);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace quarry::conformance
