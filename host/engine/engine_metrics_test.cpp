#include "engine/engine_metrics.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

struct EngineMetricsTest : ::testing::Test {
  services::Metrics metrics;
  EngineMetrics recorder{metrics};
};

ask::Record record_of_two_calls() {
  ask::Record record;
  record.outcome = "stop";
  record.duration = 2s;
  record.first_token = 300ms;
  ask::CallRecord first;
  first.provider = "acme";
  first.model = "a\"1";
  first.usage.input = 100;
  first.usage.output = 20;
  first.usage.cache_read = 60;
  first.source = "catalogue";
  first.cost.input = Money{2'500'000};
  ask::CallRecord second;
  second.provider = "other";
  second.model = "b";
  second.failed = true;
  record.calls = {first, first, second};
  return record;
}

TEST_F(EngineMetricsTest, RecordAQuestionWithItsCalls) {
  recorder.ended(record_of_two_calls());
  const std::string text = metrics.expose();
  for (const char* line : {
           R"(quarry_questions_total{outcome="stop"} 1)",
           R"(quarry_question_duration_seconds_sum 2)",
           R"(quarry_question_first_token_seconds_sum 0.3)",
           R"(quarry_model_calls_total{model="a\"1",outcome="ok",provider="acme"} 2)",
           R"(quarry_model_calls_total{model="b",outcome="error",provider="other"} 1)",
           R"(quarry_model_tokens_total{kind="input",model="a\"1",provider="acme"} 200)",
           R"(quarry_model_tokens_total{kind="output",model="a\"1",provider="acme"} 40)",
           R"(quarry_model_tokens_total{kind="cacheRead",model="a\"1",provider="acme"} 120)",
           R"(quarry_model_cost_usd_total{model="a\"1",provider="acme"} 0.005)",
       }) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + line + "\n"));
  }
  EXPECT_THAT(text, Not(HasSubstr("kind=\"reasoning\""))) << "was not reported";
  EXPECT_THAT(text, Not(HasSubstr("cost_usd_total{model=\"b\""))) << "has no known rates";
}

TEST_F(EngineMetricsTest, AFailedQuestionIsOneWhateverItsError) {
  ask::Record record;
  record.failed = true;
  record.outcome = "SomeError";
  recorder.ended(record);
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("quarry_questions_total{outcome=\"error\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("first_token"))) << "it had none";
}

TEST_F(EngineMetricsTest, RecordToolsAndFetches) {
  recorder.used_tool("grep", false, 20ms);
  recorder.used_tool("grep", true, 20ms);
  recorder.fetched("npm", false, 3s);
  recorder.fetched("npm", true, 1s);
  const std::string text = metrics.expose();
  for (const char* line : {
           R"(quarry_tool_calls_total{outcome="ok",tool="grep"} 1)",
           R"(quarry_tool_calls_total{outcome="error",tool="grep"} 1)",
           R"(quarry_tool_duration_seconds_count{tool="grep"} 2)",
           R"(quarry_fetches_total{outcome="ok",type="npm"} 1)",
           R"(quarry_fetches_total{outcome="error",type="npm"} 1)",
           R"(quarry_fetch_duration_seconds_sum{type="npm"} 4)",
       }) {
    EXPECT_THAT(text, HasSubstr(std::string("\n") + line + "\n"));
  }
}

TEST_F(EngineMetricsTest, EveryMetricIsExplained) {
  recorder.ended(record_of_two_calls());
  recorder.used_tool("grep", false, 1ms);
  recorder.fetched("npm", false, 1ms);
  std::size_t types = 0;
  std::size_t helps = 0;
  const std::string text = metrics.expose();
  for (std::size_t at = 0; (at = text.find("# TYPE ", at)) != text.npos; ++at) ++types;
  for (std::size_t at = 0; (at = text.find("# HELP ", at)) != text.npos; ++at) ++helps;
  EXPECT_EQ(types, 10U);
  EXPECT_EQ(helps, types);
}

}  // namespace
}  // namespace quarry::engine
