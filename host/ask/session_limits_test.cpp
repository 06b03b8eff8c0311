#include "ask/testing/test_services.h"

namespace quarry::ask {
namespace {

using testing::call_tools;
using testing::say;
using testing::TestServices;

TEST(SessionLimits, ForbidsToolsInTheLastStepAndSaysMaxSteps) {
  TestServices services;
  auto request = services.request({call_tools({{"list", ""}})});
  request.limits.max_steps = 2;
  const auto events = services.events(services.start(std::move(request)));
  EXPECT_EQ(events.back().json["finishReason"], "maxSteps");
  EXPECT_EQ(events.back().json["steps"], 2);
  EXPECT_EQ((*parse_json(services.model_requests()[0]))["toolsAllowed"], true);
  const auto last = *parse_json(services.model_requests()[1]);
  EXPECT_EQ(last["toolsAllowed"], false);
  EXPECT_EQ(last["messages"].back()["role"], "user");
}

TEST(SessionLimits, StopsBeforeTheCallThatWouldPassALimit) {
  TestServices services;
  services.rates =
      plugins::ModelRates{.source = "static", .date = "2026-01-01", .rates = {}, .tiers = {}};
  services.rates->rates.input = Money{1'000'000'000};
  services.rates->rates.output = Money{2'000'000'000};
  const testing::Script step = [](const std::string&, std::stop_token, StepSink& sink) {
    sink.text("t");
    sink.tool_call(0, "", "list", "");
    sink.usage(
        {.input = 1000, .output = 100, .reasoning = -1, .cache_read = -1, .cache_write = -1});
    sink.finish(plugins::Finish::kToolCalls);
  };
  auto tokens = services.request({step});
  tokens.limits.max_tokens = 2000;
  auto events = services.events(services.start(tokens));
  EXPECT_EQ(events.back().json["finishReason"], "maxTokens");
  EXPECT_EQ(events.back().json["usage"]["totalTokens"], 1100);
  EXPECT_EQ(events.back().json["metrics"]["pricing"]["costUsd"]["total"], 0.0012);

  auto cost = services.request({step});
  cost.limits.max_cost = Money{1'300'000};
  events = services.events(services.start(cost));
  EXPECT_EQ(events.back().json["finishReason"], "maxCost");
  EXPECT_EQ(events.back().json["steps"], 1);

  services.tool = [&](std::string_view, const Json&, std::stop_token) -> Result<ToolResult> {
    services.clock.advance(std::chrono::seconds(700));
    return ToolResult{"slow", "t", "{}"};
  };
  events = services.ask({step});
  EXPECT_EQ(events.back().json["finishReason"], "maxSeconds");
  EXPECT_EQ(events.back().json["steps"], 1);
}

TEST(SessionLimits, AnswersWithTheCallThatALimitLeaves) {
  TestServices services;
  auto request = services.request({[](const std::string& asked, std::stop_token, StepSink& sink) {
                                     sink.tool_call(0, "", "list", "");
                                     const auto size = static_cast<std::int64_t>(asked.size());
                                     sink.usage({.input = size / 4, .output = 500});
                                     sink.finish(plugins::Finish::kToolCalls);
                                   },
                                   say("So far, it is so.")});
  request.limits.max_tokens = 1700;
  const Json done = services.events(services.start(std::move(request))).back().json;
  EXPECT_EQ(done["text"], "So far, it is so.");
  EXPECT_EQ(done["finishReason"], "stop");
  EXPECT_EQ(done["steps"], 2);
  const Json last = *parse_json(services.model_requests()[1]);
  EXPECT_EQ(last["toolsAllowed"], false);
  EXPECT_LT(last["maxOutputTokens"], 1700);
}

TEST(SessionLimits, DropsOldResultsWhenTheContextIsFull) {
  TestServices services;
  services.tool = [](std::string_view name, const Json&, std::stop_token) -> Result<ToolResult> {
    return ToolResult{std::string(name) + std::string(6000, 'x'), "t", "{}"};
  };
  auto request = services.request({call_tools({{"list", ""}}), call_tools({{"grep", ""}}),
                                   call_tools({{"read", ""}}), say("done")});
  request.models[0].context_tokens = 5500;
  services.events(services.start(std::move(request)));
  const auto requests = services.model_requests();
  ASSERT_EQ(requests.size(), 4u);
  const Json third = (*parse_json(requests[2]))["messages"];
  EXPECT_TRUE(third[2]["text"].get<std::string>().starts_with("listx"));
  const Json fourth = (*parse_json(requests[3]))["messages"];
  EXPECT_EQ(fourth[0]["text"], "Why?");
  EXPECT_TRUE(fourth[2]["text"].get<std::string>().starts_with("[earlier result dropped"));
  EXPECT_TRUE(fourth[6]["text"].get<std::string>().starts_with("readx"));
  EXPECT_EQ((*parse_json(requests[3]))["maxOutputTokens"], 5500 / 4);
}

TEST(SessionLimits, ARequestThatIsTooLongIsCutTwiceAtMost) {
  for (const int refused : {1, 2, 3}) {
    TestServices services;
    std::vector<testing::Script> scripts(4, call_tools({{"list", ""}}));
    for (int i = 0; i < 4; ++i) {
      scripts[static_cast<std::size_t>(i)] =
          call_tools({{"read", R"({"path":")" + std::to_string(i) + "\"}"}});
    }
    for (int i = 0; i < refused; ++i) {
      scripts.push_back(testing::fail_with(400, "prompt is too long: 9 tokens > 8 maximum"));
    }
    scripts.push_back(say("done"));
    const Json end = services.ask(scripts).back().json;
    EXPECT_EQ(end["type"], refused < 3 ? "done" : "error");
    const auto requests = services.model_requests();
    EXPECT_EQ(requests.size(), refused < 3 ? 5u + static_cast<std::size_t>(refused) : 7u);
    const Json messages = (*parse_json(requests.back()))["messages"];
    std::vector<bool> dropped;
    for (const Json& message : messages) {
      if (message["role"] == "tool") dropped.push_back(message["text"] != "read output");
    }
    EXPECT_EQ(dropped, (std::vector<bool>{true, true, refused > 1, false}));
  }
}

}  // namespace
}  // namespace quarry::ask
