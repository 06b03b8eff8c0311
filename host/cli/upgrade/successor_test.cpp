#include "cli/upgrade/successor.h"

#include "base/child.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <sys/socket.h>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;

CommandLine shell(const std::string& script) {
  return {"/bin/sh", {"sh", "-c", script}};
}

/// Waits until the process listens or has ended.
Result<bool> wait_for(Successor& successor) {
  pollfd told{successor.descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&told, 1, -1), 1);
  return successor.listens();
}

TEST(SuccessorTest, GetsTheSocketsAsAServiceManagerPassesThem) {
  const Fd rest(::socket(AF_INET, SOCK_STREAM, 0));
  const Fd mcp(::socket(AF_INET, SOCK_STREAM, 0));
  ::setenv("LISTEN_FDNAMES", "of this process", 1);
  auto successor = Successor::start(
      shell("[ $LISTEN_PID = $$ ] && [ $WATCHDOG_PID = $$ ] && [ $LISTEN_FDS = 2 ] && "
            "[ $LISTEN_FDNAMES = rest:mcp ] && [ -S /dev/fd/3 ] && [ -S /dev/fd/4 ] && "
            "[ $QUARRY_LISTENS_FD = 5 ] && [ $QUARRY_PREDECESSOR_FD = 6 ] && [ -S /dev/fd/6 ] && "
            "[ ! -e /proc/$$/fd/7 ] && printf 1 >&5 && exec sleep 60"),
      std::vector<NamedSocket>{{rest.get(), "rest"}, {mcp.get(), "mcp"}});
  ::unsetenv("LISTEN_FDNAMES");
  ASSERT_TRUE(successor);
  const auto listens = wait_for(*successor);
  ASSERT_TRUE(listens) << listens.error().message;
  EXPECT_TRUE(*listens);
  EXPECT_EQ(::kill(successor->id(), SIGKILL), 0);
}

TEST(SuccessorTest, LivesOnOnceItListens) {
  pid_t id = 0;
  {
    auto successor = Successor::start(shell("printf 1 >&3; exec sleep 60"), {});
    ASSERT_TRUE(successor && wait_for(*successor));
    id = successor->id();
  }
  EXPECT_EQ(::kill(id, 0), 0);
  ::kill(id, SIGKILL);
}

TEST(SuccessorTest, IsKilledIfItIsGivenUp) {
  pid_t id = 0;
  {
    auto successor = Successor::start(shell("exec sleep 60"), {});
    ASSERT_TRUE(successor);
    EXPECT_FALSE(*successor->listens());
    id = successor->id();
  }
  EXPECT_EQ(::kill(id, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(SuccessorTest, ThatEndsBeforeItListensIsAnError) {
  for (const auto& [command, how] :
       {std::pair(shell("exit 3"), "exited with status 3 before it listened"),
        std::pair(shell("kill -9 $$"), "was killed by signal 9 (Killed) before it listened"),
        std::pair(CommandLine{"/nowhere/quarry", {"quarry"}},
                  "cannot start /nowhere/quarry: No such file or directory")}) {
    auto successor = Successor::start(command, {});
    ASSERT_TRUE(successor);
    const auto listens = wait_for(*successor);
    ASSERT_FALSE(listens);
    EXPECT_THAT(listens.error().message, HasSubstr(how));
  }
}

TEST(SuccessorTest, MayEndLater) {
  auto successor = Successor::start(shell("printf 1 >&3; read line <&4; exit 7"), {});
  ASSERT_TRUE(successor && wait_for(*successor));
  EXPECT_EQ(successor->ended(), std::nullopt);
  ASSERT_EQ(::write(successor->connection().get(), "\n", 1), 1);
  pollfd ended{successor->end_descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, -1), 1);
  const auto status = successor->ended();
  ASSERT_TRUE(status);
  EXPECT_EQ(child_end(*status), "exited with status 7");
  EXPECT_EQ(successor->ended(), std::nullopt) << "told once";
  EXPECT_EQ(successor->end_descriptor(), -1);
}

TEST(SuccessorTest, HasTheSignalsThatThisThreadBlocks) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  auto successor = Successor::start(shell("kill -TERM $$; printf 1 >&3"), {});
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ASSERT_TRUE(successor);
  const auto listens = wait_for(*successor);
  ASSERT_FALSE(listens);
  EXPECT_THAT(listens.error().message, HasSubstr("by signal 15"));
}

TEST(PredecessorTest, IsToldThroughTheDescriptorOfTheEnvironment) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd reads(ends[0]);
  ::setenv("QUARRY_LISTENS_FD", std::to_string(ends[1]).c_str(), 1);
  Predecessor predecessor = Predecessor::of_environment();
  ::unsetenv("QUARRY_LISTENS_FD");
  predecessor.tell_that_this_listens();
  char told[2];
  EXPECT_EQ(::read(reads.get(), told, sizeof told), 1);
  EXPECT_EQ(::read(reads.get(), told, sizeof told), 0);  // and the descriptor is closed
}

TEST(PredecessorTest, IsConnected) {
  auto successor = Successor::start(shell("read line <&4; printf \"$line again\" >&4"), {});
  ASSERT_TRUE(successor);
  const int end = successor->connection().get();
  ASSERT_EQ(::write(end, "once\n", 5), 5);
  char told[20] = {};
  EXPECT_EQ(::recv(end, told, sizeof told, MSG_WAITALL), 10);
  EXPECT_STREQ(told, "once again");
  static_cast<void>(wait_for(*successor));
}

TEST(PredecessorTest, ConnectionIsASocketOfTheEnvironment) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const Fd other(ends[1]);
  ::setenv("QUARRY_PREDECESSOR_FD", std::to_string(ends[0]).c_str(), 1);
  ::setenv("QUARRY_LISTENS_FD", std::to_string(ends[0]).c_str(), 1);
  Predecessor predecessor = Predecessor::of_environment();
  ::unsetenv("QUARRY_PREDECESSOR_FD");
  ::unsetenv("QUARRY_LISTENS_FD");
  EXPECT_EQ(predecessor.connection().get(), ends[0]);
  EXPECT_EQ(::fcntl(ends[0], F_GETFD), FD_CLOEXEC);
  predecessor.tell_that_this_listens();
  char told = 0;
  EXPECT_EQ(::recv(other.get(), &told, 1, MSG_DONTWAIT), -1) << "a socket is no pipe";
}

TEST(PredecessorTest, IsNobodyWithoutAPipe) {
  Predecessor::of_environment().tell_that_this_listens();
  ::setenv("QUARRY_LISTENS_FD", "0", 1);
  const Fd input(::open("/dev/null", O_RDONLY));
  ASSERT_EQ(::dup2(input.get(), STDIN_FILENO), STDIN_FILENO);
  Predecessor::of_environment().tell_that_this_listens();
  ::unsetenv("QUARRY_LISTENS_FD");
  EXPECT_NE(::fcntl(STDIN_FILENO, F_GETFD), -1);
}

TEST(CommandLineTest, OfThisProcessNamesItsProgram) {
  const CommandLine line = CommandLine::of_this_process();
  EXPECT_TRUE(line.program.is_absolute());
  EXPECT_EQ(line.program.filename(), "cli_tests");
  ASSERT_FALSE(line.arguments.empty());
  EXPECT_THAT(line.arguments.front(), HasSubstr("cli_tests"));
}

}  // namespace
}  // namespace quarry::cli
