#include "runner/host_call.h"

#include "base/file.h"
#include "base/testing/waiting.h"
#include "runner/frame.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace quarry::runner {
namespace {

using namespace std::chrono_literals;

/// A call with a limit of 1 ms, of a runner whose frames and processor times are those of the test.
class HostCallTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    mine_ = Fd(ends[0]);
    theirs_ = Fd(ends[1]);
    outbox_.emplace(mine_.get(), 1h);
  }
  std::unique_ptr<HostCall> make(const std::function<void()>& offer = {}) {
    return std::make_unique<HostCall>(
        request_, 1, *outbox_,
        HostCall::Limits{.call = 1ms,
                         .grace = 1h,
                         .fair = {.interval = 1ms,
                                  .times =
                                      [this] {
                                        if (waits_) times_.waited += 1h;
                                        return times_;
                                      }}},
        [this](std::string cause, bool) { failure_ = std::move(cause); }, offer);
  }
  /// Kinds of the frames that the runner has been sent; `left` gets the time of a call.
  std::vector<Kind> sent(std::int64_t* left = nullptr) {
    static_cast<void>(outbox_->drain());
    FrameBuffer buffer;
    const auto space = buffer.space();
    const auto got = ::recv(theirs_.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (got > 0) buffer.received(static_cast<std::size_t>(got));
    std::vector<Kind> kinds;
    while (const auto frame = buffer.next().value()) {
      kinds.push_back(frame->kind);
      if (left == nullptr || frame->kind != Kind::kCall) continue;
      PacketReader packet(frame->payload);
      static_cast<void>(packet.get<std::uint8_t>());
      static_cast<void>(packet.get<std::uint32_t>());
      *left = packet.get<std::int64_t>();
    }
    return kinds;
  }
  /// Checks the limits until the plugin is told that its call is over.
  void wait_until_told(HostCall& call) {
    wait_until([&] {
      call.check_limits();
      return sent() == std::vector<Kind>{Kind::kCancel};
    });
  }

  Fd mine_, theirs_;
  std::optional<Outbox> outbox_;
  Request request_{.function = Function::kData, .patient = false};
  bool waits_ = false;  // the runner has no processor
  ProcessorTimes times_;
  std::string failure_;
};

TEST_F(HostCallTest, IsOverAtItsLimitWhenTheRunnerSleeps) {
  const auto call = make();
  wait_until_told(*call);
  wait_until([&] {
    call->check_limits();
    return !failure_.empty();
  });
  EXPECT_EQ(failure_, "did not answer data within 1 ms");
}

TEST_F(HostCallTest, IsNotOverWhileTheRunnerHasNoProcessor) {
  const auto call = make();
  waits_ = true;
  for (int i = 0; i < 20; ++i) {
    call->check_limits();
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(sent().empty());
  waits_ = false;
  wait_until_told(*call);
}

TEST_F(HostCallTest, IsNotBlamedWhileTheRunnerHasNoProcessorForItsLastAnswer) {
  const auto call = make();
  wait_until_told(*call);
  waits_ = true;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(1ms);
    call->check_limits();
  }
  EXPECT_EQ(failure_, "");
}

TEST_F(HostCallTest, TakesAnAnswerThatHasComeWhenItsLimitIsNoticed) {
  const auto call = make();
  wait_until_told(*call);
  std::string reply;
  append_frame(reply, Kind::kReply, 1, [](PacketWriter& packet) {
    packet.put(std::uint8_t{1}).put(QUARRY_OK).text("{}").text("").text("");
  });
  const auto answer = call->take(reply);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->succeeded());
  EXPECT_EQ(failure_, "");
}

TEST_F(HostCallTest, LeavesItToTheHostWhenItIsOver) {
  std::int64_t left = 0;
  make()->send();
  EXPECT_EQ(sent(&left), std::vector<Kind>{Kind::kCall});
  EXPECT_EQ(left, 30'001) << "with the longest extension";
  const auto deferred = make([] {});
  deferred->send();
  EXPECT_EQ(sent(&left), std::vector<Kind>{Kind::kCall});
  EXPECT_EQ(left, 30'010) << "it may wait for others";
}

TEST_F(HostCallTest, TellsTheDeadlineOfTheCaller) {
  const quarry_call call{.struct_size = sizeof(quarry_call),
                         .context = nullptr,
                         .state = [](const quarry_call*) { return QUARRY_OK; },
                         .remaining_ms = [](const quarry_call*) { return std::int64_t{5000}; },
                         .progress = nullptr};
  request_.call = &call;
  std::int64_t left = 0;
  make()->send();
  EXPECT_EQ(sent(&left), std::vector<Kind>{Kind::kCall});
  EXPECT_EQ(left, 5000);
}

}  // namespace
}  // namespace quarry::runner
