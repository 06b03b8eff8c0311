// Each rule of ranking on a small tree where it decides which file comes first.

#include "base/executor.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/query/weighted_search.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

class RankingRule : public CollectionFixture {
 protected:
  using Change = void (*)(RankingWeights&);

  std::vector<Passage> ranked(const Files& files, std::string words, Change change = nullptr) {
    RankingTable table;
    for (RankingWeights* weights : {&table.short_question, &table.long_question, &table.issue}) {
      if (change != nullptr) change(*weights);
    }
    const Collection all = collection("t", files);
    auto found = weighted_search(all, {std::move(words), "", 20}, table, executor_, {});
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<Passage>();
  }
  /// The first file of the answer, without the name of the source.
  std::string first(const Files& files, std::string words, Change change = nullptr) {
    const std::vector<Passage> found = ranked(files, std::move(words), change);
    return found.empty() ? "" : found.front().path.substr(2);
  }

  InlineExecutor executor_;
};

// Both files have the same words, and equal scores are in order of path: without its rule, the
// first one comes first.

TEST_F(RankingRule, TheTitleOfAnIssueCountsMoreThanItsBody) {
  const Files files = {{"a.md", "zebra giraffe\n"}, {"b.md", "cart basket\n"}};
  const std::string issue = "cart basket\n\nzebra giraffe\n";
  EXPECT_EQ(first(files, issue), "b.md");
  EXPECT_EQ(first(files, issue, [](RankingWeights& w) { w.body = 1; }), "a.md");
}

TEST_F(RankingRule, DocumentsComeAfterCodeForAQuestionAboutCode) {
  const Files files = {{"a.md", "resize the pool\n"}, {"b.py", "resize the pool\n"}};
  const std::string question = "Where is the pool resized?";
  EXPECT_EQ(first(files, question), "b.py");
  EXPECT_EQ(first(files, question, [](RankingWeights& w) { w.prose_for_code = 1; }), "a.md");
}

TEST_F(RankingRule, CodeComesAfterDocumentsForAQuestionOnUse) {
  const Files files = {{"a.py", "resize the pool\n"}, {"b.txt", "resize the pool\n"}};
  const std::string question = "How do I resize the pool?";
  EXPECT_EQ(first(files, question), "b.txt");
  EXPECT_EQ(first(files, question, [](RankingWeights& w) { w.source_for_documents = 1; }), "a.py");
}

TEST_F(RankingRule, FilesAboutTheProjectComeLast) {
  const Files files = {{".github/a.md", "crash report\n"}, {"guide/b.md", "crash report\n"}};
  EXPECT_EQ(first(files, "crash report"), "guide/b.md");
  EXPECT_EQ(first(files, "crash report", [](RankingWeights& w) { w.project = 1; }), ".github/a.md");
}

TEST_F(RankingRule, DataComesAfterCode) {
  const Files files = {{"a.json", "metre length\n"}, {"b.c", "metre length\n"}};
  EXPECT_EQ(first(files, "metre length"), "b.c");
  EXPECT_EQ(first(files, "metre length", [](RankingWeights& w) { w.data = 1; }), "a.json");
}

TEST_F(RankingRule, AFileOfATracebackComesFirst) {
  const Files files = {{"shop/cart.py", "def total(items):\n    return sum(items)\n"},
                       {"shop/sum.py", "sum fails: unsupported operand, a type error in total\n"}};
  const std::string issue =
      "TypeError: unsupported operand\n\n"
      "  File \"/usr/lib/python3/dist-packages/shop/cart.py\", line 2, in total\n";
  EXPECT_EQ(first(files, issue), "shop/cart.py");
  EXPECT_EQ(first(files, issue, [](RankingWeights& w) { w.mention_body = 0; }), "shop/sum.py");
}

TEST_F(RankingRule, FormsOfOneScriptAreOneAnswer) {
  const Files files = {{"src/types.ts", "coerce a value to a number\n"},
                       {"types.js", "coerce a value to a number\n"},
                       {"types.cjs", "coerce a value to a number\n"},
                       {"number.ts", "a number has a value, that may coerce other things\n"}};
  EXPECT_EQ(ranked(files, "coerce a value")[1].path, "t/number.ts");
  EXPECT_NE(ranked(files, "coerce a value", [](RankingWeights& w) { w.twin = 1; })[1].path,
            "t/number.ts");
}

/// An issue by a template, whose title and body are given.
std::string issue_of(const std::string& title, const std::string& body) {
  return title + "\n### What happened\n" + body + "\n### Environment\nDebian\n### More\nnone\n";
}

TEST_F(RankingRule, DocumentsAndTestsComeAfterCodeForAnIssue) {
  const Files files = {{"a.md", "resize the pool\n"},
                       {"tests/b.py", "resize the pool\n"},
                       {"c.py", "resize the pool\n"}};
  const std::string issue = issue_of("resize the pool", "it fails");
  EXPECT_EQ(first(files, issue), "c.py");
  EXPECT_EQ(first(files, issue, [](RankingWeights& w) { w.prose_for_code = w.tests = 1; }), "a.md");
}

TEST_F(RankingRule, WordsOfATemplateDoNotCount) {
  const Files files = {{"a.py", "environment debian happened\n"}, {"b.py", "cart basket\n"}};
  EXPECT_EQ(first(files, issue_of("cart happened", "the basket is empty")), "b.py");
}

TEST_F(RankingRule, DeclarationsAndUnknownFilesComeAfterCodeForAnIssue) {
  const Files files = {{"a.d.ts", "resize the pool\n"},
                       {"b.fish", "resize the pool\n"},
                       {"c.ts", "resize the pool\n"}};
  const std::string issue = issue_of("resize the pool", "it fails");
  EXPECT_EQ(first(files, issue), "c.ts");
  EXPECT_EQ(first(files, issue, [](RankingWeights& w) { w.declarations = 1; }), "a.d.ts");
  EXPECT_EQ(first(files, issue, [](RankingWeights& w) { w.other = 1; }), "b.fish");
}

TEST_F(RankingRule, RepeatedWordsOfALongQuestionCountMore) {
  const Files files = {{"a.py", "zebra\n"}, {"b.py", "basket\n"}};
  const std::string question =
      "Where does the zebra of one customer meet the basket that a basket of another customer "
      "beside it was copied from";
  EXPECT_EQ(first(files, question), "b.py");
  EXPECT_EQ(first(files, question, [](RankingWeights& w) { w.echo = 0; }), "a.py");
}

TEST_F(RankingRule, AFileThatTheBestFilesImportComesFirst) {
  const Files files = {
      {"shop/cart.py", "basket\n"},
      {"shop/items.py", "basket\n"},
      {"shop/items.md", "import cart\n\nbasket(basket, basket)\n"},
      {"shop/order.py", "from .items import total\n\nbasket(basket, basket)\n"},
      {"tools/refund.py", "import shop.items\nimport cart.py\n\nbasket(basket, basket)\n"}};
  const std::string question =
      "Where does one customer meet the basket that another customer beside it was copied from "
      "twice";
  const auto before = [&](Change change) {
    const std::vector<Passage> found = ranked(files, question, change);
    const auto cart = std::ranges::find(found, "t/shop/cart.py", &Passage::path);
    const auto items = std::ranges::find(found, "t/shop/items.py", &Passage::path);
    EXPECT_TRUE(cart != found.end() && items != found.end());
    return items < cart;
  };
  EXPECT_TRUE(before(nullptr));
  EXPECT_FALSE(before([](RankingWeights& w) { w.imported = 0; }));
}

}  // namespace
}  // namespace quarry::corpus
