#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"

#include <cstdint>
#include <latch>

namespace quarry::ask {
namespace {

using testing::call_tools;
using testing::Event;
using testing::fail;
using testing::say;
using testing::TestServices;

std::vector<std::string> types(const std::vector<Event>& events) {
  std::vector<std::string> out;
  for (const auto& event : events) {
    if (out.empty() || out.back() != event.type) out.push_back(event.type);
  }
  return out;
}

TEST(Session, AnswersInOneStep) {
  TestServices services;
  const auto events = services.ask({say("Because. [docs:a b.md#L1-L2]")});
  EXPECT_EQ(types(events), (std::vector<std::string>{"resource.progress", "meta", "text.delta",
                                                     "citation", "done"}));
  const Json& done = events.back().json;
  EXPECT_EQ(done["finishReason"], "stop");
  EXPECT_EQ(done["steps"], 1);
  EXPECT_FALSE(done.contains("usage"));
  EXPECT_FALSE(done["metrics"].contains("pricing"));
  EXPECT_EQ(done["citations"][0]["url"], "https://example.org/v1/a%20b.md#L1-L2");
  EXPECT_EQ(events[1].json["message"], "ready");
  EXPECT_EQ(events[2].json["resources"], Json({"docs"}));
  EXPECT_EQ(events[2].json["model"]["provider"], "fake");
}

// NousResearch/hermes-agent#107125, ollama/ollama-vscode#20, jundot/omlx#2565
TEST(Session, RunsAToolCallThatIsWrittenAsText) {
  TestServices services;
  const auto events = services.ask(
      {say("<think>I look.</think><tool_call>{\"name\":\"read\",\"arguments\":{\"path\":"
           "\"docs/a b.md\"}}</tool_call>"),
       say("Because. [docs:a b.md#L1-L2]")});
  const Json& done = events.back().json;
  EXPECT_EQ(done["text"], "Because. [docs:a b.md#L1-L2]");
  EXPECT_EQ(done["reasoning"], "I look.");
  EXPECT_EQ(done["tools"][0]["tool"], "read");
  EXPECT_EQ(done["steps"], 2);
}

// ggml-org/llama.cpp#23678, open-webui/open-webui#21050
TEST(Session, RunsAToolCallInAThoughtThatNoAnswerFollows) {
  const std::string call =
      R"(<tool_call>{"name":"read","arguments":{"path":"docs/a b.md"}}</tool_call>)";
  for (const std::string end : {"", "</think>"}) {
    TestServices services;
    services.offer(R"([{"name":"read"}])");
    const auto events = services.ask({say("<think>I look." + call + end), say("Because.")});
    EXPECT_EQ(events.back().json["text"], "Because.");
    EXPECT_EQ(events.back().json["tools"][0]["tool"], "read");
  }
  TestServices services;
  services.offer(R"([{"name":"read"}])");
  const auto events = services.ask({say("<think>I could " + call + "</think>Because.")});
  EXPECT_EQ(events.back().json["text"], "Because.");
  EXPECT_EQ(events.back().json["tools"].size(), 0u) << "an answer follows the thought";
}

// google-gemini/gemini-cli#12965, agno-agi/agno#5628, vellum-ai/vellum-assistant#43134
TEST(Session, AsksOnceMoreForACallThatCouldNotBeRead) {
  for (const auto& malformed :
       {fail({.code = Code::kUnavailable, .message = "stopped (MALFORMED_FUNCTION_CALL)"}),
        say("<tool_call>{\"name\": \"read\", \"arg")}) {
    TestServices services;
    const auto events = services.ask({malformed, say("Because.")});
    EXPECT_EQ(events.back().json["text"], "Because.");
    EXPECT_EQ(events.back().json["finishReason"], "stop");
    const auto twice = services.ask({malformed, malformed, say("Because.")});
    EXPECT_EQ(twice.back().type, "error");
  }
}

TEST(Session, EndsWhenToolCallsAsTextAreTooLong) {
  TestServices services;
  int accepted = 0;
  const auto events = services.ask({[&](const std::string&, std::stop_token, StepSink& sink) {
    sink.text("<tool_call>");
    while (accepted < 100 && sink.text(std::string(64u << 10, 'x'))) ++accepted;
    sink.finish(plugins::Finish::kStop);
  }});
  EXPECT_EQ(accepted, 15);
  EXPECT_EQ(events.back().type, "error");
  EXPECT_EQ(events.back().json["message"],
            "fake/m1: the tool calls that the model wrote as text are too long");
}

TEST(Session, EndsWhenAModelGivesTooMuchToKeep) {
  TestServices services;
  int accepted = 0;
  const auto events = services.ask({[&](const std::string&, std::stop_token, StepSink& sink) {
    const std::string value = json_string(std::string((1u << 20) - 2, 'x'));
    while (accepted < 100 && sink.keep(value)) ++accepted;
    sink.finish(plugins::Finish::kStop);
  }});
  EXPECT_EQ(accepted, 16);
  EXPECT_EQ(events.back().type, "error");
  EXPECT_EQ(events.back().json["message"], "fake/m1: the model gave too much to keep");
}

/// Counts are what the model's server says, and must not make the last event unreadable.
TEST(Session, HasAnEndThatIsJsonWhateverWasCounted) {
  TestServices services;
  constexpr std::int64_t kMost = std::int64_t{1} << 53;  // that providers pass on
  const auto events = services.ask({[](const std::string&, std::stop_token, StepSink& sink) {
    sink.text("Because.");
    sink.usage({.input = kMost, .output = kMost});
    sink.finish(plugins::Finish::kStop);
  }});
  ASSERT_EQ(events.back().type, "done");
  EXPECT_EQ(events.back().json["usage"]["totalTokens"], 2 * kMost);
  EXPECT_GT(events.back().json["metrics"]["throughput"]["totalTokensPerSecond"], 0.0);
}

TEST(Session, ThatThrowsEndsWithAnErrorAndARecord) {
  TestServices services;
  int readings = 0;
  services.clock.on_steady_now = [&readings] {
    if (++readings == 2) throw std::bad_alloc();  // the first reading is the constructor's
  };
  const auto events = services.ask({say("Because.")});
  ASSERT_EQ(types(events), (std::vector<std::string>{"error"}));
  EXPECT_EQ(events.back().json["tag"], "AgentError");
  ASSERT_EQ(services.records().size(), 1u);
  EXPECT_EQ(services.records().front().outcome, "AgentError");
}

TEST(Session, LogsUnderItsIdWhateverItDoes) {
  TestServices services;
  std::shared_ptr<const services::LogSubject> of_tool;
  services.tool = [&](std::string_view, const Json&, std::stop_token) {
    of_tool = services::LogScope::current();
    return Result<ToolResult>(ToolResult{"output", "title", "{}"});
  };
  auto request = services.request({call_tools({{"grep", "{}"}}), say("Because.")});
  const services::TraceContext trace = services::new_trace(false);
  request.subject = std::make_shared<const services::LogSubject>(
      services::LogSubject{.request = "r1", .trace = trace});
  services.events(services.start(std::move(request)));
  services.wait_until_idle();
  const auto& of_model = services.model().subjects;
  ASSERT_EQ(of_model.size(), 2u);
  for (const auto& subject :
       {services.library.subject, of_model[0], of_model[1], of_tool, services.record_subject}) {
    ASSERT_NE(subject, nullptr);
    EXPECT_EQ(subject->question, "q1");
    EXPECT_EQ(subject->request, "r1");
    EXPECT_EQ(subject->trace, trace);
  }
}

TEST(Session, OfARequestWithoutIdsLogsUnderItsOwn) {
  TestServices services;
  services.ask({say("Because.")});
  services.wait_until_idle();
  EXPECT_EQ(services.record_subject->question, "q1");
  EXPECT_EQ(services.record_subject->request, "");
  EXPECT_EQ(services.record_subject->trace, services::TraceContext());
}

TEST(Session, TellsTheFirstAndTheLastOfManyStepsOfProgress) {
  TestServices services;
  services.library.reports = 1000;
  const auto events = services.ask({say("Because.")});
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].json["done"], 1);
  EXPECT_EQ(events[1].json["done"], 1000);
  EXPECT_EQ(events[2].type, "meta");
}

TEST(Session, RunsParallelCallsAtOnceAndEachOutputLandsOnItsOwnCall) {
  TestServices services;
  std::latch both(2);
  services.tool = [&](std::string_view, const Json& arguments,
                      std::stop_token) -> Result<ToolResult> {
    both.arrive_and_wait();
    return ToolResult{"found " + arguments["words"].get<std::string>(), "t", "{}"};
  };
  const auto events = services.ask(
      {call_tools({{"search", R"({"words":"a"})"}, {"search", R"({"words":"b"})"}}), say("done")});
  const Json& tools = events.back().json["tools"];
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_EQ(tools[0]["state"]["output"], "found a");
  EXPECT_EQ(tools[1]["state"]["output"], "found b");
  const auto request = *parse_json(services.model_requests()[1]);
  EXPECT_EQ(request["messages"][1]["toolCalls"][1]["arguments"]["words"], "b");
  EXPECT_EQ(request["messages"][3]["text"], "found b");
  EXPECT_EQ(request["messages"][3]["toolCallId"], tools[1]["callID"]);
}

TEST(Session, PutsInterleavedPiecesOfCallsTogether) {
  TestServices services;
  const auto events = services.ask({[](const std::string&, std::stop_token, StepSink& sink) {
                                      sink.tool_call(0, "x", "read", R"({"path":)");
                                      sink.tool_call(1, "x", "", R"({"wor)");
                                      sink.tool_call(0, "", "", R"("p"})");
                                      sink.tool_call(1, "", "search", R"(ds":"w"})");
                                      sink.finish(plugins::Finish::kToolCalls);
                                    },
                                    say("done")});
  const Json& tools = events.back().json["tools"];
  EXPECT_EQ(tools[0]["state"]["input"], Json({{"path", "p"}}));
  EXPECT_EQ(tools[1]["state"]["input"], Json({{"words", "w"}}));
  EXPECT_NE(tools[0]["callID"], tools[1]["callID"]);
}

TEST(Session, TellsTheModelAboutMalformedArgumentsAndFailedTools) {
  TestServices services;
  services.tool = [](std::string_view, const Json&, std::stop_token) -> Result<ToolResult> {
    return Error{Code::kNotFound, "no such file", "did you mean b?"};
  };
  const auto events = services.ask(
      {call_tools({{"read", "{nonsense"}, {"read", "[1]"}, {"read", ""}}), say("sorry")});
  for (const auto& item : events.back().json["tools"]) EXPECT_EQ(item["state"]["status"], "error");
  const auto request = *parse_json(services.model_requests()[1]);
  EXPECT_EQ(request["messages"][2]["failed"], true);
  EXPECT_NE(request["messages"][2]["text"].get<std::string>().find("not JSON"), std::string::npos);
  EXPECT_EQ(request["messages"][4]["text"], "no such file did you mean b?");
}

TEST(Session, ArgumentsMayBeWrittenAsTextInText) {
  TestServices services;
  const auto events = services.ask({call_tools({{"read", R"("{\"path\":\"p\"}")"}}), say("done")});
  EXPECT_EQ(events.back().json["tools"][0]["state"]["input"], Json({{"path", "p"}}));
}

TEST(Session, ACallWithoutANameIsOneOfAnUnknownTool) {
  TestServices services;
  services.tool = [](std::string_view name, const Json&, std::stop_token) -> Result<ToolResult> {
    return Error{Code::kNotFound, "there is no tool \"" + std::string(name) + "\""};
  };
  const auto events = services.ask({[](const std::string&, std::stop_token, StepSink& sink) {
                                      sink.tool_call(0, "c", "", "{}");
                                      sink.finish(plugins::Finish::kToolCalls);
                                    },
                                    say("sorry")});
  EXPECT_EQ(events.back().json["tools"][0]["tool"], "unknown");
  EXPECT_EQ(events.back().json["tools"][0]["state"]["status"], "error");
  const Json told = (*parse_json(services.model_requests()[1]))["messages"];
  EXPECT_EQ(told[2]["text"], "there is no tool \"unknown\"");
}

TEST(Session, AnswersRepeatedCallsFromMemory) {
  TestServices services;
  std::atomic<int> runs = 0;
  services.tool = [&](std::string_view, const Json&, std::stop_token) -> Result<ToolResult> {
    ++runs;
    return ToolResult{"same", "t", "{}"};
  };
  const auto twice = call_tools({{"read", R"({"a":1,"b":2})"}, {"read", R"({"b":2, "a":1})"}});
  const auto events = services.ask({twice, twice, say("done")});
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(events.back().json["tools"].size(), 4u);
}

TEST(Session, SeparatesTheTextOfStepsByOneBlankLineHoweverAStepEnds) {
  for (const std::vector<std::string>& pieces : std::vector<std::vector<std::string>>{
           {"I look."}, {"I look.\n"}, {"I look.", "\n"}, {"I look.\n", "\n"}}) {
    TestServices services;
    const auto events = services.ask({[&](const std::string&, std::stop_token, StepSink& sink) {
                                        for (const std::string& piece : pieces) sink.text(piece);
                                        sink.tool_call(0, "c", "list", "");
                                        sink.finish(plugins::Finish::kToolCalls);
                                      },
                                      say("It is so.")});
    EXPECT_EQ(events.back().json["text"], "I look.\n\nIt is so.");
  }
}

TEST(Session, SeparatesTheTextOfStepsAndNotTheirReasoning) {
  TestServices services;
  const auto events = services.ask({[](const std::string&, std::stop_token, StepSink& sink) {
                                      sink.reasoning("hm");
                                      sink.text("I look.");
                                      sink.tool_call(0, "c", "list", "");
                                      sink.finish(plugins::Finish::kToolCalls);
                                    },
                                    say("It is so.")});
  EXPECT_EQ(events.back().json["text"], "I look.\n\nIt is so.");
  EXPECT_EQ(events.back().json["reasoning"], "hm");
}

TEST(Session, EndsWithTheModelsErrorBeforeAndAfterText) {
  for (const bool after : {false, true}) {
    TestServices services;
    const auto events = services.ask({[after](const std::string&, std::stop_token, StepSink& sink) {
      if (after) sink.text("half an ans");
      sink.error({.code = Code::kUnavailable, .http_status = 503, .message = "overloaded"});
    }});
    EXPECT_EQ(events.back().type, "error");
    EXPECT_EQ(events.back().json["tag"], "AgentError");
    EXPECT_EQ(events.back().json["message"], "fake/m1: HTTP 503: overloaded");
  }
}

TEST(Session, ARefusedKeyIsNeverAnEmptyAnswer) {
  TestServices services;
  const auto events = services.ask({[](const std::string&, std::stop_token, StepSink& sink) {
    sink.error({.code = Code::kUnauthenticated, .http_status = 401, .message = "invalid key"});
  }});
  EXPECT_EQ(events.back().json["tag"], "ProviderNotAuthenticatedError");
  EXPECT_NE(events.back().json["hint"], "");
}

TEST(Session, AProviderWithoutAFinishIsAnError) {
  TestServices services;
  const auto events = services.ask({[](const std::string&, std::stop_token, StepSink& sink) {
    sink.text("and then");
    sink.tool_call(0, "c", "read", "{\"pa");
  }});
  EXPECT_EQ(events.back().json["tag"], "AgentError");
}

TEST(Session, SaysWhichResourceIsBrokenOrOldAndGoesOn) {
  TestServices services;
  services.library.failures["bad"] = Error{Code::kUnavailable, "no route to host"};
  services.library.stale["docs"] = "the remote did not answer";
  auto request = services.request({say("fine")});
  request.resources.push_back({Json{{"name", "bad"}}, {}});
  const auto events = services.events(services.start(std::move(request)));
  const std::string text = events.back().json["text"];
  EXPECT_NE(text.find("\"bad\" could not be used (no route to host)"), std::string::npos);
  EXPECT_NE(text.find("\"docs\" is not current"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n\nfine")) << text;
}

TEST(Session, OneBrokenResourceEndsAQuestionThatNeedsThemAll) {
  TestServices services;
  services.library.failures["bad"] = Error{Code::kUnavailable, "no route to host"};
  auto request = services.request({say("never")});
  request.resources.push_back({Json{{"name", "bad"}}, {}});
  request.locked = true;
  const auto events = services.events(services.start(std::move(request)));
  EXPECT_EQ(events.back().json["tag"], "CollectionError");
  EXPECT_EQ(events.back().json["code"], "unavailable");
}

TEST(Session, NoResourceLeftIsACollectionError) {
  TestServices services;
  services.library.failures["docs"] =
      Error{Code::kNotFound, "repository not found", "check the url"};
  const auto events = services.ask({say("never")});
  EXPECT_EQ(events.back().json["tag"], "CollectionError");
  EXPECT_EQ(events.back().json["message"], "repository not found");
  EXPECT_EQ(events.back().json["hint"], "check the url");
}

TEST(Session, NoneOfSeveralResourcesLeftNamesEachWithItsCause) {
  TestServices services;
  services.library.failures["docs"] = Error{Code::kNotFound, "docs: not found", "check the url"};
  services.library.failures["bad"] = Error{Code::kUnavailable, "bad: no route to host"};
  auto request = services.request({say("never")});
  request.resources.push_back({Json{{"name", "bad"}}, {}});
  const auto events = services.events(services.start(std::move(request)));
  EXPECT_EQ(events.back().json["message"],
            "2 resources are unavailable: docs: not found; bad: no route to host");
  EXPECT_EQ(events.back().json["hint"], "check the url");
}

TEST(Session, ALateReaderAndAReturningOneSeeTheSame) {
  TestServices services;
  const auto question =
      services.start(services.request({call_tools({{"list", ""}}), say("answer")}));
  const auto first = services.events(question);
  const auto late = services.events(question);
  const auto again = services.events(question, 3);
  EXPECT_EQ(first.size(), late.size());
  ASSERT_EQ(again.size(), first.size() - 3);
  EXPECT_EQ(again.back().json, first.back().json);
  EXPECT_EQ(again.front().number, 4u);
}

TEST(Session, PutsEarlierTurnsOfTheConversationBeforeTheQuestion) {
  TestServices services;
  auto request = services.request({say("Yes.")});
  request.history = {{"What is \"a\"?", "A letter."}};
  services.events(services.start(std::move(request)));
  const Json messages = (*parse_json(services.model_requests()[0]))["messages"];
  EXPECT_EQ(messages, Json::parse(R"([{"role":"user","text":"What is \"a\"?"},
                                      {"role":"assistant","text":"A letter."},
                                      {"role":"user","text":"Why?"}])"));
}

TEST(Session, HandsARecordOfEveryQuestionToWhoKeepsTheBooks) {
  TestServices services;
  services.rates.emplace().source = "static";
  services.rates->rates.input = Money{1'000'000'000};
  auto request = services.request({[](const std::string&, std::stop_token, StepSink& sink) {
                                     sink.usage({.input = 500});
                                     sink.tool_call(0, "", "list", "");
                                     sink.finish(plugins::Finish::kToolCalls);
                                   },
                                   say("It is so.")});
  request.thread = "t1";
  services.events(services.start(std::move(request)));
  services.events(
      services.start(services.request({[](const std::string&, std::stop_token, StepSink& sink) {
        sink.error({.code = Code::kUnavailable, .message = "down"});
      }})));
  const auto records = services.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].id, "q1");
  EXPECT_EQ(records[0].thread, "t1");
  EXPECT_EQ(records[0].question, "Why?");
  EXPECT_EQ(records[0].answer, "It is so.");
  EXPECT_EQ(records[0].outcome, "stop");
  EXPECT_EQ(records[0].started, services.clock.now());
  ASSERT_EQ(records[0].calls.size(), 2u);
  EXPECT_EQ(records[0].calls[0].provider, "fake");
  EXPECT_EQ(records[0].calls[0].usage.input, 500);
  EXPECT_EQ(records[0].calls[0].cost.total().nanos, 500'000);
  EXPECT_EQ(records[0].calls[0].source, "static");
  EXPECT_EQ(records[0].calls[1].usage.input, -1);
  EXPECT_FALSE(records[0].calls[1].failed);
  EXPECT_EQ(records[0].resources[0].version, "v1");
  EXPECT_EQ(records[1].outcome, "AgentError");
  EXPECT_TRUE(records[1].calls[0].failed);
}

TEST(Session, SixtyFourQuestionsAtOnceKeepTheirEventsApart) {
  TestServices services;
  std::vector<std::shared_ptr<Question>> questions;
  for (int i = 0; i < 64; ++i) {
    auto request = services.request({call_tools({{"list", ""}, {"read", R"({"path":"a"})"}}),
                                     say("answer " + std::to_string(i))});
    request.id = std::to_string(i);
    questions.push_back(services.start(std::move(request)));
  }
  for (int i = 0; i < 64; ++i) {
    const auto events = services.events(questions[static_cast<std::size_t>(i)]);
    EXPECT_EQ(events.back().json["text"], "answer " + std::to_string(i));
  }
}

}  // namespace
}  // namespace quarry::ask
