#include "corpus/query/question.h"

#include "corpus/query/question_words.h"
#include "corpus/text/file_traits.h"
#include "corpus/text/stemmer.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> terms(std::string_view words, TermKind kind) {
  std::vector<std::string> out;
  for (const QuestionTerm& term : parse_question(words, {}).terms) {
    if (term.kind == kind) out.push_back(term.term);
  }
  return out;
}

double weight(std::string_view words, std::string_view term) {
  for (const QuestionTerm& one : parse_question(words, {}).terms) {
    if (one.term == term) return one.weight;
  }
  return 0;
}

TEST(Questions, KeepOnlyWhatSaysSomething) {
  EXPECT_THAT(terms("How does the parser read its tokens?", TermKind::kText),
              ElementsAre("pars", "read", "token"));
  EXPECT_THAT(terms("", TermKind::kText), IsEmpty());
}

TEST(Questions, OfStopWordsAloneKeepThem) {
  EXPECT_THAT(terms("what is it", TermKind::kText), ElementsAre("what", "is", "it"));
}

TEST(Questions, CountFrequentWordsLess) {
  EXPECT_LT(weight("function of parser", "function"), weight("function of parser", "pars"));
}

TEST(Questions, NameIdentifiers) {
  EXPECT_THAT(terms("where is `parse_request`?", TermKind::kAlternative), Contains("parsrequest"));
  EXPECT_THAT(terms("parse_request", TermKind::kDefinition), Contains("=parserequest"));
  EXPECT_THAT(terms("thread pool", TermKind::kDefinition), Contains("~threadpool"));
  EXPECT_GT(weight("Close()", "=close"), weight("close it now", "=close"));
}

TEST(Questions, MentionFiles) {
  EXPECT_THAT(parse_question("See net/http/server.go, and \"README.md\"?", {}).mentioned,
              ::testing::SizeIs(::testing::Ge(2)));
  EXPECT_THAT(parse_question("What is the end. And then", {}).mentioned, IsEmpty());
}

TEST(Questions, AskForKindsOfFiles) {
  EXPECT_EQ(parse_question("how is it tested", {}).wanted_traits, kTestFile);
  EXPECT_EQ(parse_question("how is it run", {}).wanted_traits, 0);
}

TEST(Questions, OfAnyLengthAreBounded) {
  std::string words;
  for (int i = 0; i < 5000; ++i) words += "word" + std::to_string(i) + " ";
  EXPECT_LE(parse_question(words, {}).words, 120u);
  EXPECT_LT(weight(words, "word50"), weight(words, "word5"))
      << "the first line counts for 40 words";
}

TEST(Questions, WeighTheFirstLineMore) {
  constexpr const char* kIssue = "\nPool leaks threads\n\nSteps: start a server and wait.";
  EXPECT_GT(weight(kIssue, "leak"), weight(kIssue, "wait"));
  EXPECT_GT(weight(kIssue, "wait"), 0);
  EXPECT_EQ(weight("pool leaks", "leak"), weight("pool leaks", "pool"));
}

TEST(Questions, TellWhatAnswersThem) {
  const std::pair<const char*, AnswerKind> table[] = {
      {"Where is the pool resized?", AnswerKind::kCode},
      {"resize_pool", AnswerKind::kEither},
      {"It fails\n\nTraceback (most recent call last):\n  File \"a.py\"", AnswerKind::kCode},
      {"How do I resize the pool?", AnswerKind::kDocumentation},
      {"What is the difference between the pools?", AnswerKind::kDocumentation},
      {"resize the pool", AnswerKind::kEither},
  };
  for (const auto& [words, answer_kind] : table)
    EXPECT_EQ(parse_question(words, {}).answer_kind, answer_kind) << words;
}

TEST(Questions, BecomeAFilterOfTheirTerms) {
  const TermFilter filter = filter_for(parse_question("thread pool", {}));
  EXPECT_TRUE(filter.contains("thread"));
  EXPECT_TRUE(filter.contains("/pool"));
  EXPECT_FALSE(filter.contains("zebra"));
}

TEST(Relatives, AreMutualAndNotThemselves) {
  const auto of = relatives_of(stemmed("directory"));
  EXPECT_THAT(of, Contains(stemmed("folder")));
  EXPECT_THAT(relatives_of(stemmed("folder")), Contains(stemmed("directory")));
  EXPECT_THAT(of, Not(Contains(stemmed("directory"))));
  EXPECT_TRUE(relatives_of("zebra").empty());
}

}  // namespace
}  // namespace quarry::corpus
