#include "cli/standard_input.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

/// A pipe in place of standard input.
class StandardInput : public ::testing::Test {
 protected:
  StandardInput() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    ::close(ends[0]);
    writer_ = Fd(ends[1]);
  }
  ~StandardInput() override { ::dup2(saved_.get(), STDIN_FILENO); }

  void write(const std::string& text) const { ASSERT_TRUE(write_all(writer_.get(), text)); }

  Signals signals_;
  Fd saved_{::dup(STDIN_FILENO)};
  Fd writer_;
};

TEST_F(StandardInput, IsReadToItsEnd) {
  write("one\ntwo");
  writer_ = Fd();
  EXPECT_EQ(*read_standard_input(signals_, 100), "one\ntwo");
}

TEST_F(StandardInput, IsNotReadMuchBeyondTheLimit) {
  write(std::string(10'000, 'x'));
  EXPECT_GT(read_standard_input(signals_, 100)->size(), 100u);
}

TEST_F(StandardInput, IsLeftByAnInterrupt) {
  write("one");
  ASSERT_EQ(::raise(SIGINT), 0);
  const auto text = read_standard_input(signals_, 100);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace quarry::cli
