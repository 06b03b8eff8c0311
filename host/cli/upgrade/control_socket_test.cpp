#include "cli/upgrade/control_socket.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <quarry_test.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/wait.h>

namespace quarry::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

bool has_input(int descriptor) {
  pollfd input{descriptor, POLLIN, 0};
  return ::poll(&input, 1, static_cast<int>(patience(std::chrono::milliseconds(60'000)).count())) ==
         1;
}

TEST(ControlSocketTest, TakesACommandAndAnswersIt) {
  auto control = ControlSocket::open();
  ASSERT_TRUE(control);
  EXPECT_FALSE(control->accept()) << "nobody asks";
  EXPECT_THAT(controlled_servers(), Contains(::getpid()));
  while (control->accept()) {
  }  // the one that looked
  std::thread server([&] {
    ASSERT_TRUE(has_input(control->descriptor()));
    const auto caller = control->accept();
    ASSERT_TRUE(caller);
    EXPECT_EQ(caller->command, "upgrade");
    caller->answer("{}");
  });
  Signals signals;
  const auto answer = command_server(::getpid(), "upgrade", signals);
  server.join();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, "{}");
}

TEST(ControlSocketTest, OfAServerThatEndsIsAnError) {
  auto control = ControlSocket::open();
  ASSERT_TRUE(control);
  std::thread server([&] {
    ASSERT_TRUE(has_input(control->descriptor()));
    control->accept();
  });
  Signals signals;
  const auto answer = command_server(::getpid(), "upgrade", signals);
  server.join();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("ended without an answer"));
}

TEST(ControlSocketTest, ThereIsNoneWithoutAServer) {
  EXPECT_THAT(controlled_servers(), Not(Contains(::getpid())));
  Signals signals;
  const auto answer = command_server(::getpid(), "upgrade", signals);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kNotFound);
}

TEST(ControlSocketTest, AnInterruptEndsTheWait) {
  auto control = ControlSocket::open();
  ASSERT_TRUE(control);
  Signals signals;
  ::kill(::getpid(), SIGINT);  // pending until the wait
  const auto answer = command_server(::getpid(), "upgrade", signals);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kCancelled);
}

TEST(ControlSocketTest, HearsNoOtherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  auto control = ControlSocket::open();
  ASSERT_TRUE(control);
  const pid_t server = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65534) != 0) ::_exit(2);
    Signals signals;
    ::_exit(command_server(server, "upgrade", signals) ? 1 : 0);
  }
  ASSERT_TRUE(has_input(control->descriptor()));
  EXPECT_FALSE(control->accept());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace quarry::cli
