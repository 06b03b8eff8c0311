#include "history/testing/history_fixture.h"

namespace quarry::history {
namespace {

using ::testing::HasSubstr;
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

TEST_F(ThreadsTest, RemovingLeavesNoTraceOfTheTextInTheFile) {
  const std::string text = "a-question-nobody-shall-read " + std::string(9000, 'x');
  add("t", text, at(1));
  add("kept", "another one", at(1));
  EXPECT_THAT(bytes(), HasSubstr("a-question-nobody-shall-read"));
  EXPECT_TRUE(*threads_.remove("t"));
  EXPECT_FALSE(*threads_.find("t"));
  EXPECT_TRUE(*threads_.find("kept"));
  EXPECT_THAT(bytes(), Not(HasSubstr("a-question-nobody-shall-read")));
}

}  // namespace
}  // namespace quarry::history
