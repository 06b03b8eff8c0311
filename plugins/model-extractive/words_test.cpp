#include "model-extractive/words.h"

#include "model-extractive/german.h"

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
  for (const char* word : {"how", "the", "wird", "your"}) EXPECT_TRUE(is_common(word)) << word;
  EXPECT_FALSE(is_common("branch"));
  EXPECT_TRUE(is_vague("often"));
}

TEST(German, IsTranslatedWordByWord) {
  EXPECT_EQ(in_english("Wo werden Dateien gespeichert?"), "file save store");
  EXPECT_EQ(in_english("Folgt git symbolischen Pfaden?"), "follow git symbolic path");
}

TEST(German, SplitsCompounds) {
  EXPECT_EQ(in_english("Wo sind die Fehlermeldungen?"), "error message");
  EXPECT_EQ(in_english("Wo ist der Fortschrittsbalken?"), "progress bar");
}

TEST(German, JoinsASeparatedVerb) {
  EXPECT_EQ(in_english("Wie fasse ich die Commits zusammen?"), "combine squash commit");
}

TEST(German, IsNotSeenInEnglishQuestions) {
  EXPECT_EQ(in_english("How is the format of an option set?"), "");
  EXPECT_EQ(in_english("What does die() do?"), "");
  EXPECT_EQ(in_english(""), "");
}

}  // namespace
}  // namespace quarry::extractive
