#include "cli/top/metrics_text.h"

#include <cmath>

#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

constexpr std::string_view kText =
    "# HELP a_total Help with {braces} and \"quotes\".\n"
    "# TYPE a_total counter\n"
    "a_total{kind=\"x\",id=\"1\"} 2\n"
    "a_total{kind=\"x\",id=\"2\"} 3.5\n"
    "a_total{kind=\"y\"} 1e3 1700000000000\n"
    "\n"
    "b 7\n"
    "c{text=\"a \\\"b\\\" \\\\ \\n, c=} d\",} +Inf\n";

TEST(MetricsText, SumsTheSeriesOfANameAndOfALabel) {
  const auto metrics = MetricsText::parse(kText).value();
  EXPECT_EQ(metrics.sum("a_total"), 1005.5);
  EXPECT_EQ(metrics.sum("a_total", "kind", "x"), 5.5);
  EXPECT_EQ(metrics.sum("a_total", "id", "1"), 2);
  EXPECT_EQ(metrics.sum("a_total", "id", ""), 0) << "a missing label has no value";
  EXPECT_EQ(metrics.sum("b"), 7);
  EXPECT_EQ(metrics.sum("unknown"), 0);
  EXPECT_TRUE(std::isinf(metrics.sum("c", "text", "a \"b\" \\ \n, c=} d")));
}

TEST(MetricsText, SumsByTheValuesOfLabels) {
  const auto metrics = MetricsText::parse(kText).value();
  using Sums = std::map<std::vector<std::string>, double>;
  EXPECT_EQ(metrics.sums("a_total", {"kind"}), (Sums{{{"x"}, 5.5}, {{"y"}, 1000}}));
  EXPECT_EQ(metrics.sums("a_total", {"kind", "id"}),
            (Sums{{{"x", "1"}, 2}, {{"x", "2"}, 3.5}, {{"y", ""}, 1000}}));
  EXPECT_EQ(metrics.sums("unknown", {"kind"}), Sums{});
}

TEST(MetricsText, WhatCannotBeReadIsNamedByItsLine) {
  for (const char* line : {"a", "a ", "a{b=\"c\"}", "a{b=c} 1", "a{b=\"c} 1", "a{=\"c\"} 1",
                           "{b=\"c\"} 1", "a 1x", "<html>", "a{b=\"c\" 1"}) {
    const auto parsed = MetricsText::parse("b 1\n" + std::string(line) + "\n");
    ASSERT_FALSE(parsed) << line;
    EXPECT_EQ(parsed.error().message, "line 2 of the metrics cannot be read") << line;
  }
}

TEST(MetricsText, NothingHasNoSeries) {
  EXPECT_EQ(MetricsText::parse("").value().sum("a"), 0);
}

}  // namespace
}  // namespace quarry::cli
