#include "services/tracer.h"

#include "base/testing/fake_clock.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::services {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::string_view kSampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr std::string_view kNotSampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
/// Within every ratio but 0, if the sender's ids decided.
constexpr std::string_view kLikely = "00-ffffffffffffffffffffffffffffffff-00f067aa0ba902b7-01";

struct TracerTest : ::testing::Test {
  Tracer tracer(double ratio, bool content = false) {
    return {clock, {.ratio = ratio, .content = content}, [this](std::string span) {
              spans.push_back(json::parse(span));
            }};
  }
  Tracer::Arrival arrival(std::string_view traceparent, bool trusted = true) {
    return {traceparent, trusted, clock.steady_now()};
  }

  FakeClock clock;
  std::vector<json> spans;
};

TEST_F(TracerTest, ASpanBeginsAtTheArrivalAndEndsOnce) {
  const Tracer traces = tracer(1);
  const auto arrived = arrival(kSampled);
  const auto at = clock.now();
  clock.advance(2s);
  auto span = traces.begin("question.ask", arrived);
  span.set("a", "b");
  clock.advance(3s);
  span.end();
  span.end();
  span.fail("late");
  ASSERT_EQ(spans.size(), 1u);
  const auto nanoseconds = [](Clock::Wall when) {
    return std::to_string(
        std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count());
  };
  EXPECT_EQ(spans[0]["startTimeUnixNano"], nanoseconds(at));
  EXPECT_EQ(spans[0]["endTimeUnixNano"], nanoseconds(at + 5s));
  EXPECT_EQ(spans[0]["name"], "question.ask");
  EXPECT_EQ(spans[0]["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(spans[0]["parentSpanId"], "00f067aa0ba902b7");
  EXPECT_EQ(spans[0]["flags"], 0x301);
  EXPECT_FALSE(spans[0].contains("status"));
}

TEST_F(TracerTest, ChildrenNameTheirParent) {
  const Tracer traces = tracer(1);
  {
    const auto root = traces.begin("question.ask", arrival(""));
    auto child = SpanParent(root).begin("chat", "gpt-4", SpanKind::kClient);
    child.fail("timeout");
    EXPECT_EQ(SpanParent(child).traceparent().substr(0, 36),
              SpanParent(root).traceparent().substr(0, 36));
  }
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0]["name"], "chat gpt-4");
  EXPECT_EQ(spans[0]["kind"], 3);
  EXPECT_EQ(spans[0]["parentSpanId"], spans[1]["spanId"]);
  EXPECT_EQ(spans[0]["traceId"], spans[1]["traceId"]);
  EXPECT_NE(spans[0]["spanId"], spans[1]["spanId"]);
  EXPECT_EQ(spans[0]["flags"], 0x101);
  EXPECT_EQ(spans[0]["status"]["code"], 2);
  EXPECT_EQ(spans[0]["attributes"][0]["key"], "error.type");
  EXPECT_FALSE(spans[1].contains("parentSpanId"));
}

TEST_F(TracerTest, ATrustedSenderDecidesWhatIsRecorded) {
  EXPECT_TRUE(tracer(0).begin("x", arrival(kSampled)).is_recorded());
  EXPECT_FALSE(tracer(1).begin("x", arrival(kNotSampled)).is_recorded());
}

TEST_F(TracerTest, AnotherSenderDecidesNothingButIsJoined) {
  EXPECT_FALSE(tracer(0).begin("x", arrival(kSampled, false)).is_recorded());
  EXPECT_TRUE(tracer(1).begin("x", arrival(kNotSampled, false)).is_recorded());
  const Tracer half = tracer(0.5);
  int recorded = 0;
  for (int i = 0; i < 1000; ++i) {
    recorded += half.begin("x", arrival(kLikely, false)).is_recorded() ? 1 : 0;
  }
  EXPECT_NEAR(recorded, 500, 150);
  EXPECT_EQ(spans.back()["traceId"], std::string(32, 'f'));
}

TEST_F(TracerTest, OfAnInvalidParentNothingIsUsed) {
  const auto upper = "00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01";
  EXPECT_FALSE(tracer(0).begin("x", arrival(upper)).is_recorded());
  tracer(1).begin("x", arrival(upper)).end();
  EXPECT_FALSE(spans.at(0).contains("parentSpanId"));
  EXPECT_EQ(spans.at(0)["flags"], 0x101);
}

TEST_F(TracerTest, WhatIsNotRecordedIsPassedOnAsSuch) {
  const Tracer traces = tracer(0);
  auto root = traces.begin("x", arrival(kNotSampled));
  root.set("a", "b");
  auto child = SpanParent(root).begin("chat", "", SpanKind::kClient);
  const std::string header = SpanParent(child).traceparent();
  EXPECT_TRUE(header.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"));
  EXPECT_TRUE(header.ends_with("-00"));
  EXPECT_FALSE(child.is_recorded());
  child.end();
  root.end();
  EXPECT_TRUE(spans.empty());
}

TEST_F(TracerTest, WithoutATracerThereIsNothing) {
  RunningSpan none;
  none.set("a", "b");
  none.fail("x");
  none.end();
  const SpanParent parent(none);
  EXPECT_FALSE(parent.begin("chat", "", SpanKind::kClient).is_recorded());
  EXPECT_EQ(parent.traceparent(), "");
}

TEST_F(TracerTest, ContentIsLeftOutUnlessWanted) {
  const Tracer traces = tracer(1);
  auto span = traces.begin("chat", "", SpanKind::kClient);
  EXPECT_FALSE(span.wants_content());
  span.set_content("text", "secret");
  span.end();
  EXPECT_TRUE(spans.at(0)["attributes"].empty());
}

TEST_F(TracerTest, ContentIsCutBetweenCharacters) {
  const Tracer traces = tracer(1, true);
  auto span = traces.begin("chat", "", SpanKind::kClient);
  span.set_content("text", "x" + std::string(RunningSpan::kMostContent - 2, 'y') + "\u00e9");
  span.end();
  const std::string kept = spans.at(0)["attributes"][0]["value"]["stringValue"];
  EXPECT_EQ(kept.size(), RunningSpan::kMostContent - 1);
}

TEST_F(TracerTest, AMovedSpanEndsWhereItIsNow) {
  const Tracer traces = tracer(1);
  RunningSpan kept;
  {
    auto span = traces.begin("a", "", SpanKind::kInternal);
    kept = std::move(span);
  }
  EXPECT_TRUE(spans.empty());
  kept = traces.begin("b", "", SpanKind::kInternal);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0]["name"], "a");
}

}  // namespace
}  // namespace quarry::services
