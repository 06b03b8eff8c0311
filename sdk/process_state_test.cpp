#include <quarry/process_state.hpp>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <quarry_test.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace quarry {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The changes that `change` makes, which `undo` takes back.
template <class Change, class Undo>
std::vector<std::string> changes_of(ProcessAspect aspect, const Change& change, const Undo& undo) {
  const auto before = observe(aspect);
  change();
  auto changed = changes(aspect, before, milliseconds(0));
  undo();
  EXPECT_THAT(changes(aspect, before), IsEmpty());
  return changed;
}

TEST(ProcessState, StaysTheSameByItself) {
  for (const ProcessAspect aspect : kProcessAspects) {
    EXPECT_THAT(changes(aspect, observe(aspect)), IsEmpty()) << static_cast<int>(aspect);
  }
}

TEST(ProcessState, SeesTheWorkingDirectoryAndTheEnvironment) {
  const auto here = std::filesystem::current_path();
  EXPECT_THAT(changes_of(
                  ProcessAspect::kDirectory, [] { std::filesystem::current_path("/"); },
                  [&] { std::filesystem::current_path(here); }),
              ElementsAre("+ /", "- " + here.string()));
  EXPECT_THAT(changes_of(
                  ProcessAspect::kEnvironment, [] { ::setenv("LEFT_BEHIND", "1", 1); },
                  [] { ::unsetenv("LEFT_BEHIND"); }),
              ElementsAre("+ LEFT_BEHIND=1"));
}

TEST(ProcessState, SeesSignals) {
  EXPECT_THAT(changes_of(
                  ProcessAspect::kSignalHandlers, [] { std::signal(SIGUSR1, SIG_IGN); },
                  [] { std::signal(SIGUSR1, SIG_DFL); })
                  .front(),
              HasSubstr("signal " + std::to_string(SIGUSR1)));
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  EXPECT_THAT(changes_of(
                  ProcessAspect::kSignalMask, [&] { ::pthread_sigmask(SIG_BLOCK, &one, nullptr); },
                  [&] { ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr); }),
              ElementsAre("+ signal " + std::to_string(SIGUSR2) + " is blocked"));
}

TEST(ProcessState, SeesTheLocaleTheUmaskAndLimits) {
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  EXPECT_THAT(changes_of(
                  ProcessAspect::kLocale, [] { std::setlocale(LC_ALL, "C.UTF-8"); },
                  [&] { std::setlocale(LC_ALL, locale.c_str()); }),
              ElementsAre("+ C.UTF-8", "- " + locale));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(changes_of(
                ProcessAspect::kFileMode, [] { ::umask(0123); }, [&] { ::umask(mask); })
                .size(),
            2u);
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const rlimit fewer{files.rlim_cur - 1, files.rlim_max};
  EXPECT_EQ(changes_of(
                ProcessAspect::kLimits, [&] { ::setrlimit(RLIMIT_NOFILE, &fewer); },
                [&] { ::setrlimit(RLIMIT_NOFILE, &files); })
                .size(),
            2u);
}

TEST(ProcessState, SeesDescriptorsThreadsAndChildProcesses) {
  int descriptor = -1;
  EXPECT_THAT(changes_of(
                  ProcessAspect::kDescriptors, [&] { descriptor = ::open("/dev/null", O_RDONLY); },
                  [&] { ::close(descriptor); })
                  .front(),
              HasSubstr("/dev/null"));
  std::jthread thread;
  EXPECT_EQ(changes_of(
                ProcessAspect::kThreads,
                [&] {
                  thread = std::jthread([](const std::stop_token& stop) {
                    while (!stop.stop_requested()) std::this_thread::yield();
                  });
                },
                [&] {
                  thread.request_stop();
                  thread.join();
                })
                .size(),
            1u);
  pid_t child = -1;
  EXPECT_EQ(changes_of(
                ProcessAspect::kChildren,
                [&] {
                  child = ::fork();
                  if (child == 0) {
                    for (;;) ::pause();
                  }
                },
                [&] {
                  ::kill(child, SIGKILL);
                  ::waitpid(child, nullptr, 0);
                })
                .size(),
            1u);
}

}  // namespace
}  // namespace quarry
