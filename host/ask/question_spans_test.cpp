#include "ask/question_spans.h"

#include "ask/testing/test_services.h"

#include <map>
#include <mutex>

#include <gmock/gmock.h>

namespace quarry::ask {
namespace {

using testing::call_tools;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::say;
using testing::TestServices;

constexpr std::string_view kCaller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

struct QuestionSpans : ::testing::Test {
  QuestionSpans() { services.offer(R"([{"name":"grep"},{"name":"read"}])"); }
  /// Asks with a trace that `traceparent` begins; returns the header that each step got.
  std::vector<std::string> ask(Request request, std::string_view traceparent = kCaller) {
    const services::Tracer tracer(services.clock, {.content = content}, [this](std::string span) {
      const std::lock_guard lock(mutex);
      text += span;
      spans.push_back(Json::parse(span));
    });
    {
      const auto caller =
          tracer.begin("question.ask", {traceparent, true, services.clock.steady_now()});
      request.trace = services::SpanParent(caller);
      services.events(services.start(std::move(request)));
      services.wait_until_idle();
    }
    return services.model().traceparents;
  }
  [[nodiscard]] std::vector<std::string> span_names() const {
    std::vector<std::string> out;
    for (const Json& span : spans) out.push_back(span["name"]);
    return out;
  }
  [[nodiscard]] const Json& named(std::string_view name) const {
    return *std::ranges::find_if(spans, [&](const Json& span) { return span["name"] == name; });
  }
  /// The attributes of a span; values without their types.
  [[nodiscard]] Json attributes(std::string_view name) const {
    Json out = Json::object();
    for (const Json& attribute : named(name)["attributes"]) {
      out[attribute["key"].get<std::string>()] = attribute["value"].begin().value();
    }
    return out;
  }

  TestServices services;
  bool content = false;
  std::mutex mutex;
  std::vector<Json> spans;
  std::string text;  ///< of all spans
};

testing::Script use(std::string tool, std::string arguments) {
  const auto calls = call_tools({{std::move(tool), std::move(arguments)}});
  return [calls](const std::string& request, std::stop_token stop, StepSink& sink) {
    sink.usage({.input = 100, .output = 20, .reasoning = 5, .cache_read = 60, .cache_write = 7});
    calls(request, stop, sink);
  };
}

TEST_F(QuestionSpans, AreThoseThatItsLinesName) {
  ask(services.request({say("Because.")}));
  const auto subject = services.record_subject;
  ASSERT_NE(subject, nullptr);
  EXPECT_EQ(services::trace_id(subject->trace), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(services::span_id(subject->trace),
            named("invoke_agent quarry")["spanId"].get<std::string>());
}

TEST_F(QuestionSpans, AreATreeBeneathTheRequest) {
  const auto headers =
      ask(services.request({use("grep", R"({"pattern":"hydrate"})"), say("Because.")}));
  EXPECT_THAT(span_names(), ElementsAre("prepare_resource", "chat m1", "execute_tool grep",
                                        "chat m1", "invoke_agent quarry", "question.ask"));
  const Json& question = named("invoke_agent quarry");
  const Json& request = named("question.ask");
  EXPECT_EQ(request["parentSpanId"], "00f067aa0ba902b7");
  EXPECT_EQ(question["parentSpanId"], request["spanId"]);
  for (const Json& span : spans) EXPECT_EQ(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(spans[i]["parentSpanId"], question["spanId"]);
  ASSERT_EQ(headers.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(headers[i], "00-4bf92f3577b34da6a3ce929d0e0e4736-" +
                              spans[i == 0 ? 1 : 3]["spanId"].get<std::string>() + "-01");
  }
}

TEST_F(QuestionSpans, HaveTheAttributesOfTheConventions) {
  ask(services.request({use("grep", R"({"pattern":"hydrate"})"), say("Because.")}));
  EXPECT_EQ(attributes("prepare_resource"), Json({{"quarry.resource.type", "local"}}));
  const Json step = attributes("chat m1");
  EXPECT_EQ(step["gen_ai.operation.name"], "chat");
  EXPECT_EQ(step["gen_ai.provider.name"], "fake");
  EXPECT_EQ(step["gen_ai.request.model"], "m1");
  EXPECT_EQ(step["gen_ai.usage.input_tokens"], "100");
  EXPECT_EQ(step["gen_ai.usage.output_tokens"], "20");
  EXPECT_EQ(step["gen_ai.usage.reasoning.output_tokens"], "5");
  EXPECT_EQ(step["gen_ai.usage.cache_read.input_tokens"], "60");
  EXPECT_EQ(step["gen_ai.usage.cache_creation.input_tokens"], "7");
  EXPECT_EQ(step["gen_ai.response.finish_reasons"]["values"][0]["stringValue"], "tool_call");
  EXPECT_EQ(step["quarry.step"], "1");
  EXPECT_EQ(attributes("execute_tool grep"), Json({{"gen_ai.operation.name", "execute_tool"},
                                                   {"gen_ai.tool.name", "grep"},
                                                   {"gen_ai.tool.type", "function"}}));
  EXPECT_EQ(attributes("invoke_agent quarry"),
            Json({{"gen_ai.agent.name", "quarry"},
                  {"gen_ai.operation.name", "invoke_agent"},
                  {"gen_ai.provider.name", "fake"},
                  {"gen_ai.request.model", "m1"},
                  {"gen_ai.usage.cache_creation.input_tokens", "7"},
                  {"gen_ai.usage.cache_read.input_tokens", "60"},
                  {"gen_ai.usage.input_tokens", "100"},
                  {"gen_ai.usage.output_tokens", "20"},
                  {"gen_ai.usage.reasoning.output_tokens", "5"},
                  {"quarry.question.id", "q1"},
                  {"quarry.question.outcome", "stop"}}));
}

TEST_F(QuestionSpans, KindsAreThoseOfTheConventions) {
  ask(services.request({use("grep", "{}"), say("Because.")}));
  EXPECT_EQ(named("question.ask")["kind"], 2);
  EXPECT_EQ(named("chat m1")["kind"], 3);
  for (const char* name : {"invoke_agent quarry", "execute_tool grep", "prepare_resource"}) {
    EXPECT_EQ(named(name)["kind"], 1) << name;
  }
}

TEST_F(QuestionSpans, HaveNoTextUnlessItIsWanted) {
  const auto asked = [this] {
    Request request = services.request({use("grep", R"({"pattern":"hydrate"})"), say("Because.")});
    request.thread = "mine";
    return request;
  };
  const char* const texts[] = {"Why?", "Because.", "hydrate", "grep output", "\"docs\"", "mine"};
  ask(asked());
  for (const char* secret : texts) EXPECT_THAT(text, Not(HasSubstr(secret)));
  content = true;
  text.clear();
  spans.clear();
  ask(asked());
  for (const char* secret : texts) EXPECT_THAT(text, HasSubstr(secret));
  const Json question = attributes("invoke_agent quarry");
  EXPECT_EQ(Json::parse(question["gen_ai.input.messages"].get<std::string>()),
            Json::parse(R"([{"role":"user","parts":[{"type":"text","content":"Why?"}]}])"));
  EXPECT_EQ(
      Json::parse(question["gen_ai.output.messages"].get<std::string>()),
      Json::parse(R"([{"role":"assistant","parts":[{"type":"text","content":"Because."}]}])"));
}

TEST_F(QuestionSpans, AToolThatDoesNotExistHasNoNameHere) {
  ask(services.request({use("Why? tell me", "{}"), say("Because.")}));
  EXPECT_THAT(span_names(), ::testing::Contains("execute_tool _OTHER"));
  EXPECT_THAT(text, Not(HasSubstr("tell me")));
}

TEST_F(QuestionSpans, TellWhatFailed) {
  services.library.failures["docs"] = Error(Code::kUnavailable, "a secret cause");
  ask(services.request({say("Because.")}));
  EXPECT_EQ(attributes("prepare_resource")["error.type"], "unavailable");
  EXPECT_EQ(attributes("invoke_agent quarry")["error.type"], "CollectionError");
  EXPECT_EQ(named("invoke_agent quarry")["status"]["code"], 2);
  EXPECT_THAT(text, Not(HasSubstr("a secret cause")));
}

TEST_F(QuestionSpans, ModelsThatFailAreStepsOfTheirOwn) {
  ask(services.request({{"first", {testing::fail_with(503)}}, {"second", {say("Because.")}}}));
  std::vector<std::string> providers;
  for (const Json& span : spans) {
    if (span["name"] != "chat m1") continue;
    for (const Json& attribute : span["attributes"]) {
      if (attribute["key"] == "gen_ai.provider.name") {
        providers.push_back(attribute["value"]["stringValue"]);
      }
    }
  }
  EXPECT_THAT(providers, ElementsAre("first", "second"));
  EXPECT_EQ(attributes("chat m1")["error.type"], "503");
  EXPECT_EQ(attributes("invoke_agent quarry")["gen_ai.provider.name"], "second");
}

TEST_F(QuestionSpans, AModelThatFailsWithoutAStatusHasACode) {
  ask(services.request({testing::fail({.code = Code::kUnauthenticated, .message = "a secret"})}));
  EXPECT_EQ(attributes("chat m1")["error.type"], "unauthenticated");
  EXPECT_THAT(text, Not(HasSubstr("a secret")));
}

TEST_F(QuestionSpans, AToolThatFailsIsOne) {
  services.tool = [](std::string_view, const Json&, std::stop_token) -> Result<ToolResult> {
    return Error(Code::kNotFound, "there is no secret.txt");
  };
  ask(services.request({use("read", "{}"), say("Because.")}));
  EXPECT_EQ(attributes("execute_tool read")["error.type"], "not_found");
  EXPECT_THAT(text, Not(HasSubstr("secret.txt")));
}

TEST_F(QuestionSpans, ProvidersHaveTheirNamesOfTheConventions) {
  Request request = services.request({say("Because.")});
  request.models.front().vendor = "google";
  ask(std::move(request));
  EXPECT_EQ(attributes("chat m1")["gen_ai.provider.name"], "gcp.gemini");
}

TEST_F(QuestionSpans, OfATraceThatIsNotRecordedAreNone) {
  const auto headers = ask(services.request({use("grep", "{}"), say("Because.")}),
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
  EXPECT_TRUE(spans.empty());
  ASSERT_EQ(headers.size(), 2u);
  EXPECT_TRUE(headers[0].ends_with("-00"));
  EXPECT_FALSE(headers[0].find("00f067aa0ba902b7") != std::string::npos);
}

TEST(QuestionSpansOff, NothingIsSentToAModel) {
  TestServices services;
  services.ask({say("Because.")});
  services.wait_until_idle();
  EXPECT_THAT(services.model().traceparents, ElementsAre(""));
}

}  // namespace
}  // namespace quarry::ask
