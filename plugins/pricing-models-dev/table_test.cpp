#include "pricing-models-dev/table.h"

#include <gtest/gtest.h>

namespace quarry::pricing_models_dev {
namespace {

Table table() {
  return Table({{"openrouter", "openai/gpt-x", "{\"input\":\"2\"}"},
                {"openai", "gpt-x", "{\"input\":\"0\"}"},
                {"openai", "gpt-x-mini", "{\"input\":\"3\"}"},
                {"openai", "gpt-x", "{\"input\":\"1\"}"}},
               {.url = "http://a", .etag = "\"7\"", .checked_ms = 5});
}

TEST(Table, FindsAModelAtItsProviderOnly) {
  const Table prices = table();
  EXPECT_EQ(prices.size(), 3u);
  EXPECT_EQ(prices.find("openai", "gpt-x"), "{\"input\":\"1\"}") << "the later of two applies";
  EXPECT_EQ(prices.find("openai", "gpt-x-mini"), "{\"input\":\"3\"}");
  EXPECT_EQ(prices.find("openrouter", "openai/gpt-x"), "{\"input\":\"2\"}");
  EXPECT_EQ(prices.find("openrouter", "gpt-x"), "");
  EXPECT_EQ(prices.find("openai", "gpt"), "");
  EXPECT_EQ(prices.find("openai", "gpt-x\t{\"input\":\"1\"}"), "");
  EXPECT_EQ(prices.find("", ""), "");
  EXPECT_EQ(prices.find("zzz", "zzz"), "");
}

TEST(Table, FindsEachOfManyModels) {
  std::vector<Entry> entries;
  for (int i = 0; i < 500; ++i) {
    entries.push_back({"p" + std::to_string(i % 7), std::to_string(i), "{" + std::to_string(i)});
  }
  const Table prices(entries, {});
  for (const Entry& entry : entries) {
    EXPECT_EQ(prices.find(entry.provider, entry.model), entry.rates) << entry.model;
  }
}

TEST(Table, ComesBackFromItsText) {
  const Table prices = table();
  const auto again = Table::read(prices.text());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->origin().etag, "\"7\"");
  EXPECT_EQ(again->origin().checked_ms, 5);
  EXPECT_EQ(again->prices(), prices.prices());
  const auto later = again->checked_at(9);
  EXPECT_EQ(later->prices(), prices.prices());
  EXPECT_EQ(Table::read(later->text())->origin().checked_ms, 9);
}

TEST(Table, IsNotReadWhenItIsCutOrOfAnotherForm) {
  const std::string whole = table().text();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Table::read(whole.substr(0, size))) << "cut at byte " << size;
  }
  EXPECT_FALSE(Table::read("{\"form\":\"other\"}\n"));
  EXPECT_FALSE(Table::read("{\"form\":\"models.dev table 1\",\"models\":1}\na\tb\t{}\n"));
}

}  // namespace
}  // namespace quarry::pricing_models_dev
