#include "runner/outbox.h"

#include "base/file.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class OutboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    mine_ = Fd(ends[0]);
    theirs_ = Fd(ends[1]);
  }
  /// Reads `count` frames; their call numbers.
  std::vector<std::uint32_t> read_frames(std::size_t count) {
    std::vector<std::uint32_t> calls;
    while (calls.size() < count) {
      const auto space = buffer_.space();
      const auto got = ::recv(theirs_.get(), space.data(), space.size(), 0);
      if (got <= 0) break;
      buffer_.received(static_cast<std::size_t>(got));
      while (const auto frame = buffer_.next().value()) {
        calls.push_back(frame->call);
        texts_.emplace_back(PacketReader(frame->payload).text());
      }
    }
    return calls;
  }

  Fd mine_, theirs_;
  FrameBuffer buffer_;
  std::vector<std::string> texts_;  // first field of each frame
};

constexpr auto kEmpty = [](PacketWriter&) {};
const auto kMegabyte = [](PacketWriter& packet) { packet.text(std::string(1u << 20, 'x')); };

TEST_F(OutboxTest, KeepsTheOrderOfSentAndPostedFrames) {
  Outbox outbox(mine_.get(), 10s);
  std::jthread sender([&] { outbox.run(); });
  std::jthread writer([&] {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      EXPECT_TRUE(i % 3 == 0 ? outbox.send(Kind::kFile, i, kEmpty)
                             : outbox.post(Kind::kFile, i, kEmpty));
    }
  });
  const auto calls = read_frames(1000);
  EXPECT_EQ(calls.size(), 1000u);
  for (std::uint32_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], i);
  writer.join();
  outbox.stop();
}

TEST_F(OutboxTest, JoinsTextThatWasNotSentYet) {
  Outbox outbox(mine_.get(), 10s);
  const auto post = [&](Kind kind, std::uint32_t call, std::string_view text) {
    return outbox.post_text(kind, call, text).value();
  };
  EXPECT_EQ(post(Kind::kText, 1, "ab"), kFrameOverhead + 6);
  EXPECT_EQ(post(Kind::kText, 1, "c"), 1u);
  EXPECT_EQ(post(Kind::kReasoning, 1, "d"), kFrameOverhead + 5);
  EXPECT_EQ(post(Kind::kText, 2, "e"), kFrameOverhead + 5);
  EXPECT_EQ(post(Kind::kText, 2, std::string(20'000, 'f')), kFrameOverhead + 20'004);
  ASSERT_TRUE(outbox.send(Kind::kFinish, 2, kEmpty));
  EXPECT_EQ(post(Kind::kText, 1, "g"), kFrameOverhead + 5);
  ASSERT_TRUE(outbox.send(Kind::kFinish, 1, kEmpty));
  EXPECT_EQ(read_frames(7), (std::vector<std::uint32_t>{1, 1, 2, 2, 2, 1, 1}));
  EXPECT_EQ(texts_,
            (std::vector<std::string>{"abc", "d", "e", std::string(20'000, 'f'), "", "g", ""}));
}

TEST_F(OutboxTest, SendsWholeFramesFromManyThreads) {
  Outbox outbox(mine_.get(), 10s);
  std::vector<std::thread> threads;
  for (std::uint32_t number = 0; number < 8; ++number) {
    threads.emplace_back([&outbox, number] {
      for (int i = 0; i < 10; ++i) ASSERT_TRUE(outbox.send(Kind::kFile, number, kMegabyte));
    });
  }
  EXPECT_EQ(read_frames(80).size(), 80u);
  for (auto& thread : threads) thread.join();
}

TEST_F(OutboxTest, FailsForAPeerThatDoesNotRead) {
  Outbox outbox(mine_.get(), 20ms);
  const auto sent = outbox.send(Kind::kFile, 1, kMegabyte);
  ASSERT_FALSE(sent);
  EXPECT_THAT(sent.error().message, HasSubstr("did not read"));
  EXPECT_FALSE(outbox.send(Kind::kFile, 1, kEmpty));
}

TEST_F(OutboxTest, ItsThreadEndsWhenThePeerIsGone) {
  Outbox outbox(mine_.get(), 10s);
  std::thread sender([&] { outbox.run(); });
  { const Fd closed = std::move(theirs_); }
  static_cast<void>(outbox.post(Kind::kFile, 1, kEmpty));
  sender.join();
  EXPECT_FALSE(outbox.post(Kind::kFile, 1, kEmpty));
}

}  // namespace
}  // namespace quarry::runner
