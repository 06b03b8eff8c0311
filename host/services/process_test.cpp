#include "services/process.h"

#include <cerrno>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace quarry::services {
namespace {

using testing::HasSubstr;

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

bool gone(pid_t pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// Orphans are reaped by init, which may take a moment; a zombie is not running either.
void wait_until_gone(pid_t pid) {
  const std::string stat = "/proc/" + std::to_string(pid) + "/stat";
  for (;;) {
    std::string state;
    if (auto* file = std::fopen(stat.c_str(), "r")) {
      char letter = 0;
      if (std::fscanf(file, "%*d %*s %c", &letter) == 1) state = letter;
      std::fclose(file);
    }
    if (state.empty() || state == "Z" || state == "X" || gone(pid)) return;
    std::this_thread::yield();
  }
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
  EXPECT_THAT(output.out, testing::Not(HasSubstr("fd/4")));
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

TEST(ProcessRunner, EndsAtTheDeadline) {
  Call call;
  call.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  EXPECT_EQ(kRunner.run(shell("sleep 1000"), call, {}).error().code, Code::kDeadlineExceeded);
}

}  // namespace
}  // namespace quarry::services
