#include "pricing-genai-prices/match.h"

#include <regex>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::pricing_genai_prices {
namespace {

constexpr std::string_view kText = "gpt-openai/^o[13]-\\d+$(";

/// The rules of "(starts with gpt- and contains openai) or ^o[13]-\d+$ or is exactly -openai".
const std::vector<Rule> kRules = {{Rule::k_or, 0, 0, 6},          {Rule::k_and, 0, 0, 4},
                                  {Rule::k_starts_with, 0, 4, 3}, {Rule::k_contains, 4, 6, 4},
                                  {Rule::k_regex, 11, 11, 5},     {Rule::k_equals, 3, 7, 6},
                                  {Rule::k_ends_with, 10, 1, 7},  {Rule::k_regex, 22, 1, 8}};

bool matches(std::string_view name, std::uint32_t rule = 0) {
  Tables tables{};
  tables.text = kText;
  tables.rules = kRules;
  return holds(tables, rule, name);
}

TEST(Rules, HoldByTheirKind) {
  EXPECT_TRUE(matches("gpt-5-openai"));
  EXPECT_FALSE(matches("gpt-5"));
  EXPECT_FALSE(matches("openai"));
  EXPECT_TRUE(matches("o1-20"));
  EXPECT_FALSE(matches("o1-20x"));
  EXPECT_FALSE(matches("o2-20"));
  EXPECT_TRUE(matches("-openai"));
  EXPECT_FALSE(matches(""));
  EXPECT_TRUE(matches("any/", 6));
  EXPECT_FALSE(matches("(", 7)) << "an invalid expression matches nothing";
}

TEST(Rules, OfThisBuildAreExpressionsOfTheLibrary) {
  const Tables& tables = built_in_tables();
  for (const Rule& rule : tables.rules) {
    if (rule.kind != Rule::k_regex) continue;
    const std::string expression(tables.text.substr(rule.text, rule.size));
    EXPECT_NO_THROW(std::regex(expression, std::regex::ECMAScript)) << expression;
  }
}

TEST(Rules, OfExpressionsHoldWhateverTheyBeginWith) {
  const auto found = [](std::string_view expression, std::string_view name) {
    const Rule rule{Rule::k_regex, 0, static_cast<std::uint16_t>(expression.size()), 1};
    Tables tables{};
    tables.text = expression;
    tables.rules = {&rule, 1};
    return holds(tables, 0, name);
  };
  EXPECT_TRUE(found("^abc?d", "abd"));
  EXPECT_TRUE(found("^ab{0}c", "ac"));
  EXPECT_TRUE(found("^a|b", "xb"));
  EXPECT_TRUE(found("b", "ab"));
  EXPECT_TRUE(found("^", ""));
  EXPECT_TRUE(found("^(?!.*-x$)", "y"));
  EXPECT_FALSE(found("^(?!.*-x$)", "y-x"));
  EXPECT_FALSE(found("^abc", "ab"));
}

TEST(Names, AreComparedWithoutCaseAndSpaces) {
  EXPECT_EQ(normal_name(" Claude-3 \n"), "claude-3");
  EXPECT_EQ(normal_name("  "), "");
}

TEST(Names, DatesGetDashes) {
  EXPECT_EQ(with_dashed_dates("gpt-5-20250807"), "gpt-5-2025-08-07");
  EXPECT_EQ(with_dashed_dates("a-20240229-b:20250101"), "a-2024-02-29-b:20250101");
  EXPECT_EQ(with_dashed_dates("a-20240229:free-20250101"), "a-2024-02-29:free-2025-01-01");
  for (const char* name : {"gpt-5-20250231", "gpt-5-19990101", "gpt-5-2025080", "gpt-5-202508071",
                           "gpt-5-20250807x", "gpt-5-2025-08-07", "", "-"}) {
    EXPECT_EQ(with_dashed_dates(name), name);
  }
}

}  // namespace
}  // namespace quarry::pricing_genai_prices
