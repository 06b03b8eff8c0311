#include "runner/call_threads.h"

#include "base/testing/waiting.h"

#include <algorithm>
#include <condition_variable>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;

/// Threads that run a call for each frame of kCall, and the host that sends the frames.
class Served {
 public:
  explicit Served(std::size_t most, std::chrono::milliseconds idle = 1h) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    host_ = Fd(ends[0]);
    runner_ = Fd(ends[1]);
    threads_ = *CallThreads::make(runner_.get(), most, idle);
    threads_->start([this](FrameBuffer& received) { return take(received); });
  }

  /// Sends `count` frames at once.
  void send(Kind kind, int count = 1) {
    std::string frames;
    for (int i = 0; i < count; ++i) append_frame(frames, kind, 1, [](PacketWriter&) {});
    ASSERT_EQ(::send(host_.get(), frames.data(), frames.size(), 0),
              static_cast<ssize_t>(frames.size()));
  }
  /// Waits until `count` calls have begun since the start.
  void wait_for_begun(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ == count; });
  }
  void wait_for_cancels(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return cancels_ == count; });
  }
  /// Lets `count` more calls return, and waits until they have.
  void release(int count) {
    std::unique_lock lock(mutex_);
    released_ += count;
    changed_.notify_all();
    changed_.wait(lock, [&] { return ended_ == released_; });
  }
  int most_at_once() {
    const std::lock_guard lock(mutex_);
    return most_at_once_;
  }
  std::size_t threads() { return threads_->threads(); }
  /// Waits until no thread has anything to do.
  void wait_until_idle() {
    wait_until([&] { return threads_->waiting() == threads_->threads(); });
  }

 private:
  bool take(FrameBuffer& received) {
    Frame frame;
    while (received.next(frame) == Taken::kFrame) {
      if (frame.kind == Kind::kCall) {
        threads_->submit([this] { run(); });
        continue;
      }
      const std::lock_guard lock(mutex_);
      ++cancels_;
      changed_.notify_all();
    }
    return true;
  }
  void run() {
    std::unique_lock lock(mutex_);
    const int number = begun_++;
    most_at_once_ = std::max(most_at_once_, begun_ - ended_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return number < released_; });
    ++ended_;
    changed_.notify_all();
  }

  Fd host_, runner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0, ended_ = 0, released_ = 0, cancels_ = 0, most_at_once_ = 0;
  std::unique_ptr<CallThreads> threads_;  // last: they use the others
};

TEST(CallThreads, RunACallWhileAnotherThreadReads) {
  constexpr int kCalls = 50;
  Served served(kCalls);
  for (int i = 1; i <= kCalls; ++i) {
    served.send(Kind::kCall);
    served.wait_for_begun(i);
    served.send(Kind::kCancel);
    served.wait_for_cancels(i);
    served.release(1);
    served.wait_until_idle();
  }
  EXPECT_EQ(served.threads(), 2u);
}

TEST(CallThreads, RunCallsThatCameTogetherAtOnce) {
  Served served(8);
  served.send(Kind::kCall, 8);
  served.wait_for_begun(8);
  EXPECT_EQ(served.threads(), 9u);
  served.release(8);
}

TEST(CallThreads, LetCallsBeyondTheMostWaitAndReadMeanwhile) {
  Served served(3);
  served.send(Kind::kCall, 5);
  served.wait_for_begun(3);
  served.send(Kind::kCall, 2);
  served.send(Kind::kCancel);
  served.wait_for_cancels(1);
  for (int ended = 1; ended <= 4; ++ended) {
    served.release(1);
    served.wait_for_begun(3 + ended);
  }
  EXPECT_EQ(served.most_at_once(), 3);
  EXPECT_EQ(served.threads(), 4u);
  served.release(3);
}

TEST(CallThreads, EndAfterAnIdleTimeButForTwo) {
  Served served(8, 1ms);
  for (int round = 1; round <= 3; ++round) {
    served.send(Kind::kCall, 8);
    served.wait_for_begun(8 * round);
    served.release(8);
    wait_until([&] { return served.threads() <= 2; });
  }
  served.send(Kind::kCall);
  served.wait_for_begun(25);
  served.release(1);
}

}  // namespace
}  // namespace quarry::runner
