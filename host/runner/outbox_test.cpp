#include "runner/outbox.h"

#include "base/file.h"

#include <future>
#include <quarry_test.h>
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

  /// True if the peer has received nothing more.
  [[nodiscard]] bool nothing_came() const {
    char byte = 0;
    return ::recv(theirs_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
  }

  Fd mine_, theirs_;
  FrameBuffer buffer_;
  std::vector<std::string> texts_;  // first field of each frame
};

constexpr auto kEmpty = [](PacketWriter&) {};
const auto kMegabyte = [](PacketWriter& packet) { packet.text(std::string(1u << 20, 'x')); };

TEST_F(OutboxTest, KeepsTheOrderOfUrgentAndOtherFrames) {
  Outbox outbox(mine_.get(), patience(10s));
  std::jthread sender([&] { outbox.run(); });
  std::jthread writer([&] {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const auto urgency = i % 3 == 0 ? Urgency::kNow : Urgency::kSoon;
      EXPECT_TRUE(outbox.send(Kind::kFile, i, kEmpty, urgency));
    }
  });
  const auto calls = read_frames(1000);
  EXPECT_EQ(calls.size(), 1000u);
  for (std::uint32_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], i);
  writer.join();
  outbox.stop();
}

TEST_F(OutboxTest, JoinsTextThatWasNotSentYet) {
  Outbox outbox(mine_.get(), patience(10s), 1h);
  const auto send = [&](Kind kind, std::uint32_t call, std::string_view text) {
    std::size_t added = 0;
    EXPECT_TRUE(outbox.send_text(kind, call, text, Urgency::kWithNext,
                                 [&](std::size_t bytes) { added = bytes; }));
    return added;
  };
  EXPECT_EQ(send(Kind::kText, 1, "ab"), kFrameOverhead + 6);
  EXPECT_EQ(send(Kind::kText, 1, "c"), 1u);
  EXPECT_EQ(send(Kind::kReasoning, 1, "d"), kFrameOverhead + 5);
  EXPECT_EQ(send(Kind::kText, 2, "e"), kFrameOverhead + 5);
  EXPECT_EQ(send(Kind::kText, 2, std::string(20'000, 'f')), kFrameOverhead + 20'004);
  ASSERT_TRUE(outbox.send(Kind::kFinish, 2, kEmpty));
  EXPECT_EQ(send(Kind::kText, 1, "g"), kFrameOverhead + 5);
  ASSERT_TRUE(outbox.send(Kind::kFinish, 1, kEmpty));
  EXPECT_EQ(read_frames(7), (std::vector<std::uint32_t>{1, 1, 2, 2, 2, 1, 1}));
  EXPECT_EQ(texts_,
            (std::vector<std::string>{"abc", "d", "e", std::string(20'000, 'f'), "", "g", ""}));
}

TEST_F(OutboxTest, SendsTheFirstFrameAfterAPauseAtOnce) {
  Outbox outbox(mine_.get(), patience(10s), 1h);
  ASSERT_TRUE(outbox.send(Kind::kFile, 1, kEmpty, Urgency::kSoon));
  EXPECT_EQ(read_frames(1).size(), 1u);
  ASSERT_TRUE(outbox.send(Kind::kFile, 2, kEmpty, Urgency::kSoon));
  EXPECT_TRUE(nothing_came());
}

TEST_F(OutboxTest, SendsFramesThatWaitWithAnUrgentOne) {
  Outbox outbox(mine_.get(), patience(10s), 1h);
  ASSERT_TRUE(outbox.send(Kind::kFile, 1, kEmpty, Urgency::kWithNext));
  EXPECT_TRUE(nothing_came());
  ASSERT_TRUE(outbox.send(Kind::kFile, 2, kEmpty));
  ASSERT_TRUE(outbox.send(Kind::kFile, 3, kEmpty, Urgency::kSoon));
  ASSERT_TRUE(outbox.send(Kind::kFile, 4, kEmpty));
  EXPECT_EQ(read_frames(4), (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST_F(OutboxTest, SendsFramesThatWaitWhenTheyAreABatch) {
  Outbox outbox(mine_.get(), patience(10s), 1h);
  ASSERT_TRUE(outbox.send(Kind::kFile, 0, kEmpty));
  const std::string part(Outbox::kBatch / 4, 'x');
  const auto fill = [&](PacketWriter& packet) { packet.text(part); };
  EXPECT_EQ(read_frames(1).size(), 1u);
  for (std::uint32_t i = 1; i < 4; ++i) {
    ASSERT_TRUE(outbox.send(Kind::kFile, i, fill, Urgency::kSoon));
    EXPECT_TRUE(nothing_came());
  }
  ASSERT_TRUE(outbox.send(Kind::kFile, 4, fill, Urgency::kSoon));
  EXPECT_EQ(read_frames(4), (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST_F(OutboxTest, SendsFramesThatWaitAfterTheDelay) {
  Outbox outbox(mine_.get(), patience(10s), 1ms);
  std::jthread sender([&] { outbox.run(); });
  for (std::uint32_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(outbox.send(Kind::kFile, 2 * i, kEmpty));
    ASSERT_TRUE(outbox.send(Kind::kFile, 2 * i + 1, kEmpty, Urgency::kSoon));
    EXPECT_EQ(read_frames(2), (std::vector<std::uint32_t>{2 * i, 2 * i + 1}));
  }
  outbox.stop();
}

TEST_F(OutboxTest, IsDrainedWhenWhatAnotherThreadSendsIsSent) {
  Outbox outbox(mine_.get(), patience(10s), 1h);
  std::jthread other([&] { EXPECT_TRUE(outbox.send(Kind::kFile, 1, kMegabyte)); });
  char byte = 0;
  ASSERT_EQ(::recv(theirs_.get(), &byte, 1, MSG_PEEK), 1);  // it has begun, and needs a reader
  ASSERT_TRUE(outbox.send(Kind::kFile, 2, kEmpty));
  auto drained = std::async(std::launch::async, [&] { return outbox.drain(); });
  EXPECT_EQ(drained.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(read_frames(2), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(drained.get());
}

TEST_F(OutboxTest, IsDrainedOfFramesThatWait) {
  Outbox outbox(mine_.get(), patience(10s), 1h);
  ASSERT_TRUE(outbox.send(Kind::kFile, 1, kEmpty, Urgency::kWithNext));
  EXPECT_TRUE(outbox.drain());
  EXPECT_EQ(read_frames(1), std::vector<std::uint32_t>{1});
  EXPECT_TRUE(outbox.drain()) << "nothing waits";
  theirs_ = Fd();
  EXPECT_FALSE(outbox.send(Kind::kFile, 2, kEmpty));
  EXPECT_FALSE(outbox.drain());
}

TEST_F(OutboxTest, ItsThreadStopsWhileFramesWait) {
  Outbox outbox(mine_.get(), patience(10s), 1h);
  std::jthread sender([&] { outbox.run(); });
  ASSERT_TRUE(outbox.send(Kind::kFile, 1, kEmpty));
  ASSERT_TRUE(outbox.send(Kind::kFile, 2, kEmpty, Urgency::kSoon));
  outbox.stop();
}

TEST_F(OutboxTest, SendsWholeFramesFromManyThreads) {
  Outbox outbox(mine_.get(), patience(10s));
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
  EXPECT_FALSE(outbox.send(Kind::kFile, 1, kMegabyte));
  EXPECT_THAT(outbox.failure(), HasSubstr("did not read"));
  EXPECT_FALSE(outbox.send(Kind::kFile, 1, kEmpty));
}

TEST_F(OutboxTest, ItsThreadEndsWhenThePeerIsGone) {
  Outbox outbox(mine_.get(), patience(10s));
  std::thread sender([&] { outbox.run(); });
  { const Fd closed = std::move(theirs_); }
  static_cast<void>(outbox.send(Kind::kFile, 1, kEmpty, Urgency::kSoon));
  sender.join();
  EXPECT_FALSE(outbox.send(Kind::kFile, 1, kEmpty, Urgency::kSoon));
}

TEST_F(OutboxTest, OffersWhatWasAppendedInOneWrite) {
  Outbox outbox(mine_.get(), patience(10s));
  for (std::uint32_t i = 1; i <= 3; ++i) EXPECT_TRUE(outbox.append(Kind::kCall, i, kEmpty));
  EXPECT_TRUE(nothing_came());
  EXPECT_EQ(outbox.offer(), Outbox::Offered::kSent);
  EXPECT_EQ(read_frames(3), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST_F(OutboxTest, SendsLaterWhatThePeerDoesNotTakeNow) {
  Outbox outbox(mine_.get(), patience(10s));
  for (std::uint32_t i = 1; i <= 4; ++i) EXPECT_TRUE(outbox.append(Kind::kCall, i, kMegabyte));
  EXPECT_EQ(outbox.offer(), Outbox::Offered::kWaits);
  std::jthread sender([&] { EXPECT_TRUE(outbox.send_waiting()); });
  EXPECT_EQ(read_frames(4), (std::vector<std::uint32_t>{1, 2, 3, 4}));
  for (const std::string& text : texts_) EXPECT_EQ(text.size(), 1u << 20);
}

TEST_F(OutboxTest, LeavesAnOfferToTheThreadThatSends) {
  Outbox outbox(mine_.get(), patience(10s));
  std::jthread sender([&] { EXPECT_TRUE(outbox.send(Kind::kCall, 1, kMegabyte)); });
  char byte = 0;
  ASSERT_EQ(::recv(theirs_.get(), &byte, 1, MSG_PEEK), 1) << "it is sending";
  EXPECT_TRUE(outbox.append(Kind::kCall, 2, kEmpty));
  EXPECT_EQ(outbox.offer(), Outbox::Offered::kSent);
  EXPECT_EQ(read_frames(2), (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(OutboxTest, OffersNothingToAPeerThatHasClosed) {
  Outbox outbox(mine_.get(), patience(10s));
  EXPECT_TRUE(outbox.append(Kind::kCall, 1, kEmpty));
  theirs_ = Fd();
  EXPECT_EQ(outbox.offer(), Outbox::Offered::kFailed);
  EXPECT_EQ(outbox.failure(), Outbox::kClosed);
  EXPECT_EQ(outbox.offer(), Outbox::Offered::kFailed);
  EXPECT_FALSE(outbox.append(Kind::kCall, 2, kEmpty));
  EXPECT_FALSE(outbox.send_waiting());
}

}  // namespace
}  // namespace quarry::runner
