#include "cli/plugin_indexes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::cli {
namespace {

using ::testing::HasSubstr;

plugins::ReadIndex index_with(const std::string& name, const std::vector<std::string>& ids) {
  plugins::ReadIndex out{.source = {name, "https://" + name + ".example/index.json"},
                         .index = {.made = "2026-11-01T12:00:00Z", .plugins = {}},
                         .fetched = {}};
  for (const auto& id : ids) out.index.plugins.emplace_back().id = id;
  return out;
}

TEST(PluginOffer, IsFoundInTheOneIndexThatHasIt) {
  const std::vector<plugins::ReadIndex> indexes{index_with("one", {"org.a", "org.b"}),
                                                index_with("two", {"org.c"})};
  const auto offer = find_offer(indexes, "org.c");
  ASSERT_TRUE(offer) << offer.error().message;
  EXPECT_EQ(offer->index->source.name, "two");
  EXPECT_EQ(offer->plugin->id, "org.c");
}

TEST(PluginOffer, OfSeveralIndexesIsAMistakeThatNamesThem) {
  const auto offer =
      find_offer({index_with("one", {"org.a"}), index_with("two", {"org.a"})}, "org.a");
  ASSERT_FALSE(offer);
  EXPECT_THAT(offer.error().message, HasSubstr("\"one\", \"two\""));
  EXPECT_THAT(offer.error().hint, HasSubstr("--index"));
}

TEST(PluginOffer, ThatIsNotThereIsAnsweredWithTheNearest) {
  const auto offer = find_offer({index_with("one", {"org.example.notes"})}, "org.example.ntoes");
  ASSERT_FALSE(offer);
  EXPECT_EQ(offer.error().code, Code::kNotFound);
  EXPECT_THAT(offer.error().hint, HasSubstr("org.example.notes"));
}

TEST(ConfiguredIndexes, ThatAreMissingAreToldWithWhatToSet) {
  const auto none = PluginIndexes::open({}, "");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().hint, HasSubstr("[plugins.indexes]"));
  config::Config config;
  config.plugins.indexes = {{"team", "https://team.example/index.json"}};
  const auto other = PluginIndexes::open(config, "taem");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().hint, HasSubstr("there are: team"));
}

TEST(AgeOfACopy, IsToldInItsLargestUnit) {
  EXPECT_EQ(age_words(std::chrono::seconds(59)), "less than a minute");
  EXPECT_EQ(age_words(std::chrono::seconds(60)), "1 minute");
  EXPECT_EQ(age_words(std::chrono::minutes(119)), "1 hour");
  EXPECT_EQ(age_words(std::chrono::hours(47)), "1 day");
  EXPECT_EQ(age_words(std::chrono::hours(48)), "2 days");
  EXPECT_EQ(age_words(std::chrono::seconds(-5)), "less than a minute");
}

}  // namespace
}  // namespace quarry::cli
