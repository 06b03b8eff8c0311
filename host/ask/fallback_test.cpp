#include "ask/testing/test_services.h"

#include <future>

namespace quarry::ask {
namespace {

using testing::call_tools;
using testing::fail;
using testing::fail_with;
using testing::say;
using testing::Script;
using testing::TestServices;

Json ask(TestServices& services, std::vector<std::pair<std::string, std::vector<Script>>> models) {
  return services.events(services.start(services.request(std::move(models)))).back().json;
}

TEST(Fallback, TheNextModelAnswersWhenOneIsDown) {
  TestServices services;
  const Json done =
      ask(services, {{"a", {fail_with(529)}},
                     {"b", {fail({.code = Code::kUnavailable, .message = "refused"})}},
                     {"c", {say("I can.")}}});
  EXPECT_EQ(done["text"], "I can.");
  EXPECT_EQ(done["model"], Json({{"provider", "c"}, {"model", "m1"}}));
  EXPECT_EQ(done["steps"], 1);
  EXPECT_EQ(done["fallbacks"],
            Json::parse(R"([{"provider":"a","model":"m1","message":"HTTP 529: overloaded"},
                            {"provider":"b","model":"m1","message":"refused"}])"));
  const auto records = services.records();
  ASSERT_EQ(records[0].calls.size(), 3u);
  EXPECT_TRUE(records[0].calls[0].failed);
  EXPECT_EQ(records[0].calls[2].provider, "c");
}

TEST(Fallback, ACallThatMayBeMadeAgainAtOnceIsMadeOnceMoreByTheSameModel) {
  const auto disturbed =
      fail({.code = Code::kUnavailable, .retry_after_ms = 0, .message = "its process was killed"});
  TestServices services;
  const Json done = ask(services, {{"a", {disturbed, say("I can.")}}, {"b", {say("never")}}});
  EXPECT_EQ(done["model"]["provider"], "a");
  EXPECT_EQ(done["text"], "I can.");
  EXPECT_EQ(done["steps"], 1);
  EXPECT_FALSE(done.contains("fallbacks"));
  TestServices others;
  EXPECT_EQ(ask(others, {{"a", {disturbed, disturbed, say("never")}},
                         {"b", {say("Found.")}}})["model"]["provider"],
            "b");
}

TEST(Fallback, WithoutAFailureNoneIsListed) {
  TestServices services;
  const Json done = ask(services, {{"a", {say("I can.")}}, {"b", {say("never")}}});
  EXPECT_EQ(done["model"]["provider"], "a");
  EXPECT_FALSE(done.contains("fallbacks"));
  EXPECT_TRUE(services.model_requests().empty());
}

TEST(Fallback, TheConversationGoesOnButWhatAModelKeptIsItsOwn) {
  TestServices services;
  const Script first = [](const std::string&, std::stop_token, StepSink& sink) {
    sink.reasoning("let me look");
    sink.keep(R"({"signature":"s1"})");
    sink.tool_call(0, "c1", "list", "");
    sink.finish(plugins::Finish::kToolCalls);
  };
  auto request = services.request({{"a", {first, first, fail_with(503)}}, {"b", {say("Found.")}}});
  const auto a = std::static_pointer_cast<testing::ScriptedModel>(request.models[0].model);
  const Json done = services.events(services.start(std::move(request))).back().json;
  EXPECT_EQ(done["text"], "Found.");
  EXPECT_EQ(done["tools"].size(), 2u);
  EXPECT_EQ(done["steps"], 3);
  const Json own = (*parse_json(a->requests[2]))["messages"];
  EXPECT_EQ(own[1]["kept"][0]["signature"], "s1");
  const Json others = (*parse_json(services.model_requests()[0]))["messages"];
  ASSERT_EQ(others.size(), 5u);
  EXPECT_FALSE(others[1].contains("kept"));
  EXPECT_FALSE(others[1].contains("reasoning"));
  EXPECT_EQ(others[1]["toolCalls"], own[1]["toolCalls"]);
  EXPECT_EQ(others[4]["text"], "list output");
}

TEST(Fallback, TheModelThatTookOverStays) {
  TestServices services;
  auto request = services.request(
      {{"a", {fail_with(500), say("never")}}, {"b", {call_tools({{"list", ""}}), say("Found.")}}});
  const auto a = std::static_pointer_cast<testing::ScriptedModel>(request.models[0].model);
  EXPECT_EQ(services.events(services.start(std::move(request))).back().json["text"], "Found.");
  EXPECT_EQ(a->requests.size(), 1u);
}

TEST(Fallback, NothingIsSaidTwice) {
  const Script half = [](const std::string&, std::stop_token, StepSink& sink) {
    sink.text("half an ans");
    sink.error({.code = Code::kUnavailable, .message = "the connection broke"});
  };
  const Script thought = [](const std::string&, std::stop_token, StepSink& sink) {
    sink.reasoning("hm");
    sink.error({.code = Code::kUnavailable, .message = "the connection broke"});
  };
  const Script call = [](const std::string&, std::stop_token, StepSink& sink) {
    sink.tool_call(0, "c", "read", "{");
    sink.error({.code = Code::kUnavailable, .message = "the connection broke"});
  };
  for (const Script& said : {half, thought, call}) {
    TestServices services;
    const Json end = ask(services, {{"a", {said}}, {"b", {say("never")}}});
    EXPECT_EQ(end["tag"], "AgentError");
    EXPECT_EQ(end["message"], "a/m1: the connection broke");
    EXPECT_TRUE(services.model_requests().empty());
  }
}

TEST(Fallback, ARefusedKeyOfTheFirstModelIsForTheUserToMend) {
  TestServices services;
  const Json end = ask(services, {{"a", {fail_with(401, "invalid key")}}, {"b", {say("never")}}});
  EXPECT_EQ(end["tag"], "ProviderNotAuthenticatedError");
  EXPECT_TRUE(services.model_requests().empty());
}

TEST(Fallback, AFallbackThatCannotHelpIsPassedOver) {
  TestServices services;
  const Json done = ask(
      services,
      {{"a", {fail_with(503)}}, {"b", {fail_with(401, "invalid key")}}, {"c", {say("I can.")}}});
  EXPECT_EQ(done["text"], "I can.");
  EXPECT_EQ(done["fallbacks"][1]["message"], "HTTP 401: invalid key");
}

TEST(Fallback, WhenAllAreDownTheErrorNamesThemAll) {
  TestServices services;
  const Json end = ask(services, {{"a", {fail_with(503)}}, {"b", {fail_with(429, "slow down")}}});
  EXPECT_EQ(end["tag"], "AgentError");
  EXPECT_EQ(end["message"], "a/m1: HTTP 503: overloaded; b/m1: HTTP 429: slow down");
}

TEST(Fallback, ALimitCountsBeforeEveryCallOfAFallbackToo) {
  TestServices services;
  const Script slow = [&](const std::string&, std::stop_token, StepSink& sink) {
    services.clock.advance(std::chrono::seconds(700));
    sink.error({.code = Code::kUnavailable, .message = "down"});
  };
  const Json done = ask(services, {{"a", {slow}}, {"b", {say("never")}}});
  EXPECT_EQ(done["finishReason"], "maxSeconds");
  EXPECT_TRUE(services.model_requests().empty());
}

TEST(Fallback, AnEmptyAnswerIsAFailure) {
  const Script nothing = [](const std::string&, std::stop_token, StepSink& sink) {
    sink.text("");
    sink.finish(plugins::Finish::kStop);
  };
  TestServices services;
  EXPECT_EQ(ask(services, {{"a", {nothing}}})["message"],
            "a/m1: the model ended without an answer");
  EXPECT_EQ(ask(services, {{"a", {nothing}}, {"b", {say("I can.")}}})["text"], "I can.");
  // earendil-works/pi#9681: a reason that promises calls, and none
  const Script no_call = [](const std::string&, std::stop_token, StepSink& sink) {
    sink.finish(plugins::Finish::kToolCalls);
  };
  EXPECT_EQ(ask(services, {{"a", {no_call}}})["message"],
            "a/m1: the model ended without an answer");
}

TEST(Fallback, AStopIsNoOutage) {
  TestServices services;
  std::shared_ptr<Question> question;
  std::promise<void> started;
  auto ready = started.get_future().share();
  question = services.start(
      services.request({{"a", {[&](const std::string&, std::stop_token, StepSink& sink) {
                           ready.wait();
                           question->stop(StopReason::kAsked);
                           sink.error({.code = Code::kUnavailable, .message = {}});
                         }}},
                        {"b", {say("never")}}}));
  started.set_value();
  EXPECT_EQ(services.events(question).back().json["finishReason"], "cancelled");
  EXPECT_TRUE(services.model_requests().empty());
}

}  // namespace
}  // namespace quarry::ask
