#include "history/testing/history_fixture.h"

namespace quarry::history {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ThreadsTest : public InDirectory {
 protected:
  void add(std::string_view thread, std::string question, Time when) {
    const Status added = threads_.add(thread, {std::move(question), "an answer", "q"}, when);
    ASSERT_TRUE(added) << added.error().message;
  }
  std::string title(std::string question) {
    add("t", std::move(question), at(1));
    const std::string out = (*threads_.find("t"))->summary.title;
    EXPECT_TRUE(*threads_.remove("t"));
    return out;
  }

  std::vector<std::string> found(std::string_view words) {
    const auto all = threads_.search(words);
    EXPECT_TRUE(all) << all.error().message;
    std::vector<std::string> out;
    for (const auto& one : *all) out.push_back(one.summary.id);
    return out;
  }

  Database database_ = *open_history(file());
  Threads threads_{database_};
};

TEST_F(ThreadsTest, KeepsTurnsInTheOrderTheyWereAdded) {
  add("t", "first", at(10));
  add("t", "second", at(30));
  add("t", "third", at(20));
  const auto thread = **threads_.find("t");
  ASSERT_EQ(thread.turns.size(), 3u);
  EXPECT_EQ(thread.turns[0].question, "first");
  EXPECT_EQ(thread.turns[2].question, "third");
  EXPECT_EQ(thread.turns[2].answer, "an answer");
  EXPECT_EQ(thread.turns[2].question_id, "q");
  EXPECT_EQ(thread.summary.title, "first");
  EXPECT_EQ(thread.summary.turns, 3);
  EXPECT_EQ(thread.summary.created, at(10));
  EXPECT_EQ(thread.summary.updated, at(30));
}

TEST_F(ThreadsTest, ATurnKeepsWhatItsResourcesWereCalled) {
  const std::vector<std::string> names = {"code", "npm:a\"b", "/a\nb"};
  ASSERT_TRUE(threads_.add("t", {"how?", "so", "q", names}, at(1)));
  EXPECT_EQ((**threads_.find("t")).turns[0].resources, names);
  add("t", "and?", at(2));
  EXPECT_TRUE((**threads_.find("t")).turns[1].resources.empty());
}

TEST_F(ThreadsTest, ATurnKeepsAllThatItsClientWasShown) {
  const Turn turn{.question = "how?",
                  .answer = "so",
                  .question_id = "q7",
                  .resources = {},
                  .status = std::string(kCut),
                  .finish_reason = "length",
                  .asked = at(5),
                  .cost = Money{42},
                  .details = R"({"steps":2})",
                  .citations = R"([{"path":"a.md","lines":["x"]}])"};
  ASSERT_TRUE(threads_.add("t", turn, at(6)));
  const Turn kept = (**threads_.find("t")).turns.at(0);
  EXPECT_EQ(kept.status, kCut);
  EXPECT_EQ(kept.finish_reason, "length");
  EXPECT_EQ(kept.asked, at(5));
  EXPECT_EQ(kept.cost->nanos, 42);
  EXPECT_EQ(kept.details, turn.details);
  EXPECT_EQ(kept.citations, turn.citations);
  EXPECT_EQ(*threads_.citations("q7"), turn.citations);
  EXPECT_EQ(*threads_.citations("nobody"), std::nullopt);
}

TEST_F(ThreadsTest, ASingleOneThatIsContinuedIsAConversation) {
  ASSERT_TRUE(threads_.add("q", {"how?", "so", "q"}, at(1), {.single = true, .project = "p"}));
  EXPECT_TRUE((*threads_.list())[0].origin.single);
  EXPECT_EQ((*threads_.list())[0].origin.project, "p");
  add("q", "and?", at(2));
  EXPECT_FALSE((*threads_.list())[0].origin.single);
  EXPECT_EQ((*threads_.list())[0].turns, 2);
}

TEST_F(ThreadsTest, ARowThatIsNoListNamesNothing) {
  add("t", "how?", at(1));
  for (const char* damaged : {"[1,\"code\"", "{}", ""}) {
    ASSERT_TRUE(database_.run("UPDATE turn SET resources = ?", {damaged}));
    EXPECT_TRUE((**threads_.find("t")).turns[0].resources.empty()) << damaged;
  }
}

TEST_F(ThreadsTest, ListsTheOneThatWentOnLastFirst) {
  add("a", "old", at(1));
  add("b", "new", at(2));
  add("a", "newest", at(3));
  const auto list = *threads_.list();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].id, "a");
  EXPECT_EQ(list[0].turns, 2);
  EXPECT_EQ(list[1].id, "b");
}

TEST_F(ThreadsTest, ATitleIsEightyCharactersOnOneLine) {
  EXPECT_EQ(title(" How\n\n are\tdates  parsed? "), "How are dates parsed?");
  std::string umlauts;
  for (int i = 0; i < 90; ++i) umlauts += "\xc3\xbc";
  EXPECT_EQ(title(umlauts), umlauts.substr(0, 160));
}

TEST_F(ThreadsTest, AnUnknownOneIsNothing) {
  EXPECT_FALSE(*threads_.find("nobody"));
  EXPECT_FALSE(*threads_.remove("nobody"));
}

TEST_F(ThreadsTest, FindsTurnsThatHaveAllWordsOfTheirQuestionOrAnswer) {
  add("dates", "How are dates parsed?", at(1));
  add("dates", "And what of the Zürich zone?", at(2));
  add("times", "How does parse_time read times?", at(3));
  EXPECT_THAT(found("parsed dates"), ElementsAre("dates"));
  EXPECT_THAT(found("ANSWER"), ElementsAre("times", "dates")) << "the latest first, each once";
  EXPECT_THAT(found("zurich zo"), ElementsAre("dates")) << "the last word is a prefix";
  EXPECT_THAT(found("zurich z"), IsEmpty()) << "but not one letter";
  EXPECT_THAT(found("parse_time"), ElementsAre("times"));
  EXPECT_THAT(found("time_parse"), IsEmpty()) << "the parts of a word in their order";
  EXPECT_THAT(found("nobody"), IsEmpty());
  const auto all = threads_.search("zone").value();
  EXPECT_EQ(all[0].summary.turns, 2);
  ASSERT_EQ(all[0].matches.size(), 1u);
  EXPECT_EQ(all[0].matches[0].turn, 2);
  EXPECT_EQ(all[0].matches[0].question_id, "q");
  EXPECT_EQ(all[0].matches[0].snippet, "And what of the Zürich zone?");
}

TEST_F(ThreadsTest, WordsAreNoExpression) {
  add("t", "How are times parsed?", at(1));
  std::string many;
  for (int i = 0; i < 500; ++i) many += "times ";
  for (const std::string& words : {std::string("times\" \"parsed"), std::string("\"times\""),
                                   std::string("times* ?"), many, std::string("times\n\tparsed"),
                                   std::string("times\0parsed", 12), std::string("„ times –")}) {
    EXPECT_THAT(found(words), ElementsAre("t")) << words;
  }
  for (const char* words :
       {"times OR dates", "question:times NOT x", "(dates)", "^dates", "NEAR(x)"}) {
    EXPECT_THAT(found(words), IsEmpty()) << words;
  }
  for (const char* words : {"", "  ", "?", "\"", "*", "–"}) {
    EXPECT_THAT(found(words), IsEmpty()) << words;
  }
}

TEST_F(ThreadsTest, AnotherTitleStaysWhenTheThreadGoesOnAndIsFound) {
  add("t", "first", at(1));
  EXPECT_EQ((*threads_.rename("t", " My\ntitle "))->title, "My title");
  add("t", "second", at(2));
  EXPECT_EQ((*threads_.list())[0].title, "My title");
  EXPECT_THAT(found("tit"), ElementsAre("t"));
  EXPECT_THAT(threads_.search("my title")->at(0).matches, IsEmpty());
  EXPECT_TRUE(*threads_.rename("t", "another"));
  EXPECT_THAT(found("title"), IsEmpty());
  EXPECT_EQ(*threads_.rename("nobody", "x"), std::nullopt);
}

TEST_F(ThreadsTest, RemovingLeavesNoTraceOfTheTextInTheFile) {
  const std::string text = "a-question-nobody-shall-read " + std::string(9000, 'x');
  add("t", text, at(1));
  add("kept", "another one", at(1));
  EXPECT_TRUE(*threads_.rename("t", "kumquat"));
  EXPECT_THAT(bytes(), HasSubstr("a-question-nobody-shall-read"));
  EXPECT_THAT(bytes(), HasSubstr("kumquat"));
  EXPECT_TRUE(*threads_.remove("t"));
  for (const char* word : {"shall", "xxxxxxxx", "kumquat"}) {
    EXPECT_THAT(found(word), IsEmpty());
    EXPECT_THAT(bytes(), Not(HasSubstr(word))) << "not as a word of the index either";
  }
  EXPECT_FALSE(*threads_.find("t"));
  EXPECT_TRUE(*threads_.find("kept"));
  EXPECT_THAT(bytes(), Not(HasSubstr("a-question-nobody-shall-read")));
}

TEST_F(ThreadsTest, ForgettingIsInWholeHoursAndLeavesNoWords) {
  add("old", "kumquat", at(10));
  add("new", "zebra", at(3700));
  ASSERT_TRUE(threads_.forget(at(3599)));
  EXPECT_THAT(found("kumquat"), ElementsAre("old"));
  ASSERT_TRUE(threads_.forget(at(3600)));
  EXPECT_THAT(found("kumquat"), IsEmpty());
  EXPECT_THAT(found("zebra"), ElementsAre("new"));
  ASSERT_TRUE(database_.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  EXPECT_THAT(bytes(), Not(HasSubstr("kumquat")));
}

}  // namespace
}  // namespace quarry::history
