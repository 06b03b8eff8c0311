#include "model-extractive/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::extractive {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Words, SplitsNames) {
  EXPECT_THAT(words_of("parseDate_utc(HTTPServer) v2"),
              ElementsAre("parse", "date", "utc", "http", "server", "v", "2"));
  EXPECT_THAT(words_of(" - "), IsEmpty());
}

TEST(Words, AreEqualInTheirForms) {
  EXPECT_EQ(stem("configuration"), stem("configured"));
  EXPECT_EQ(stem("stopping"), stem("stops"));
  EXPECT_EQ(stem("entries"), stem("entry"));
  EXPECT_EQ(stem("as"), "as");
}

TEST(Words, SayNothingWhenCommon) {
  for (const char* word : {"how", "the", "your"}) EXPECT_TRUE(is_common(word)) << word;
  EXPECT_FALSE(is_common("branch"));
  for (const char* word : {"often", "stay", "still"}) EXPECT_TRUE(is_vague(word)) << word;
}

}  // namespace
}  // namespace quarry::extractive
