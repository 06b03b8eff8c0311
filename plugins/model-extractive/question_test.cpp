#include "model-extractive/question.h"

#include "model-extractive/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::extractive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> stems_in(const Question& question) {
  std::vector<std::string> out;
  for (const Term& term : question.terms) out.push_back(term.stem);
  return out;
}

TEST(Question, KeepsTheWordsThatMatter) {
  EXPECT_THAT(stems_in(read_question("How does the server parse a date, and what is a date?")),
              ElementsAre("serv", "pars", "dat"));
}

TEST(Question, WeighsVagueWordsLess) {
  const Question question = read_question("What happens to keys?");
  ASSERT_EQ(question.terms.size(), 2u);
  EXPECT_LT(question.terms[0].weight, question.terms[1].weight);
}

TEST(Question, FindsTheNamesThatSourcesSpellSo) {
  EXPECT_THAT(read_question("What do parse_date, parseTime and run() do?").names,
              ElementsAre("parse_date", "parseTime", "run"));
}

TEST(Question, IsDetailedWhenLong) {
  EXPECT_FALSE(read_question("How is a date parsed?").detailed);
  EXPECT_TRUE(
      read_question("Where in the reader of dates is the zone of the time taken into account "
                    "when a text has no zone of its own?")
          .detailed);
}

TEST(Question, IsNotDetailedWhenItAsksForUse) {
  EXPECT_FALSE(read_question("How do I make the reader of dates take the zone of the time into "
                             "account when a text has no zone of its own?")
                   .detailed);
}

TEST(Question, KnowsProperNamesOfEnglish) {
  const auto proper = [](std::string_view text) {
    std::vector<std::string> out;
    for (const Term& term : read_question(text).terms) {
      if (term.proper) out.push_back(term.word);
    }
    return out;
  };
  EXPECT_THAT(proper("How do I parse HTML in JavaScript?"), ElementsAre("html", "java", "script"));
  EXPECT_THAT(proper("Parse a date. Print it in the form of Vim"), ElementsAre("vim"));
  EXPECT_THAT(proper("What is parseDate for?"), ElementsAre("parse", "date"));
  EXPECT_THAT(proper("What if I'm in the parser of PHP's dates?"), ElementsAre("php"));
  EXPECT_THAT(proper("Is there a pattern for UUIDs?"), IsEmpty());
  EXPECT_THAT(proper("Wie lese ich mehrere Dateien?"), IsEmpty());
}

TEST(Question, HasOtherWordsToSearchFor) {
  EXPECT_THAT(read_question("How do I delete a folder?").other_words(), HasSubstr("directory"));
  EXPECT_EQ(read_question("How is zlib?").other_words(), "");
}

TEST(Match, KnowsFormsSynonymsAndCompounds) {
  const Question question = read_question("skip list deleted");
  EXPECT_EQ(coverage(matched("skiplist deletes", question), question), 1);
  EXPECT_EQ(coverage(matched("skips the lists, deletion", question), question), 1);
  const double synonym = coverage(matched("remove", question), question);
  EXPECT_GT(synonym, 0);
  EXPECT_LT(synonym, coverage(matched("delete", question), question));
  EXPECT_EQ(coverage(matched("", question), question), 0);
  EXPECT_EQ(coverage({}, read_question("")), 0);
}

TEST(Match, JoinsWordsOfTheText) {
  const Question question = read_question("Where is the skiplist?");
  EXPECT_EQ(coverage(matched("a skip list", question), question), 1);
}

}  // namespace
}  // namespace quarry::extractive
