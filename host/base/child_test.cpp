#include "base/child.h"

#include <csignal>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry {
namespace {

template <class Run>
std::string end_of(Run run) {
  const pid_t child = ::fork();
  if (child == 0) {
    run();
    ::_exit(0);
  }
  return child_end(wait_for_child(child));
}

TEST(ChildTest, EndIsAStatusOrASignal) {
  EXPECT_EQ(end_of([] {}), "exited with status 0");
  EXPECT_EQ(end_of([] { ::_exit(7); }), "exited with status 7");
  EXPECT_EQ(end_of([] { ::kill(::getpid(), SIGKILL); }), "was killed by signal 9 (Killed)");
}

int handled[2];  ///< a pipe with a byte for each signal

TEST(ChildTest, IsWaitedForThroughSignals) {
  ASSERT_EQ(::pipe(handled), 0);
  struct sigaction act {};
  struct sigaction before {};
  act.sa_handler = [](int) {  // without SA_RESTART
    [[maybe_unused]] const auto told = ::write(handled[1], "", 1);
  };
  ::sigaction(SIGUSR1, &act, &before);
  EXPECT_EQ(end_of([] {
              ::close(handled[1]);
              char told = 0;
              for (int i = 0; i < 20; ++i) {  // the first may come before the wait begins
                ::kill(::getppid(), SIGUSR1);
                if (::read(handled[0], &told, 1) != 1) ::_exit(4);
              }
              ::_exit(3);
            }),
            "exited with status 3");
  ::sigaction(SIGUSR1, &before, nullptr);
  for (const int end : handled) ::close(end);
}

TEST(ChildTest, ThatIsNoneIsNotWaitedFor) {
  EXPECT_EQ(wait_for_child(::getpid()), 0);
}

}  // namespace
}  // namespace quarry
