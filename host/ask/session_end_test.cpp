#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"

#include <chrono>
#include <latch>

#include <boost/asio/post.hpp>

namespace quarry::ask {
namespace {

using testing::call_tools;
using testing::say;
using testing::TestServices;

/// A model that hangs until the stop.
void hang(const std::string&, std::stop_token stop, StepSink& sink) {
  std::latch stopped(1);
  const std::stop_callback callback(stop, [&] { stopped.count_down(); });
  stopped.wait();
  sink.error({.code = Code::kCancelled, .message = "cancelled"});
}

TEST(Session, CanBeStoppedWhileResourcesArePrepared) {
  TestServices services;
  services.library.hang = true;
  const auto question = services.start(services.request({say("never")}));
  services.wait_for(question, "resource.progress");
  question->stop(StopReason::kAsked);
  const auto events = services.events(question);
  EXPECT_EQ(events.back().json["finishReason"], "cancelled");
  EXPECT_EQ(events.back().json["steps"], 0);
}

TEST(Session, CanBeStoppedWhileTheModelSpeaks) {
  TestServices services;
  const auto question =
      services.start(services.request({[](const auto& r, auto stop, StepSink& sink) {
        sink.text("half");
        hang(r, stop, sink);
      }}));
  services.wait_for(question, "text.delta");
  question->stop(StopReason::kAsked);
  const auto events = services.events(question);
  EXPECT_EQ(events.back().json["finishReason"], "cancelled");
  EXPECT_EQ(events.back().json["text"], "half");
}

TEST(Session, CanBeStoppedWhileToolsRun) {
  TestServices services;
  services.tool = [](std::string_view, const Json&, std::stop_token stop) -> Result<ToolResult> {
    std::latch stopped(1);
    const std::stop_callback callback(stop, [&] { stopped.count_down(); });
    stopped.wait();
    return Error{Code::kCancelled, "stopped"};
  };
  const auto question =
      services.start(services.request({call_tools({{"grep", ""}}), say("never")}));
  services.wait_for(question, "tool.updated");
  question->stop(StopReason::kAsked);
  EXPECT_EQ(services.events(question).back().json["finishReason"], "cancelled");
}

TEST(Session, IsCancelledWhenTheLastReaderStaysAway) {
  TestServices services;
  auto request = services.request({hang});
  request.limits.reader_grace = std::chrono::milliseconds(1);
  const auto question = services.start(std::move(request));
  services.wait_until_idle();
  EXPECT_TRUE(question->log()->finished());
  EXPECT_EQ(services.events(question).back().json["finishReason"], "cancelled");
}

// The thread of the timers is busy while the first grace time ends and the reader leaves.
TEST(Session, GivesTheGraceToAReaderThatLeavesAsAnEarlierOneEnds) {
  constexpr std::chrono::milliseconds kGrace(20);
  using Steady = std::chrono::steady_clock;
  TestServices services;
  std::latch may_go_on(1);
  boost::asio::post(services.services().io, [&] { may_go_on.wait(); });
  auto stopped = Steady::time_point::min();
  auto request = services.request({[&](const auto& text, auto stop, StepSink& sink) {
    hang(text, stop, sink);
    stopped = Steady::now();
  }});
  request.limits.reader_grace = kGrace;
  const auto question = services.start(std::move(request));
  auto reader = question->log()->open(0, [] {});
  wait_until([over = Steady::now() + kGrace] { return Steady::now() > over; });
  const auto left = Steady::now();
  reader.reset();
  may_go_on.count_down();
  services.wait_until_idle();
  EXPECT_GE(stopped, left + kGrace);
}

TEST(Session, AModelThatHangsEndsInATimeOut) {
  const auto says_what_it_waited_for = [](std::chrono::milliseconds limit) {
    TestServices services;
    auto request = services.request({hang});
    request.limits.max_time = limit;
    const auto events = services.events(services.start(std::move(request)));
    EXPECT_EQ(events.back().json["tag"], "TimeoutError");
    return events.back().json["message"].get<std::string>().contains("s: the model ");
  };
  EXPECT_TRUE(succeeds_with_some_limit(std::chrono::milliseconds(50), says_what_it_waited_for));
}

TEST(Session, AnAnswerLargerThanItsLimitEndsInAnError) {
  TestServices services;
  auto request = services.request({[](const std::string&, std::stop_token, StepSink& sink) {
    while (sink.text("0123456789")) {
    }
    sink.finish(plugins::Finish::kStop);
  }});
  request.limits.max_event_bytes = 2000;
  const auto events = services.events(services.start(std::move(request)));
  EXPECT_EQ(events.back().json["tag"], "AgentError");
  EXPECT_NE(events.back().json["message"].get<std::string>().find("2000 bytes"), std::string::npos);
}

}  // namespace
}  // namespace quarry::ask
