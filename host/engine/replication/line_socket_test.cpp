#include "engine/replication/line_socket.h"

#include <array>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <sys/socket.h>

namespace quarry::engine {
namespace {

using ::testing::ElementsAre;

/// Two connected sockets, and what the handler of each was told.
struct LineSocketTest : ::testing::Test {
  struct End {
    std::shared_ptr<LineSocket> socket;
    std::vector<std::string> lines = {};
    int written = 0;
    int closed = 0;
  };

  LineSocketTest() {
    int descriptors[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, descriptors), 0);
    for (std::size_t i = 0; i < 2; ++i) {
      ends[i].socket = *LineSocket::make(io, Fd(descriptors[i]));
      End& end = ends[i];
      end.socket->start({.line = [&end](std::string_view line) { end.lines.emplace_back(line); },
                         .written = [&end] { ++end.written; },
                         .closed = [&end] { ++end.closed; }});
    }
  }
  ~LineSocketTest() override {
    for (End& end : ends) end.socket->close();
    io.run();
  }
  /// Runs what can run; false if more than `most` handlers did, as in a loop without end.
  bool run(int most) {
    int count = 0;
    while (count < most && io.poll_one() > 0) ++count;
    return count < most;
  }

  boost::asio::io_context io{1};
  std::array<End, 2> ends;
};

TEST_F(LineSocketTest, PassesLinesInBothDirections) {
  ends[0].socket->write("a\n\nb");
  ends[0].socket->write(" c\n");
  ends[1].socket->write("back\n");
  ASSERT_TRUE(run(100));
  EXPECT_THAT(ends[1].lines, ElementsAre("a", "", "b c"));
  EXPECT_THAT(ends[0].lines, ElementsAre("back"));
  EXPECT_EQ(ends[0].written, 1) << "after both";
  EXPECT_EQ(ends[0].socket->unwritten(), 0);
}

TEST_F(LineSocketTest, WritesNothingForAnEmptyText) {
  ends[0].socket->write("");
  ASSERT_TRUE(run(100));
  EXPECT_EQ(ends[0].written, 0);
}

TEST_F(LineSocketTest, KeepsTheOrderOfWhatIsWrittenWhileAnotherTextIs) {
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back(std::to_string(i) + std::string(10'000, 'x'));
    ends[0].socket->write(expected.back() + '\n');
    ends[0].socket->write("");
  }
  EXPECT_GT(ends[0].socket->unwritten(), 3'000'000);
  ASSERT_TRUE(run(10'000));
  EXPECT_EQ(ends[1].lines, expected);
}

TEST_F(LineSocketTest, TellsThatTheOtherSideHasClosed) {
  ends[0].socket->write("last\n");
  ASSERT_TRUE(run(100));
  ends[0].socket->close();
  ASSERT_TRUE(run(100));
  EXPECT_THAT(ends[1].lines, ElementsAre("last"));
  EXPECT_EQ(ends[1].closed, 1);
  EXPECT_EQ(ends[0].closed, 0) << "who closes it knows";
  ends[1].socket->write("to nobody\n");
  EXPECT_EQ(ends[1].socket->unwritten(), 0);
}

}  // namespace
}  // namespace quarry::engine
