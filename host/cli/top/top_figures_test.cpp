#include "cli/top/top_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kBefore = R"(
quarry_questions_total{outcome="stop"} 90
quarry_http_requests_total{code="200",route="/"} 100
quarry_tool_calls_total{tool="grep",outcome="ok"} 10
quarry_model_calls_total{provider="p",model="m",outcome="ok"} 7
quarry_model_tokens_total{provider="p",model="m",kind="output"} 1000
process_cpu_seconds_total 10
)";
constexpr std::string_view kAfter = R"(
quarry_ready 1
quarry_problems 2
quarry_questions_running 3
quarry_questions_limit 64
quarry_questions_total{outcome="stop"} 100
quarry_questions_total{outcome="error"} 2
quarry_http_requests_total{code="200",route="/"} 150
quarry_http_requests_total{code="404",route="/"} 10
quarry_http_streams_open{plugin="a"} 1
quarry_http_streams_open{plugin="b"} 2
quarry_tool_calls_total{tool="grep",outcome="ok"} 12
quarry_tool_calls_total{tool="read",outcome="error"} 2
quarry_model_calls_total{provider="p",model="m",outcome="ok"} 8
quarry_model_calls_total{provider="p",model="m",outcome="error"} 1
quarry_model_calls_total{provider="q",model="n",outcome="ok"} 1234
quarry_model_tokens_total{provider="p",model="m",kind="input"} 400
quarry_model_tokens_total{provider="p",model="m",kind="output"} 1100
quarry_model_tokens_total{provider="p",model="m",kind="reasoning"} 50
quarry_model_tokens_total{provider="q",model="n",kind="output"} 800
quarry_model_cost_usd_total{provider="p",model="m"} 0.01234
quarry_fetches_total{type="git",outcome="ok"} 4
quarry_fetches_total{type="git",outcome="error"} 1
quarry_resources 5
quarry_plugin_crashes_total{id="org.a"} 2
quarry_plugin_calls_given_up_total{id="org.b"} 1
quarry_worker_jobs_waiting 6
quarry_cache_bytes 1048576
quarry_cache_limit_bytes 10737418240
process_cpu_seconds_total 11
process_resident_memory_bytes 2097152
process_open_fds 20
process_max_fds 1024
process_threads 9
process_start_time_seconds 1000
)";

TopFigures figures() {
  return figures_of(MetricsText::parse(kBefore).value(), MetricsText::parse(kAfter).value(), 4,
                    1000 + 7260);
}

TEST(TopFigures, AreSumsAndGrowthInASecond) {
  const TopFigures found = figures();
  EXPECT_TRUE(found.ready);
  EXPECT_EQ(found.problems, 2);
  EXPECT_EQ(found.seconds_up, 7260);
  EXPECT_EQ(found.questions_running, 3);
  EXPECT_EQ(found.questions_limit, 64);
  EXPECT_EQ(found.questions, 102);
  EXPECT_EQ(found.questions_failed, 2);
  EXPECT_EQ(found.questions_per_second, 3);
  EXPECT_EQ(found.streams, 3);
  EXPECT_EQ(found.requests_per_second, 15);
  EXPECT_EQ(found.tools_per_second, 1);
  EXPECT_EQ(found.fetches, 5);
  EXPECT_EQ(found.fetches_failed, 1);
  EXPECT_EQ(found.processors, .25);
  EXPECT_EQ(found.jobs_waiting, 6);
}

TEST(TopFigures, ModelsWithMoreOutputComeFirst) {
  const auto models = figures().models;
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].provider + "/" + models[0].name, "q/n");
  EXPECT_EQ(models[0].output_per_second, 200);
  EXPECT_EQ(models[0].cost_usd, std::nullopt) << "it has no known rates";
  EXPECT_EQ(models[1].calls, 9);
  EXPECT_EQ(models[1].failed, 1);
  EXPECT_EQ(models[1].input_per_second, 100);
  EXPECT_EQ(models[1].output_per_second, 25);
  EXPECT_EQ(models[1].cost_usd, .01234);
}

TEST(TopFigures, ACounterThatBeganAnewGrewFromNothing) {
  const auto before = MetricsText::parse("quarry_questions_total 100\n").value();
  const auto after = MetricsText::parse("quarry_questions_total 6\n").value();
  EXPECT_EQ(figures_of(before, after, 2, 0).questions_per_second, 3);
}

TEST(TopFigures, LinesAreForAPerson) {
  EXPECT_THAT(
      lines_of(figures()),
      ElementsAre("host       ready, 2 problems, up 2 h 1 min",
                  "questions  3 of 64 run, 3 a second; 102 ended, 2 failed",
                  "http       3 streams, 15 requests a second", "tools      1 calls a second",
                  "sources    5 resources, 5 fetches, 1 failed",
                  "process    25 % of a processor, 2.0 MiB, 9 threads",
                  "limits     20 of 1,024 descriptors, 6 jobs wait",
                  "cache      1.0 MiB of 10.0 GiB",
                  "plugin     org.a: 2 crashes, 0 calls did not return",
                  "plugin     org.b: 0 crashes, 1 calls did not return", "",
                  "model  calls  failed  input/s  output/s     cost",
                  "q/n    1,234       0        0       200        -",
                  "p/m        9       1      100        25  $0.0123"));
}

TEST(TopFigures, AHostWithoutSeriesHasNoModelsAndNoTimes) {
  const auto nothing = MetricsText::parse("").value();
  const TopFigures found = figures_of(nothing, nothing, 1, 1e9);
  EXPECT_FALSE(found.ready);
  EXPECT_EQ(found.seconds_up, 0);
  EXPECT_THAT(lines_of(found)[0], HasSubstr("not ready, up 0 s"));
  EXPECT_EQ(lines_of(found).size(), 8U);
}

TEST(TopFigures, JsonHasEveryFigure) {
  const Json json = to_json(figures());
  EXPECT_EQ(json["questionsPerSecond"], 3);
  EXPECT_EQ(json["models"][1]["costUsd"], .01234);
  EXPECT_FALSE(json["models"][0].contains("costUsd"));
  EXPECT_EQ(json["plugins"][1], (Json{{"id", "org.b"}, {"crashes", 0.0}, {"givenUp", 1.0}}));
  EXPECT_EQ(json.size(), 24U);
}

TEST(TopFigures, TimesAreInTheTwoLargestUnits) {
  const auto host = [](double seconds) {
    TopFigures given;
    given.seconds_up = seconds;
    return lines_of(given)[0];
  };
  EXPECT_THAT(host(59.4), HasSubstr("up 59 s"));
  EXPECT_THAT(host(60), HasSubstr("up 1 min"));
  EXPECT_THAT(host(3600), HasSubstr("up 1 h 0 min"));
  EXPECT_THAT(host(86400 * 3 + 3600 * 4), HasSubstr("up 3 d 4 h"));
}

}  // namespace
}  // namespace quarry::cli
