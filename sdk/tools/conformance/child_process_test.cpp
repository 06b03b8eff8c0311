#include "conformance/child_process.h"

#include <csignal>
#include <cstdio>
#include <poll.h>
#include <quarry_test.h>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::conformance {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

const milliseconds kPlenty = patience(milliseconds(20'000));

Verdict outcome_of(const ChildProcess::Task& task, milliseconds limit = kPlenty) {
  auto child = ChildProcess::start(task, {.time = limit, .memory = 0, .directory = "/"});
  if (!child) return fails(child.error().message, "");
  while (!child->is_done()) {
    pollfd waiting[2] = {{.fd = child->descriptors()[0], .events = POLLIN, .revents = 0},
                         {.fd = child->descriptors()[1], .events = POLLIN, .revents = 0}};
    const auto left =
        std::chrono::ceil<milliseconds>(child->deadline() - ChildProcess::Clock::now());
    ::poll(waiting, 2, static_cast<int>(std::max<long>(0, left.count())));
  }
  return child->finish();
}

TEST(ChildProcess, ReturnsTheVerdict) {
  const auto verdict = outcome_of(
      [](const Note&, const ChildOutput&) { return warns("a \"message\"\n", "a hint"); });
  EXPECT_EQ(verdict.outcome, Outcome::kWarn);
  EXPECT_EQ(verdict.message, "a \"message\"\n");
  EXPECT_EQ(verdict.hint, "a hint");
}

TEST(ChildProcess, NamesTheSignalTheFunctionAndTheLastWords) {
  const auto verdict = outcome_of([](const Note& note, const ChildOutput&) -> Verdict {
    note.write("resolve");
    std::fputs("it is broken\n", stderr);
    ::raise(SIGILL);  // which no sanitizer handles
    return {};
  });
  EXPECT_EQ(verdict.outcome, Outcome::kCrash);
  EXPECT_THAT(verdict.message, HasSubstr("signal 4 (Illegal instruction), while it ran resolve"));
  EXPECT_THAT(verdict.message, HasSubstr("it is broken"));
}

TEST(ChildProcess, NamesTheStatusOfAnExit) {
  const auto verdict = outcome_of([](const Note&, const ChildOutput&) -> Verdict { ::_exit(7); });
  EXPECT_EQ(verdict.outcome, Outcome::kCrash);
  EXPECT_THAT(verdict.message, HasSubstr("exited with status 7"));
}

TEST(ChildProcess, EndsAtItsLimit) {
  const auto hang = [](const Note& note, const ChildOutput&) -> Verdict {
    note.write("fetch");
    for (;;) ::pause();
  };
  // With short limits the process may not have come as far as the note.
  for (milliseconds limit(50);; limit *= 4) {
    const auto verdict = outcome_of(hang, limit);
    ASSERT_EQ(verdict.outcome, Outcome::kTimeout);
    const auto words = "it did not return within " + std::to_string(limit.count()) + " ms";
    if (verdict.message == words + ", while it ran fetch") break;
    ASSERT_EQ(verdict.message, words);
    ASSERT_LT(limit, kPlenty) << "it has noted nothing";
  }
}

TEST(ChildProcess, IsNotHeldByAProcessThatItForked) {
  const auto verdict = outcome_of([](const Note&, const ChildOutput&) -> Verdict {
    if (::fork() == 0) {
      for (;;) ::pause();
    }
    ::_exit(3);
  });
  EXPECT_EQ(verdict.outcome, Outcome::kCrash);
}

TEST(ChildProcess, TakesTheVerdictOfItsOwnProcessAlone) {
  const auto verdict = outcome_of([](const Note&, const ChildOutput&) -> Verdict {
    return ::fork() == 0 ? fails("of the forked process", "") : Verdict();
  });
  EXPECT_EQ(verdict.outcome, Outcome::kPass);
}

TEST(ChildProcess, LeavesNoDetachedProcessBehind) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    const Orphans orphans;
    outcome_of([](const Note&, const ChildOutput&) -> Verdict {
      if (::fork() == 0) {
        ::setsid();
        for (;;) ::pause();
      }
      return {};
    });
  }
  ::close(ends[1]);
  char byte;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // nobody holds the other end
  ::close(ends[0]);
}

TEST(ChildProcess, KeepsItsOutputApart) {
  const auto verdict = outcome_of([](const Note&, const ChildOutput& output) {
    std::printf("hello");
    std::fflush(stdout);
    return ::lseek(output.standard, 0, SEEK_END) == 5 ? Verdict() : fails("no output", "");
  });
  EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.message;
}

}  // namespace
}  // namespace quarry::conformance
