#include "engine/request_span.h"

#include "base/testing/fake_clock.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

struct RequestSpan : ::testing::Test {
  Task task() {
    return {{}, nullptr, [this](Answer answer) { replies.push_back(std::move(answer)); }};
  }
  Task traced(Json& params, double ratio) {
    tracer.emplace(clock, services::Tracer::Options{.ratio = ratio},
                   [this](std::string span) { spans.push_back(Json::parse(span)); });
    const auto arrived = clock.steady_now();
    clock.advance(1s);
    return with_span(task(), "tools.grep", params, &*tracer, arrived);
  }

  FakeClock clock;
  std::optional<services::Tracer> tracer;
  std::vector<Answer> replies;
  std::vector<Json> spans;
};

TEST_F(RequestSpan, LastsFromTheArrivalToTheReply) {
  Json params{{"pattern", "x"}, {"traceparent", kSampled}};
  const Task got = traced(params, 0);
  EXPECT_EQ(params, Json({{"pattern", "x"}}));
  EXPECT_TRUE(spans.empty());
  clock.advance(2s);
  got.reply("{}");
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(*replies.at(0), "{}");
  EXPECT_EQ(spans[0]["name"], "tools.grep");
  EXPECT_EQ(spans[0]["parentSpanId"], "00f067aa0ba902b7");
  const auto at = [&](const char* member) {
    return std::stoll(spans[0][member].get<std::string>());
  };
  EXPECT_EQ(at("endTimeUnixNano") - at("startTimeUnixNano"), 3'000'000'000);
  EXPECT_EQ(got.trace.traceparent(),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-" + spans[0]["spanId"].get<std::string>() + "-01");
}

TEST_F(RequestSpan, IsThatOfTheLinesOfTheCall) {
  Json params{{"pattern", "x"}, {"traceparent", kSampled}, {"request", "r-\"1"}};
  const Task got = traced(params, 0);
  EXPECT_EQ(params, Json({{"pattern", "x"}}));
  got.reply("{}");
  ASSERT_NE(got.subject, nullptr);
  EXPECT_EQ(got.subject->request, "r-\"1");
  EXPECT_EQ(services::trace_id(got.subject->trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(services::span_id(got.subject->trace), spans.at(0)["spanId"].get<std::string>());
}

TEST_F(RequestSpan, WithoutATracerItsLinesNameTheTraceOfTheClient) {
  Json params{{"traceparent", kSampled}, {"request", "r1"}};
  const auto subject = with_span(task(), "tools.grep", params, nullptr, clock.steady_now()).subject;
  ASSERT_NE(subject, nullptr);
  EXPECT_EQ(subject->request, "r1");
  EXPECT_EQ(services::trace_id(subject->trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(services::span_id(subject->trace), "") << "the client's span is none of this host's";
}

TEST_F(RequestSpan, WhatIsNoIdOfARequestIsIgnored) {
  for (const Json& wrong :
       {Json(5), Json(nullptr), Json(""), Json("a b"), Json("a\n"), Json("\u00e4"),
        Json(std::string(129, 'x')), Json::object(), Json::array()}) {
    Json params{{"request", wrong}};
    const Task got = with_span(task(), "tools.grep", params, nullptr, clock.steady_now());
    EXPECT_TRUE(params.empty());
    EXPECT_EQ(got.subject, nullptr) << wrong;
  }
}

TEST_F(RequestSpan, TellsTheKindOfAFailure) {
  Json params = Json::object();
  traced(params, 1).reply(Error(Code::kNotFound, "a secret").tagged("ProjectError"));
  EXPECT_EQ(spans.at(0)["status"]["code"], 2);
  EXPECT_EQ(spans.at(0)["attributes"].back()["value"]["stringValue"], "ProjectError");
  EXPECT_EQ(spans.at(0).dump().find("a secret"), std::string::npos);
  traced(params, 1).reply(Error(Code::kNotFound, "a secret"));
  EXPECT_EQ(spans.at(1)["attributes"].back()["value"]["stringValue"], "not_found");
}

TEST_F(RequestSpan, ACallerWithATokenDoesNotDecideWhatIsRecorded) {
  Json params{{"principal", {{"token", "tok_1"}}}, {"traceparent", kSampled}};
  const Task got = traced(params, 0);
  got.reply("{}");
  EXPECT_TRUE(spans.empty());
  EXPECT_EQ(replies.size(), 1u);
  EXPECT_TRUE(got.trace.traceparent().starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"));
  EXPECT_TRUE(got.trace.traceparent().ends_with("-00"));
}

TEST_F(RequestSpan, WhatIsNoTraceparentIsIgnored) {
  for (const Json& wrong : {Json(5), Json(nullptr), Json("x"), Json::object(), Json::array()}) {
    Json params{{"traceparent", wrong}};
    traced(params, 1).reply("{}");
    EXPECT_TRUE(params.empty());
    EXPECT_FALSE(spans.back().contains("parentSpanId"));
  }
  EXPECT_EQ(spans.size(), 5u);
}

TEST_F(RequestSpan, WithoutATracerTheMemberIsTakenAllTheSame) {
  Json params{{"traceparent", kSampled}};
  const Task got = with_span(task(), "tools.grep", params, nullptr, clock.steady_now());
  EXPECT_TRUE(params.empty());
  EXPECT_EQ(got.trace.traceparent(), "");
  got.reply("{}");
  EXPECT_EQ(replies.size(), 1u);
}

}  // namespace
}  // namespace quarry::engine
