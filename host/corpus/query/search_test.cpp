#include "corpus/query/search.h"

#include "base/executor.h"
#include "corpus/index/word_index.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/segment/segment_writer.h"
#include "corpus/snapshot/snapshot_state.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Search : public CollectionFixture {
 protected:
  std::vector<Passage> find(const Collection& collection, std::string words, std::string path = "",
                            std::uint32_t limit = 10) {
    const SearchQuery query{std::move(words), std::move(path), limit};
    auto found = search(collection, query, executor_, {});
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<Passage>();
  }
  std::vector<std::string> paths(const Collection& collection, std::string words,
                                 std::string path = "") {
    std::vector<std::string> out;
    for (const Passage& passage : find(collection, std::move(words), std::move(path))) {
      out.push_back(passage.path);
    }
    return out;
  }
  void index(const Collection& collection) {
    for (const Source& source : collection.sources()) {
      ASSERT_TRUE(build_indexes(*source.snapshot, executor_, {}));
    }
  }
  Collection shop() {
    return collection("shop", {{"src/cart.py",
                                "class Cart:\n    def add_item(self, item):\n"
                                "        self.items.append(item)\n"},
                               {"src/payment.py",
                                "def charge_card(card, amount):\n"
                                "    '''Charges the credit card once.'''\n"
                                "    return gateway.charge(card, amount)\n"},
                               {"tests/test_payment.py",
                                "def test_charge_card():\n"
                                "    assert charge_card(card, 5)\n"},
                               {"README.md",
                                "# Shop\n\nSells things.\n\n## Refunds\n\n"
                                "Refunds go back to the card.\n"}});
  }

  InlineExecutor executor_;
};

TEST_F(Search, FindsWhatAnswersAQuestionInPlainWords) {
  const Collection all = shop();
  const std::vector<Passage> found = find(all, "How is a credit card charged?");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].path, "shop/src/payment.py");
  EXPECT_EQ(found[0].start_line, 1u);
  EXPECT_EQ(found[0].end_line, 3u);
  EXPECT_EQ(found[0].heading, "def charge_card(card, amount)");
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].score, found[i].score);
}

TEST_F(Search, FindsIdentifiersInAnySpelling) {
  for (const char* words : {"add_item", "addItem", "AddItem", "add item", "adding items"}) {
    EXPECT_EQ(find(shop(), words)[0].path, "shop/src/cart.py") << words;
  }
}

TEST_F(Search, PrefersTestsOnlyWhenAskedForThem) {
  EXPECT_EQ(paths(shop(), "charge_card")[0], "shop/src/payment.py");
  EXPECT_EQ(paths(shop(), "test of charge_card")[0], "shop/tests/test_payment.py");
}

TEST_F(Search, PrefersAFileThatTheQuestionNames) {
  EXPECT_EQ(paths(shop(), "what is the card for in README.md?")[0], "shop/README.md");
  EXPECT_EQ(paths(shop(), "card, see src/cart.py")[0], "shop/src/cart.py");
}

TEST_F(Search, ShowsTheSectionOfADocument) {
  const std::vector<Passage> found = find(shop(), "refunds", "shop/README.md");
  EXPECT_EQ(found[0].heading, "Shop › Refunds");
  EXPECT_EQ(found[0].start_line, 5u);
}

TEST_F(Search, ReadsHtmlAsAReaderSeesIt) {
  const Collection pages = collection(
      "manual", {{"refunds.html",
                  "<html><head><title>Shop</title><style>.container { color: red }</style></head>"
                  "<body class=\"container\"><h2 id=\"r\">Refunds &amp; <i>returns</i></h2>"
                  "<p>They go back to the card.</p></body></html>\n"}});
  const auto found = find(pages, "where do refunds go");
  ASSERT_THAT(found, ::testing::SizeIs(1));
  EXPECT_EQ(found[0].heading, "Refunds returns");
  EXPECT_THAT(paths(pages, "container"), IsEmpty());
}

TEST_F(Search, FindsNothingForUnknownWordsOrNone) {
  EXPECT_THAT(find(shop(), "zebra quagga"), IsEmpty());
  EXPECT_THAT(find(shop(), ""), IsEmpty());
  EXPECT_THAT(find(shop(), "?!"), IsEmpty());
  EXPECT_THAT(find(Collection({}), "card"), IsEmpty());
  EXPECT_THAT(find(collection("empty", {}), "card"), IsEmpty());
}

TEST_F(Search, StaysBeneathTheAskedPath) {
  const Collection all = shop();
  EXPECT_THAT(paths(all, "card", "shop/tests"), ElementsAre("shop/tests/test_payment.py"));
  EXPECT_THAT(paths(all, "card", "shop/src/payment.py"), ElementsAre("shop/src/payment.py"));
  EXPECT_THAT(paths(all, "card", "shop/src"), Not(Contains("shop/README.md")));
  EXPECT_THAT(paths(all, "card", "shop"), Contains("shop/README.md"));
}

TEST_F(Search, SaysWhenThePathDoesNotExist) {
  const auto found = search(shop(), {"card", "shop/scr", 10}, executor_, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kNotFound);
  EXPECT_THAT(found.error().message, HasSubstr("scr"));
}

TEST_F(Search, RanksSeveralSourcesTogether) {
  const Collection all({{"one", snapshot({{"a.md", "# Alpha\n\nzebra and lion\n"}})},
                        {"two", snapshot({{"b.md", "# Zebra\n\nzebra zebra\n"}})}});
  EXPECT_THAT(paths(all, "zebra"), ElementsAre("two/b.md", "one/a.md"));
  EXPECT_THAT(paths(all, "zebra", "one"), ElementsAre("one/a.md"));
}

TEST_F(Search, AnswersTheSameWithAndWithoutAnIndex) {
  for (const char* words : {"How is a credit card charged?", "add_item", "refunds in README.md",
                            "items", "the", "test_charge_card"}) {
    const Collection all = shop();
    const std::vector<Passage> scanned = find(all, words);
    index(all);
    ASSERT_TRUE(all.sources()[0].snapshot->words(0));
    const std::vector<Passage> indexed = find(all, words);
    ASSERT_EQ(scanned.size(), indexed.size()) << words;
    for (std::size_t i = 0; i < scanned.size(); ++i) {
      EXPECT_EQ(scanned[i].path, indexed[i].path) << words;
      EXPECT_EQ(scanned[i].start_line, indexed[i].start_line);
      EXPECT_EQ(scanned[i].score, indexed[i].score);
    }
  }
}

TEST_F(Search, ShowsOnlyLiveFilesOfSeveralSegments) {
  const auto directory = new_directory();
  auto first = *SegmentWriter::create(segment_directory(directory, 1));
  ASSERT_TRUE(first.add("a.md", FileKind::kText, 11, "zebra stays"));
  ASSERT_TRUE(first.add("b.md", FileKind::kText, 9, "old zebra"));
  ASSERT_TRUE(std::move(first).finish());
  auto second = *SegmentWriter::create(segment_directory(directory, 2));
  ASSERT_TRUE(second.add("b.md", FileKind::kText, 9, "new zebra"));
  ASSERT_TRUE(std::move(second).finish());
  const std::uint32_t numbers[] = {1, 2};
  const FileRef files[] = {{0, 0}, {1, 0}};
  ASSERT_TRUE(write_snapshot_table(directory, numbers, files, {}));
  const Collection all({{"docs", *Snapshot::open(directory)}});
  EXPECT_THAT(paths(all, "zebra"), ::testing::UnorderedElementsAre("docs/a.md", "docs/b.md"));
  EXPECT_THAT(paths(all, "old"), IsEmpty());
  EXPECT_THAT(paths(all, "new"), ElementsAre("docs/b.md"));
  index(all);
  EXPECT_THAT(paths(all, "zebra"), ::testing::UnorderedElementsAre("docs/a.md", "docs/b.md"));
  EXPECT_THAT(paths(all, "old"), IsEmpty());
  EXPECT_THAT(paths(all, "zebra", "docs/b.md"), ElementsAre("docs/b.md"));
}

TEST_F(Search, SpreadsAnAnswerOverFiles) {
  std::string many;
  for (int i = 0; i < 20; ++i) {
    many += "## Zebra " + std::to_string(i) + "\n\nzebra zebra zebra\n\n";
  }
  const Collection all = collection("d", {{"many.md", many}, {"one.md", "# One\n\na zebra\n"}});
  EXPECT_LE(std::ranges::count(paths(all, "zebra"), "d/many.md"), 3);
  EXPECT_THAT(paths(all, "zebra"), Contains("d/one.md"));
}

TEST_F(Search, CountsAPageInTwoFormatsOnce) {
  const Collection all = collection("d", {{"man/zebra.1", ".SH ZEBRA\nzebra zebra stripes\n"},
                                          {"doc/zebra.md", "# Zebra\n\nzebra zebra stripes\n"},
                                          {"doc/horse.md", "# Horse\n\nzebra stripes\n"}});
  EXPECT_EQ(paths(all, "zebra stripes")[1], "d/doc/horse.md");
  const Collection many = collection("d", {{"a/README.md", "# Zebra\n\nzebra stripes\n"},
                                           {"b/README.md", "# Zebra\n\nzebra stripes\n"}});
  const std::vector<Passage> equal = find(many, "zebra");
  EXPECT_EQ(equal[0].score, equal[1].score) << "a README of another folder is another page";
}

TEST_F(Search, GivesAtMostWhatWasAskedFor) {
  EXPECT_EQ(find(shop(), "card", "", 1).size(), 1u);
}

TEST_F(Search, IsCancelledWhileItScansAndWhileItRanks) {
  std::stop_source stop;
  stop.request_stop();
  const Collection all = shop();
  const SearchQuery query{"card", "", 10};
  EXPECT_EQ(search(all, query, executor_, stop.get_token()).error().code, Code::kCancelled);
  index(all);
  EXPECT_EQ(search(all, query, executor_, stop.get_token()).error().code, Code::kCancelled);
}

/// What one source scored must not count for the next, which is scored in the same memory.
TEST_F(Search, ScoresEachSourceAnew) {
  const auto first = snapshot({{"a.txt", "needle\n"}, {"b.txt", "needle needle\n"}});
  const auto second =
      snapshot({{"a.txt", "hay\n"}, {"b.txt", "hay hay\n"}, {"c.txt", "one needle\n"}});
  const Collection all({{"first", first}, {"second", second}});
  index(all);
  EXPECT_THAT(paths(all, "needle"),
              ::testing::UnorderedElementsAre("first/a.txt", "first/b.txt", "second/c.txt"));
}

TEST_F(Search, ScansWhenTheIndexIsDamagedOrOfOtherFiles) {
  const Collection all = shop();
  const Segment& segment = *all.sources()[0].snapshot->segments()[0];
  const auto file = segment.directory() / WordIndex::kFileName;
  ASSERT_TRUE(write_file_atomically(file, "not an index"));
  EXPECT_THAT(WordIndex::open(file, segment).error().message, HasSubstr("is damaged"));
  EXPECT_EQ(paths(all, "charge card")[0], "shop/src/payment.py");

  const auto other = snapshot({{"x", "shorter"}});
  std::filesystem::remove(file);
  ASSERT_TRUE(WordIndex::build(*other->segments()[0], file, executor_, {}));
  EXPECT_THAT(WordIndex::open(file, segment).error().message, HasSubstr("belongs to other files"));
}

}  // namespace
}  // namespace quarry::corpus
