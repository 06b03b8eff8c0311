#include "services/line_stream.h"

#include "services/testing/pipe.h"

#include <array>
#include <csignal>
#include <quarry_test.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using std::chrono::milliseconds;
using testing::Pipe;

TEST(LineStream, LosesLinesWhileNobodyReads) {
  Pipe pipe;
  LineStream stream(pipe.writer.get(), milliseconds(1));
  const std::string line = std::string(1'000, 'x') + '\n';
  int taken = 0;
  while (stream.write(line)) ++taken;
  EXPECT_GT(taken, 10);
  EXPECT_FALSE(stream.write("late\n"));
  const std::string before = pipe.taken();
  EXPECT_EQ(before.size(), static_cast<std::size_t>(taken) * line.size());
  EXPECT_TRUE(stream.write("again\n"));
  EXPECT_EQ(pipe.taken(), "again\n");
}

TEST(LineStream, ALineThatWasTakenInPartIsEndedByTheNextOne) {
  Pipe pipe;
  LineStream stream(pipe.writer.get(), milliseconds(1));
  EXPECT_FALSE(stream.write(std::string(1'000'000, 'x') + '\n'));
  const std::string part = pipe.taken();
  EXPECT_EQ(part.find_first_not_of('x'), std::string::npos);
  EXPECT_GT(part.size(), 4096U);
  EXPECT_TRUE(stream.write("next\n"));
  EXPECT_TRUE(stream.write("and next\n"));
  EXPECT_EQ(pipe.taken(), "\nnext\nand next\n");
}

TEST(LineStream, ALongLineArrivesInWholeWhereSomebodyReads) {
  Pipe pipe;
  LineStream stream(pipe.writer.get(), patience(milliseconds(30'000)));
  const std::string line = std::string(1'000'000, 'x') + '\n';
  std::string read;
  std::thread reader([&] {
    std::array<char, 1000> part{};
    while (read.size() < line.size()) {
      const auto size = ::read(pipe.reader.get(), part.data(), part.size());
      if (size <= 0) return;
      read.append(part.data(), static_cast<std::size_t>(size));
    }
  });
  EXPECT_TRUE(stream.write(line));
  reader.join();
  EXPECT_EQ(read, line);
}

TEST(LineStream, AClosedReaderTakesNothing) {
  Pipe pipe;
  pipe.reader = Fd();
  LineStream stream(pipe.writer.get(), std::chrono::seconds(30));
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_FALSE(stream.write("line\n"));
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace quarry::services
