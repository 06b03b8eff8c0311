#include "services/process.h"

#include "base/child.h"
#include "base/file.h"
#include "base/testing/waiting.h"
#include "services/group_guard.h"
#include "services/paths.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <quarry_test.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace quarry::services {
namespace {

using ::testing::HasSubstr;

struct Output {
  std::string out, err;
  ProcessSink sink{[this](std::string_view b) {
                     out += b;
                     return Status{};
                   },
                   [this](std::string_view b) {
                     err += b;
                     return Status{};
                   }};
};

const ProcessRunner kRunner("/usr/bin:/bin", "/nowhere");

ProcessSpec shell(std::string script) {
  return {.program = "sh", .arguments = {"-c", std::move(script)}, .environment = {}, .input = {}};
}

TEST(Process, MayWriteNoLargerFileThanItsLimit) {
  const std::filesystem::path root = test_directory();
  auto spec = shell("head -c 100000 /dev/zero > large");
  spec.directory = root;
  spec.file_limit = 4096;
  const auto ended = kRunner.run(spec, {}, {});
  ASSERT_TRUE(ended);
  EXPECT_EQ(std::filesystem::file_size(root / "large"), 4096u);
  EXPECT_NE(ended->exit + ended->signal, 0);
}

TEST(Process, MayTakeNoMoreMemoryThanItsLimit) {
  Output output;
  auto spec = shell("ulimit -d");
  spec.memory_limit = 64 << 20;
  ASSERT_TRUE(kRunner.run(spec, {}, output.sink));
  EXPECT_EQ(output.out, "65536\n");
}

bool gone(pid_t pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// Orphans are reaped by init, which may take a moment; a zombie counts as ended.
void wait_until_gone(pid_t pid) {
  const std::string stat = "/proc/" + std::to_string(pid) + "/stat";
  wait_until([&] {
    std::string state;
    if (auto* file = std::fopen(stat.c_str(), "r")) {
      char letter = 0;
      if (std::fscanf(file, "%*d %*s %c", &letter) == 1) state = letter;
      std::fclose(file);
    }
    return state.empty() || state == "Z" || state == "X" || gone(pid);
  });
}

TEST(ProcessRunner, TakesOutputAndExitCode) {
  Output output;
  const auto exit = kRunner.run(shell("echo out; echo err >&2; exit 3"), {}, output.sink);
  ASSERT_TRUE(exit) << exit.error().message;
  EXPECT_EQ(exit->exit, 3);
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
}

TEST(ProcessRunner, TellsASignal) {
  const auto exit = kRunner.run(shell("kill -9 $$"), {}, {});
  EXPECT_EQ(exit.value().signal, SIGKILL);
}

TEST(ProcessRunner, GivesOnlyTheEnvironmentAskedFor) {
  ::setenv("QUARRY_TEST_LEAK", "1", 1);
  Output output;
  auto spec = ProcessSpec{.program = "env", .arguments = {}, .environment = {"A=b"}, .input = {}};
  ASSERT_TRUE(kRunner.run(spec, {}, output.sink));
  EXPECT_EQ(output.out, "A=b\nPATH=/usr/bin:/bin\nHOME=/nowhere\n");
}

TEST(ProcessRunner, LeaksNoDescriptor) {
  Output output;
  ASSERT_TRUE(kRunner.run(shell("echo /proc/self/fd/*"), {}, output.sink));
  EXPECT_THAT(output.out, ::testing::Not(HasSubstr("fd/4")));
}

TEST(ProcessRunner, FeedsAndDrainsAtOnce) {
  const std::string input(4 << 20, 'x');
  Output output;
  auto spec = ProcessSpec{.program = "cat", .arguments = {}, .environment = {}, .input = input};
  ASSERT_TRUE(kRunner.run(spec, {}, output.sink));
  EXPECT_EQ(output.out.size(), input.size());
}

TEST(ProcessRunner, LivesWithAProgramThatDoesNotRead) {
  const std::string input(4 << 20, 'x');
  auto spec = ProcessSpec{.program = "true", .arguments = {}, .environment = {}, .input = input};
  EXPECT_EQ(kRunner.run(spec, {}, {}).value().exit, 0);
}

TEST(ProcessRunner, NamesAProgramThatIsNotThere) {
  const auto missing = kRunner.run(
      {.program = "no-such-program", .arguments = {}, .environment = {}, .input = {}}, {}, {});
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("no-such-program"));
  EXPECT_FALSE(missing.error().hint.empty());
  const auto absolute =
      kRunner.run({.program = "/no/such", .arguments = {}, .environment = {}, .input = {}}, {}, {});
  EXPECT_EQ(absolute.error().code, Code::kNotFound);
}

TEST(ProcessRunner, RefusesNulAndARelativeDirectory) {
  EXPECT_EQ(kRunner.run(shell(std::string("a\0b", 3)), {}, {}).error().code,
            Code::kInvalidArgument);
  auto spec = shell("true");
  spec.directory = "here";
  EXPECT_EQ(kRunner.run(spec, {}, {}).error().code, Code::kInvalidArgument);
}

TEST(ProcessRunner, StopsAtTheOutputLimit) {
  auto spec = shell("while :; do echo xxxxxxxxxxxxxxxx; done");
  spec.output_limit = 1000;
  EXPECT_EQ(kRunner.run(spec, {}, {}).error().code, Code::kResourceExhausted);
}

TEST(ProcessRunner, LimitsEachOfTheTwoStreams) {
  auto spec = shell("echo 12345; echo 12345 >&2");
  spec.output_limit = 6;
  EXPECT_TRUE(kRunner.run(spec, {}, {}));
  spec.output_limit = 5;
  const auto run = kRunner.run(spec, {}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Code::kResourceExhausted);
}

TEST(ProcessRunner, StopsWhenTheSinkRefuses) {
  ProcessSink sink;
  sink.output = [](std::string_view) -> Status { return Error{Code::kUnsupported, "no"}; };
  EXPECT_EQ(kRunner.run(shell("echo x; sleep 1000"), {}, sink).error().code, Code::kUnsupported);
}

TEST(ProcessRunner, CancelKillsTheWholeGroupAndLeavesNoZombie) {
  std::stop_source source;
  Call call;
  call.stop = source.get_token();
  pid_t grandchild = 0;
  ProcessSink sink;
  sink.output = [&](std::string_view bytes) {
    grandchild = std::atoi(std::string(bytes).c_str());
    source.request_stop();
    return Status{};
  };
  const auto run = kRunner.run(shell("sleep 1000 & echo $!; wait"), call, sink);
  EXPECT_EQ(run.error().code, Code::kCancelled);
  ASSERT_GT(grandchild, 0);
  wait_until_gone(grandchild);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProcessRunner, KillsWhatStaysInTheBackground) {
  Output output;
  ASSERT_TRUE(kRunner.run(shell("sleep 1000 & echo $!"), {}, output.sink));
  wait_until_gone(std::atoi(output.out.c_str()));
}

/// The children of this process that guard what it started, a number a line.
std::string guards() {
  Output output;
  const auto self = std::to_string(::getpid());
  (void)kRunner.run(shell("true"), {}, {});  // starts a guard if there is none
  (void)kRunner.run(shell("for child in $(cat /proc/" + self +
                          "/task/*/children); do "
                          "grep -qx quarry-guard /proc/$child/comm && echo $child; done"),
                    {}, output.sink);
  return output.out;
}

/// Forks this process. The fork does `first`, then kills itself while a program runs; returns the
/// number of what that program had started.
template <class First>
pid_t left_by_a_killed_host(const First& first) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const Fd read(ends[0]);
  Fd write(ends[1]);
  const pid_t host = ::fork();
  if (host == 0) {
    first();
    ProcessSink sink;
    sink.output = [&](std::string_view bytes) {
      [[maybe_unused]] const auto told = ::write(write.get(), bytes.data(), bytes.size());
      ::kill(::getpid(), SIGKILL);
      return Status{};
    };
    (void)kRunner.run(shell("sleep 1000 & echo $!; wait"), {}, sink);
    ::_exit(0);
  }
  write = Fd();
  char told[16] = {};
  EXPECT_GT(::read(read.get(), told, sizeof told - 1), 0);
  ::waitpid(host, nullptr, 0);
  return std::atoi(told);
}

TEST(ProcessRunner, WhatAProgramStartedEndsWithThisProcess) {
  const pid_t left = left_by_a_killed_host([] {});
  ASSERT_GT(left, 0);
  wait_until_gone(left);
}

TEST(ProcessRunner, WhatAProgramStartedEndsAlsoAfterTheGuardWasKilled) {
  const pid_t left = left_by_a_killed_host([] {
    const pid_t guard = std::atoi(guards().c_str());
    if (guard <= 0 || ::kill(guard, SIGKILL) != 0) ::_exit(1);
    wait_until_gone(guard);
  });
  ASSERT_GT(left, 0);
  wait_until_gone(left);
}

TEST(ProcessRunner, ItsGuardCanBeStartedBeforeAProgram) {
  const pid_t host = ::fork();
  if (host == 0) {
    start_group_guard();
    int child = 0;
    std::ifstream("/proc/thread-self/children") >> child;
    ::_exit(child > 0 ? 0 : 1);
  }
  EXPECT_EQ(wait_for_child(host), 0);
}

/// Each fork of this process copies the pages that it changes afterwards.
TEST(ProcessRunner, IsForkedOnceForAllPrograms) {
  const std::string first = guards();
  EXPECT_THAT(first, ::testing::MatchesRegex("[0-9]+\n"));
  EXPECT_EQ(guards(), first);
}

TEST(ProcessRunner, EndsAtTheDeadline) {
  Call call;
  call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  EXPECT_EQ(kRunner.run(shell("sleep 1000"), call, {}).error().code, Code::kDeadlineExceeded);
}

/// Runs `script` with `grace` and stops it once it prints "ready".
Result<ProcessExit> stop_when_ready(std::string script, std::chrono::milliseconds grace) {
  std::stop_source source;
  Call call;
  call.stop = source.get_token();
  ProcessSink sink;
  sink.output = [&](std::string_view) {
    source.request_stop();
    return Status{};
  };
  return ProcessRunner("/usr/bin:/bin", "/", grace).run(shell(std::move(script)), call, sink);
}

TEST(ProcessRunner, LetsAProgramEndInItsOwnWayWithinTheGrace) {
  const std::filesystem::path root = test_directory();
  const auto file = (root / "end").string();
  const auto run = stop_when_ready(
      "trap 'echo bye > " + file + "; exit' TERM; echo ready; while :; do sleep 0.01; done",
      patience(std::chrono::milliseconds(60'000)));
  EXPECT_EQ(run.error().code, Code::kCancelled);
  EXPECT_EQ(read_file(file).value(), "bye\n");
}

TEST(ProcessRunner, KillsWhatIgnoresTheRequestToEnd) {
  const auto run =
      stop_when_ready("trap '' TERM; echo ready; sleep 1000", std::chrono::milliseconds(30));
  EXPECT_EQ(run.error().code, Code::kCancelled);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProcessRunner, KillsWhatWaitsForAFullPipeWhenAskedToEnd) {
  const auto run = stop_when_ready(
      "trap 'head -c 1000000 /dev/zero' TERM; echo ready; while :; do sleep 0.01; done",
      std::chrono::milliseconds(100));
  EXPECT_EQ(run.error().code, Code::kCancelled);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProcessRunner, StopsAProgramThatPrintsWithoutEnd) {
  const auto run = stop_when_ready("while :; do head -c 1000000 /dev/zero; done",
                                   std::chrono::milliseconds(100));
  EXPECT_EQ(run.error().code, Code::kCancelled);
}

TEST(ProcessRunner, PassesOnNoBlockedAndNoIgnoredSignal) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&blocked, number);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto* const pipe = ::signal(SIGPIPE, SIG_IGN);
  Output output;
  const auto spec = ProcessSpec{.program = "grep",
                                .arguments = {"^Sig[BI]", "/proc/self/status"},
                                .environment = {},
                                .input = {}};
  EXPECT_TRUE(kRunner.run(spec, {}, output.sink));
  ::signal(SIGPIPE, pipe);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(output.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

/// Makes pidfd_open fail on this thread and in the processes it starts.
bool forbid_pidfd_open() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(ProcessRunner, LeavesNothingRunningWhereItCannotWatchAProgram) {
  std::thread([] {
    if (!forbid_pidfd_open()) GTEST_SKIP() << "no system call filters here";
    const auto run = kRunner.run(shell("sleep 1000"), {}, {});
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message, HasSubstr("pidfd_open"));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  }).join();
}

}  // namespace
}  // namespace quarry::services
