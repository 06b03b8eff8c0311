#include "runner/shared_reader.h"

#include "base/testing/waiting.h"

#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kWaits = 1;  ///< call of a frame whose dispatch waits for resume()
constexpr std::uint32_t kFault = 2;

/// A reader of frames, and the peer that sends them.
class SharedReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    mine_ = Fd(ends[0]);
    theirs_ = Fd(ends[1]);
    ended_ = Fd(::eventfd(0, EFD_CLOEXEC));
    make(1h);
  }
  void make(std::chrono::milliseconds patience) {
    reader_.emplace(mine_.get(), *ReadyPoll::make(), patience,
                    [this](FrameBuffer& buffer) { return dispatch(buffer); });
  }
  void TearDown() override {
    if (!running_.joinable()) return;
    theirs_ = Fd();
    running_.join();
  }
  std::optional<std::string> dispatch(FrameBuffer& buffer) {
    while (const auto frame = buffer.next().value()) {
      {
        const std::lock_guard lock(mutex_);
        seen_.emplace_back(frame->call, std::this_thread::get_id());
      }
      came_.notify_all();
      if (echoes_ > 0) {
        --echoes_;
        send(frame->call + 1);
      }
      if (frame->call == kWaits) resumed_.get_future().wait();
      if (frame->call != kFault) continue;
      ::shutdown(mine_.get(), SHUT_RDWR);
      return "sent what it must not";
    }
    return std::nullopt;
  }
  void send(std::uint32_t call) {
    std::string frame;
    append_frame(frame, Kind::kFile, call, [](PacketWriter&) {});
    ASSERT_EQ(::send(theirs_.get(), frame.data(), frame.size(), 0),
              static_cast<ssize_t>(frame.size()));
  }
  void run() {
    running_ = std::thread([this] { cause_ = reader_->run(ended_.get()); });
  }
  /// The thread that dispatched the frame of `call`, once it has.
  std::thread::id reader_of(std::uint32_t call) {
    std::unique_lock lock(mutex_);
    std::thread::id reader;
    came_.wait(lock, [&] {
      for (const auto& [seen, thread] : seen_) {
        if (seen == call) reader = thread;
      }
      return reader != std::thread::id();
    });
    return reader;
  }
  /// Once no other thread reads.
  void read_now_when_free() {
    wait_until([&] { return reader_->read_now() != SharedReader::Now::kBusy; });
  }
  bool read() {
    return reader_->read([] { return true; });
  }

  Fd mine_, theirs_, ended_;
  std::optional<SharedReader> reader_;
  std::thread running_;
  std::string cause_;  // why run() has ended
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::pair<std::uint32_t, std::thread::id>> seen_;
  std::promise<void> resumed_;
  int echoes_ = 0;  // so many of the next frames have another one sent when they are dispatched
};

TEST_F(SharedReaderTest, AThreadThatWaitsReadsItself) {
  send(7);
  EXPECT_TRUE(read());
  EXPECT_EQ(reader_of(7), std::this_thread::get_id());
}

TEST_F(SharedReaderTest, AThreadThatHasItsFramesDoesNotWait) {
  EXPECT_TRUE(reader_->read([] { return false; }));
  EXPECT_TRUE(seen_.empty());
}

TEST_F(SharedReaderTest, AThreadWaitsNoLongerThanThePatience) {
  make(1ms);
  EXPECT_TRUE(read());
  EXPECT_TRUE(seen_.empty());
}

TEST_F(SharedReaderTest, OneThreadReadsAtATime) {
  std::jthread first([&] { EXPECT_TRUE(read()); });
  send(kWaits);
  reader_of(kWaits);
  EXPECT_FALSE(read());
  resumed_.set_value();
}

TEST_F(SharedReaderTest, TheThreadInRunReadsWhenNobodyElseDoes) {
  run();
  for (std::uint32_t i = 10; i < 20; ++i) {
    send(i);
    EXPECT_EQ(reader_of(i), running_.get_id());
  }
}

TEST_F(SharedReaderTest, WhatComesWhileAThreadReadsIsReadWhenItHasLeft) {
  std::jthread first([&] { EXPECT_TRUE(read()); });
  send(kWaits);
  reader_of(kWaits);
  run();
  send(7);
  resumed_.set_value();
  EXPECT_EQ(reader_of(7), running_.get_id());
}

TEST_F(SharedReaderTest, ManyThreadsAndTheOneInRunReadEveryFrameOnce) {
  make(1ms);
  run();
  constexpr std::uint32_t kFrames = 2000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) read();
      });
    }
    for (std::uint32_t i = 10; i < 10 + kFrames; ++i) send(i);
    reader_of(9 + kFrames);
  }
  ASSERT_EQ(seen_.size(), kFrames);
  for (std::uint32_t i = 0; i < kFrames; ++i) EXPECT_EQ(seen_[i].first, 10 + i);
}

TEST_F(SharedReaderTest, TheEndOfTheConnectionSeenByAnotherThreadEndsRun) {
  run();
  std::jthread first([&] {
    while (read()) continue;
  });
  theirs_ = Fd();
  running_.join();
  EXPECT_EQ(cause_, "closed its connection");
  EXPECT_FALSE(read());
}

TEST_F(SharedReaderTest, AFaultSeenByAnotherThreadEndsRun) {
  send(kFault);
  send(7);
  EXPECT_TRUE(read());
  EXPECT_FALSE(read());
  run();
  running_.join();
  EXPECT_EQ(cause_, "sent what it must not");
  EXPECT_TRUE(seen_.empty() || seen_.back().first == kFault);
}

TEST_F(SharedReaderTest, WhatWasSentBeforeTheEndOfTheProcessIsRead) {
  send(7);
  ASSERT_EQ(::eventfd_write(ended_.get(), 1), 0);
  EXPECT_EQ(reader_->run(ended_.get()), "ended");
  EXPECT_EQ(reader_of(7), std::this_thread::get_id());
  EXPECT_FALSE(read());
}

TEST_F(SharedReaderTest, TheEndOfTheProcessWaitsForTheThreadThatReads) {
  std::jthread first([&] { EXPECT_TRUE(read()); });
  send(kWaits);
  reader_of(kWaits);
  ASSERT_EQ(::eventfd_write(ended_.get(), 1), 0);
  run();
  send(7);
  resumed_.set_value();
  running_.join();
  EXPECT_EQ(cause_, "ended");
  EXPECT_NE(reader_of(7), std::thread::id());
}

TEST_F(SharedReaderTest, ChecksWhatIsDueThoughAnotherDescriptorIsAlwaysReadable) {
  const Fd always(::eventfd(1, EFD_CLOEXEC));
  int checks = 0;
  int reads = 0;
  const auto readable = [&] {
    if (++reads == 1000) theirs_ = Fd();
    return true;
  };
  const auto check = [&] { return ++checks, 0ms; };
  const auto cause = reader_->run(
      ended_.get(), {.descriptor = always.get(), .readable = readable, .check = check});
  EXPECT_EQ(cause, "closed its connection");
  EXPECT_GE(checks, reads);
}

TEST_F(SharedReaderTest, ChecksWhatIsDueThoughThePeerNeverPauses) {
  echoes_ = 1000;
  int checks = 0;
  int left = 0;
  send(10);
  const auto check = [&] {
    if (++checks == 10) {
      left = std::exchange(echoes_, 0);
      theirs_ = Fd();
    }
    return 0ms;
  };
  EXPECT_EQ(reader_->run(ended_.get(), {.check = check}), "closed its connection");
  EXPECT_GT(left, 0);
}

TEST_F(SharedReaderTest, LeavesAClaimedSocketToReadNow) {
  run();
  send(10);
  const auto first = reader_of(10);
  EXPECT_EQ(first, running_.get_id());
  reader_->claim();
  read_now_when_free();
  send(11);
  EXPECT_EQ(reader_->read_now(), SharedReader::Now::kRead);
  EXPECT_EQ(reader_of(11), std::this_thread::get_id());
  EXPECT_EQ(reader_->read_now(), SharedReader::Now::kRead) << "nothing has come";
  reader_->release();
  send(12);
  EXPECT_EQ(reader_of(12), running_.get_id());
}

TEST_F(SharedReaderTest, ReadsNothingNowWhileAnotherThreadReads) {
  run();
  send(kWaits);
  reader_of(kWaits);
  EXPECT_EQ(reader_->read_now(), SharedReader::Now::kBusy);
  resumed_.set_value();
}

TEST_F(SharedReaderTest, ReadsOnceNowThoughMoreHasCome) {
  echoes_ = 1000;
  send(10);
  EXPECT_EQ(reader_->read_now(), SharedReader::Now::kRead);
  EXPECT_EQ(seen_.size(), 1u);
  EXPECT_EQ(reader_->read_now(), SharedReader::Now::kRead);
  EXPECT_EQ(seen_.size(), 2u);
}

TEST_F(SharedReaderTest, EndsThoughTheSocketIsClaimed) {
  run();
  reader_->claim();
  send(kFault);
  read_now_when_free();
  running_.join();
  EXPECT_EQ(cause_, "sent what it must not");
  EXPECT_EQ(reader_->read_now(), SharedReader::Now::kOver);
}

}  // namespace
}  // namespace quarry::runner
