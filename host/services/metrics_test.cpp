#include "services/metrics.h"

#include <cmath>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, ExposeCountersAndGauges) {
  Metrics metrics;
  ASSERT_TRUE(metrics.count("requests", R"(route="/",code="200")"));
  ASSERT_TRUE(metrics.count("requests", R"(route="/",code="200")", 2));
  ASSERT_TRUE(metrics.gauge("open", "", 1.5));
  EXPECT_EQ(metrics.expose(),
            "# TYPE quarry_open gauge\nquarry_open 1.5\n"
            "# TYPE quarry_requests counter\nquarry_requests{code=\"200\",route=\"/\"} 3\n");
}

TEST(Metrics, ExposeCumulativeHistograms) {
  Metrics metrics;
  for (const double seconds : {0.001, 0.2, 1000.0})
    ASSERT_TRUE(metrics.observe("wait", R"(kind="a")", seconds));
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("quarry_wait_bucket{kind=\"a\",le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("quarry_wait_bucket{kind=\"a\",le=\"0.25\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("quarry_wait_bucket{kind=\"a\",le=\"300\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("quarry_wait_bucket{kind=\"a\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("quarry_wait_sum{kind=\"a\"} 1000.201\n"));
  EXPECT_THAT(text, HasSubstr("quarry_wait_count{kind=\"a\"} 3\n"));
}

TEST(Metrics, RefuseWhatWouldBreakTheFormat) {
  Metrics metrics;
  for (const char* name : {"", "Upper", "1st", "a-b", "a b"})
    EXPECT_EQ(metrics.count(name, "").error().code, Code::kInvalidArgument) << name;
  for (const char* labels : {"x", "a=b", "a=\"b", "a=\"b\\", "a=\"b\",", "a=\"b\"c=\"d\"",
                             "a=\"\n\"", "=\"b\"", "a=\"b\",a=\"c\""})
    EXPECT_EQ(metrics.count("ok", labels).error().code, Code::kInvalidArgument) << labels;
  EXPECT_TRUE(metrics.count("ok", R"(a="with \" quote",b="")"));
}

TEST(Metrics, RefuseTheLabelsOfTheHost) {
  Metrics metrics;
  for (const char* labels :
       {R"(le="1")", R"(plugin="a")", R"(__name__="a")", R"(quarry_a="b")", R"(a="b",le="1")"}) {
    EXPECT_EQ(metrics.observe("ok", labels, 1).error().code, Code::kInvalidArgument) << labels;
  }
  EXPECT_TRUE(metrics.count("ok", R"(level="1",plugins="2",a="le")"))
      << "of any type, since nothing was recorded";
}

TEST(Metrics, KeepTheTypeOfAName) {
  Metrics metrics;
  ASSERT_TRUE(metrics.count("n", ""));
  EXPECT_FALSE(metrics.gauge("n", "", 1));
  EXPECT_FALSE(metrics.observe("n", "", 1));
}

TEST(Metrics, OfTwoPluginsWithOneNameAreKeptApart) {
  Metrics metrics;
  ASSERT_TRUE(metrics.count("hits", R"(route="/")", 1, "org.a"));
  ASSERT_TRUE(metrics.count("hits", R"(route="/")", 5, "org.b"));
  ASSERT_TRUE(metrics.count("hits", R"(route="/")", 2, "org.a"));
  ASSERT_TRUE(metrics.count("hits", "", 7));
  ASSERT_TRUE(metrics.gauge("open", "", 1, "org.a"));
  ASSERT_TRUE(metrics.gauge("open", "", 2, "org.b"));
  EXPECT_EQ(metrics.expose(),
            "# HELP quarry_hits Recorded by a plugin.\n"
            "# TYPE quarry_hits counter\nquarry_hits 7\n"
            "quarry_hits{plugin=\"org.a\",route=\"/\"} 3\n"
            "quarry_hits{plugin=\"org.b\",route=\"/\"} 5\n"
            "# HELP quarry_open Recorded by a plugin.\n"
            "# TYPE quarry_open gauge\nquarry_open{plugin=\"org.a\"} 1\n"
            "quarry_open{plugin=\"org.b\"} 2\n");
}

TEST(Metrics, HistogramsOfPluginsHaveTheirLabelInEveryLine) {
  Metrics metrics;
  ASSERT_TRUE(metrics.observe("wait", "", 1, "org.a"));
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("quarry_wait_bucket{plugin=\"org.a\",le=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("quarry_wait_sum{plugin=\"org.a\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("quarry_wait_count{plugin=\"org.a\"} 1\n"));
}

TEST(Metrics, AnotherPluginCannotChangeTheTypeOfAName) {
  Metrics metrics;
  ASSERT_TRUE(metrics.count("n", "", 1, "org.a"));
  EXPECT_FALSE(metrics.gauge("n", "", 1, "org.b"));
}

TEST(Metrics, RefuseImpossibleAmounts) {
  Metrics metrics;
  EXPECT_FALSE(metrics.count("n", "", -1));
  EXPECT_FALSE(metrics.count("n", "", NAN));
  EXPECT_FALSE(metrics.observe("n", "", -1));
  EXPECT_FALSE(metrics.observe("n", "", INFINITY));
  for (const double value : {NAN, INFINITY, -INFINITY}) EXPECT_FALSE(metrics.gauge("n", "", value));
  EXPECT_TRUE(metrics.gauge("n", "", -1));
}

TEST(Metrics, BoundTheNumberOfSeriesOfEachPlugin) {
  Metrics metrics;
  for (std::size_t i = 0; i < Metrics::kMostSeries; ++i)
    ASSERT_TRUE(metrics.count("n", metric_label("id", std::to_string(i)), 1, "org.a"));
  EXPECT_EQ(metrics.count("n", "id=\"more\"", 1, "org.a").error().code, Code::kResourceExhausted);
  EXPECT_EQ(metrics.gauge("m", "", 1, "org.a").error().code, Code::kResourceExhausted);
  EXPECT_TRUE(metrics.count("n", "id=\"0\"", 1, "org.a"));
  EXPECT_TRUE(metrics.count("n", "id=\"0\"", 1, "org.b"));
  EXPECT_TRUE(metrics.count("n", "id=\"0\""));
}

TEST(Metrics, HelpIsThatOfTheHost) {
  Metrics metrics;
  metrics.describe("n", "Number of things.");
  ASSERT_TRUE(metrics.count("n", ""));
  EXPECT_EQ(metrics.expose(),
            "# HELP quarry_n Number of things.\n# TYPE quarry_n counter\nquarry_n 1\n");
}

TEST(Metrics, ReadingsStandAmongTheOthersByName) {
  Metrics metrics;
  ASSERT_TRUE(metrics.count("b", ""));
  const std::string text = metrics.expose({{"quarry_c_total", Reading::Type::kCounter, "C.", 2},
                                           {"process_a", Reading::Type::kGauge, "A.", .5}});
  EXPECT_EQ(text,
            "# HELP process_a A.\n# TYPE process_a gauge\nprocess_a 0.5\n"
            "# TYPE quarry_b counter\nquarry_b 1\n"
            "# HELP quarry_c_total C.\n# TYPE quarry_c_total counter\nquarry_c_total 2\n");
}

TEST(Metrics, LabelsComeBackAsTheyWereGiven) {
  Metrics metrics;
  ASSERT_TRUE(metrics.count("n", metric_label("a", "x\"y\\z\n,")));
  EXPECT_EQ(metrics.expose(), "# TYPE quarry_n counter\nquarry_n{a=\"x\\\"y\\\\z\\n,\"} 1\n");
}

TEST(Metrics, CountFromManyThreads) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 250; ++i) ASSERT_TRUE(metrics.count("n", ""));
      });
  }
  EXPECT_THAT(metrics.expose(), HasSubstr("quarry_n 1000\n"));
}

}  // namespace
}  // namespace quarry::services
