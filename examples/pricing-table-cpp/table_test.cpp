#include "table.h"

#include <gtest/gtest.h>

namespace {

using pricing_table::Table;

std::string table(std::string_view models) {
  return R"({"name": "Ours", "date": "2026-11-01", "models": )" + std::string(models) + "}";
}

std::string fault(const std::string& text) {
  const auto read = Table::read(text);
  return read ? "none" : read.failure().message;
}

TEST(Tables, HaveRatesWithTheirSource) {
  const auto read = Table::read(table(R"({"a/b/c": {"input": "0.25", "cacheRead": "0"}})"));
  ASSERT_TRUE(read) << read.failure().message;
  EXPECT_EQ(read->rates("a", "b/c"),
            R"({"source":"Ours","date":"2026-11-01","input":"0.25","cacheRead":"0"})");
  EXPECT_EQ(read->rates("a", "b"), "null");
}

TEST(Tables, WithAMistakeAreRefused) {
  EXPECT_EQ(fault("<html>"), "the table's name has not 1 to 100 bytes");
  EXPECT_EQ(fault(R"({"name":"x","date":"today"})"),
            "the table's date is no day such as \"2026-11-01\"");
  EXPECT_EQ(fault(table("{}")), "the table's models are not 1 to 10,000");
  EXPECT_EQ(fault(table(R"({"a/b": {}})")), "the table's models/a/b has no rates");
  EXPECT_EQ(fault(table(R"({"a/b": {"price": "1"}})")),
            "the table's models/a/b/price is no kind of rate");
}

TEST(Tables, HaveDecimalTextsAsRates) {
  for (const char* const value :
       {"1", "\"\"", "\"-1\"", "\"1e3\"", "\"1.\"", "\".5\"", "\"12345678\"", "\"1.0123456789\"",
        "\"1.2.3\"", "null", "\"1\\\",\\\"x\\\":\\\"\""}) {
    EXPECT_EQ(fault(table(R"({"a/b": {"input": )" + std::string(value) + "}}")),
              "the table's models/a/b/input is no decimal text such as \"1.25\"")
        << value;
  }
  EXPECT_EQ(fault(table(R"({"a/b": {"input": "1234567.123456789"}})")), "none");
}

}  // namespace
